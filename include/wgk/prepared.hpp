// Calls made ready in advance: prepare once, bind buffers, record any number of times.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/export.hpp>
#include <wgk/gpu_tensor.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>
#include <wgk/profile.hpp>
#include <wgk/status.hpp>
#include <wgk/webgpu_handles.hpp>

namespace wgk::inline v0 {

/// What is fixed about a call before there are data. Names are bind keys, or ONNX names where they are unambiguous.
struct CallSpec {
  std::map<std::string, TensorSpec, std::less<>> inputs{};
  std::map<std::string, TensorSpec, std::less<>> outputs{};  ///< where given, they must be what the operator yields
  Attributes attrs{};
  Attributes args{};      ///< scalar arguments of the manifest
  std::string variant{};  ///< pin a variant; empty: select
  std::map<std::string, AttributeValue, std::less<>> tunables{};
  std::vector<std::string> wanted_outputs{};  ///< optional outputs to produce as well
  /// Byte offsets at which tensors will be bound; 0 where none is given. A variant that reads wider elements than an
  /// offset allows is passed over for the next one that fits.
  std::map<std::string, std::uint64_t, std::less<>> offsets{};

  friend bool operator==(const CallSpec&, const CallSpec&) = default;
};

/// A prepared call with its buffers. Move-only; keeps the buffers, the pipelines and the device alive. Const use from
/// any thread, as far as the encoders allow.
class WGK_API Bound {
 public:
  Bound(Bound&&) noexcept;
  Bound& operator=(Bound&&) noexcept;
  ~Bound();

  /// Records the call into a compute pass that is open. Records and nothing else: no allocation, no lock, no
  /// submission. Calls recorded one after another see each other's results. Leaves pipeline and bind group 0 of the
  /// pass changed.
  void encode(WGPUComputePassEncoder pass) const noexcept;
  /// Records the call into a compute pass of its own.
  void encode(WGPUCommandEncoder encoder) const noexcept;
  /// The same, timed.
  void encode(WGPUCommandEncoder encoder, Profile& profile) const noexcept;

  /// Submits the call alone and does not wait.
  Status submit() const;

  /// Number of dispatches that encode() records.
  std::size_t dispatch_count() const;

  /// Internal.
  struct Impl;
  explicit Bound(std::shared_ptr<const Impl> impl);
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// A call whose shapes, dtypes and attributes are fixed: planned, compiled, uniforms uploaded. Move-only. Const use
/// from any thread.
class WGK_API Prepared {
 public:
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  ~Prepared();

  /// Binds every input and output. A tensor that the package changes in place is given once. Checks dtype, shape, size,
  /// usage and alignment of every buffer, and refuses a buffer that a pass would read and write. Error: kRequest or
  /// kDevice, with the names.
  Result<Bound> bind(const GpuTensors& tensors) const;

  /// A new tensor for an input or output, in the format and shape of this call.
  Result<GpuTensor> create_tensor(std::string_view name) const;
  /// The same with values; int64 positions are narrowed as the package says.
  Result<GpuTensor> upload(std::string_view name, const HostTensor& tensor) const;

  const Plan& plan() const;  ///< what encode() records
  const Device& device() const;  ///< the one it was prepared on

  /// Internal.
  struct Impl;
  explicit Prepared(std::shared_ptr<const Impl> impl);
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// A call being prepared on a thread of its own. Move-only. One thread at a time. The destructor waits until the
/// compiler has ended, for it cannot be stopped.
class WGK_API PreparedFuture {
 public:
  PreparedFuture(PreparedFuture&&) noexcept;
  PreparedFuture& operator=(PreparedFuture&&) noexcept;
  ~PreparedFuture();

  /// True when get() will not wait.
  bool ready() const;
  /// Waits at most `timeout` (0: as long as it takes). After a time-out, which is kDevice, it can be called again; the
  /// result itself can be taken once (kUsage).
  Result<Prepared> get(std::chrono::milliseconds timeout = std::chrono::milliseconds(0));

  /// Internal.
  struct Impl;
  explicit PreparedFuture(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace wgk::inline v0
