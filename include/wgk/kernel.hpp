// The simple way to run a kernel: host tensors in, host tensors out.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/device.hpp>
#include <wgk/export.hpp>
#include <wgk/gpu_tensor.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>
#include <wgk/prepared.hpp>
#include <wgk/profile.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

namespace wgk::inline v0 {

/// Inputs by bind key ("x"); ONNX names ("X") are accepted where they are unambiguous.
using TensorMap = std::map<std::string, HostTensor, std::less<>>;

/// How much of a request the host checks before planning.
enum class Check {
  kFull,  ///< operator contract and the values of index tensors
  kNone,  ///< contract of shapes and dtypes only; out-of-range index values are left to the kernel's own rule
};

/// Every member has an initializer, so that designated ones ({.attrs = …}) compile without warnings.
struct RunOptions {
  Attributes attrs{};
  Attributes args{};      ///< scalar arguments of the manifest
  std::string variant{};  ///< pin a variant; empty: select
  std::map<std::string, AttributeValue, std::less<>> tunables{};
  std::vector<std::string> outputs{};  ///< optional outputs to produce as well
  Check check = Check::kFull;
  Profile* profile = nullptr;  ///< times run() on GPU tensors
};

/// What a call produced.
struct WGK_API RunResult {
  std::vector<std::pair<std::string, HostTensor>> outputs;  ///< bind key -> tensor, in the manifest's order
  std::string variant;                                      ///< the variant that ran; "cpu" on DeviceKind::kCpu
  bool dispatched = false;  ///< false when nothing was submitted: empty outputs, or the CPU path

  /// The output of that bind key. Throws wgk::Exception (kUsage) when there is none.
  const HostTensor& operator[](std::string_view key) const&;
  /// Of a result that is about to go: the tensor itself, so that `kernel(…)["y"]` is safe to keep.
  HostTensor operator[](std::string_view key) &&;
};

/// What a call on GPU tensors produced.
struct GpuRunResult {
  /// Outputs that the call did not name, as new tensors: bind key -> tensor, in the manifest's order.
  std::vector<std::pair<std::string, GpuTensor>> outputs;
  std::string variant;      ///< the variant that runs
  bool dispatched = false;  ///< false when nothing was submitted because all outputs are empty
};

/// A package on a device. Cheap to copy (shared). Const use from any thread.
class WGK_API Kernel {
 public:
  Kernel(Device device, Package package);  ///< shares both; does nothing else yet

  /// Checks, plans, uploads, dispatches, waits and reads back. Errors: kRequest, kPackage, kDevice.
  Result<RunResult> run(const TensorMap& inputs, const RunOptions& options = {}) const;
  /// The same into the memory of an earlier result: tensors of `result` that have the dtype and shape of this call's
  /// outputs are written over. On DeviceKind::kCpu this saves what fresh memory costs, which is as much as the work.
  /// After an error `result` is as it was.
  Status run_into(const TensorMap& inputs, RunResult& result, const RunOptions& options = {}) const;
  /// The throwing form.
  RunResult operator()(const TensorMap& inputs, const RunOptions& options = {}) const {
    return run(inputs, options).value();
  }

  /// Checks and submits; copies nothing to the host and does not wait. `tensors` names inputs, and outputs to write;
  /// other outputs are created. Calls of the same shapes are planned and compiled once, and calls on the same buffers
  /// bound once: up to 16 shapes with 8 sets of buffers each are remembered and kept alive (clear_cache()). Positions
  /// in buffers are not checked: the kernels' own rule holds for those outside the cache.
  Result<GpuRunResult> run(const GpuTensors& tensors, const RunOptions& options = {}) const;

  /// Checks, plans, compiles and uploads uniforms. Errors: kRequest, kPackage, kDevice.
  Result<Prepared> prepare(const CallSpec& spec) const;
  /// The same on another thread.
  PreparedFuture prepare_async(CallSpec spec) const;
  /// Prepares all, compiling in parallel. Error: of the first spec that fails.
  Result<std::vector<Prepared>> prepare_many(std::span<const CallSpec> specs) const;

  /// Forgets what run() on GPU tensors remembers, and so releases the buffers it keeps.
  void clear_cache() const;

  /// The contract check of run() alone: operator rules and, with Check::kFull, values. Error: kRequest.
  Status check(const TensorMap& inputs, const RunOptions& options = {}) const;
  /// Whether check() knows the operator's own rules. Of any other operator only the manifest's rules hold.
  bool knows_operator() const;

  /// The plan that run() would execute for these inputs. Needs no adapter when the device is DeviceKind::kCpu.
  Result<Plan> plan(const TensorMap& inputs, const RunOptions& options = {}) const;

  const Package& package() const { return package_; }  ///< as given
  const Device& device() const { return device_; }  ///< as given

 private:
  struct State;
  Device device_;
  Package package_;
  std::shared_ptr<State> state_;
};

struct GetKernelOptions {
  int version = 0;  ///< major version of the package contract; required for "org/name" references
  DeviceOptions device{};
};

/// Resolves `reference` (a folder, the id of an installed or first-party package, or "webgpu-kernels/<op id>"), opens a
/// device and returns the kernel. Throws wgk::Exception. A repository that is installed in that version needs no
/// network; in a library built with WGK_WITH_HUB others are taken from the cache or the Hub (load_reference()).
WGK_API Kernel get_kernel(std::string_view reference, const GetKernelOptions& options = {});

}  // namespace wgk::inline v0
