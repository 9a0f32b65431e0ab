// The simple way to run a kernel: host tensors in, host tensors out.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/device.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>
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
};

/// What a call produced.
struct RunResult {
  std::vector<std::pair<std::string, HostTensor>> outputs;  ///< bind key -> tensor, in the manifest's order
  std::string variant;                                      ///< the variant that ran; "reference" on DeviceKind::kCpu
  bool dispatched = false;  ///< false when nothing was submitted: empty outputs, or the CPU path

  /// The output of that bind key. Throws wgk::Exception (kUsage) when there is none.
  const HostTensor& operator[](std::string_view key) const&;
  /// Of a result that is about to go: the tensor itself, so that `kernel(…)["y"]` is safe to keep.
  HostTensor operator[](std::string_view key) &&;
};

/// A package on a device. One thread at a time.
class Kernel {
 public:
  Kernel(Device device, Package package);

  /// Checks, plans, uploads, dispatches, waits and reads back. Errors: kRequest, kPackage, kDevice.
  Result<RunResult> run(const TensorMap& inputs, const RunOptions& options = {}) const;
  /// The throwing form.
  RunResult operator()(const TensorMap& inputs, const RunOptions& options = {}) const {
    return run(inputs, options).value();
  }

  /// The contract check of run() alone: operator rules and, with Check::kFull, values. Error: kRequest.
  Status check(const TensorMap& inputs, const RunOptions& options = {}) const;

  /// The plan that run() would execute for these inputs. Needs no adapter when the device is DeviceKind::kCpu.
  Result<Plan> plan(const TensorMap& inputs, const RunOptions& options = {}) const;

  const Package& package() const { return package_; }
  const Device& device() const { return device_; }

 private:
  Device device_;
  Package package_;
};

struct GetKernelOptions {
  int version = 0;  ///< major version of the package contract; required for "org/name" references
  DeviceOptions device{};
};

/// Resolves `reference` (a folder, or "webgpu-kernels/<op id>" found among installed and first-party packages), opens a
/// device and returns the kernel. Throws wgk::Exception. No network is used.
Kernel get_kernel(std::string_view reference, const GetKernelOptions& options = {});

}  // namespace wgk::inline v0
