// What C++ knows of an operator: its contract and a reference implementation on the CPU. Written from the operator's
// definition (docs/operators.md) and sharing nothing with the planner, so that one can check the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/device_profile.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

namespace wgk::ops {

/// Where a tensor lies, for tensors in buffers of a device. Buffers are told apart by `buffer`, which is never
/// followed.
struct ByteRange {
  const void* buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

/// An output that the caller provides.
struct GivenOutput {
  DType dtype = DType::kFloat32;
  Shape shape;
};

/// What a package implements beyond the standard contract of its operator. All off for the standard packages.
struct OpExtensions {
  bool packed_batching = false;          ///< MRotaryEmbedding: is_packed_batching may be 1
  bool float16_without_feature = false;  ///< float16 also runs on devices that lack shader-f16
};

/// A call as the operator sees it. Keys are bind keys.
struct OpCall {
  std::map<std::string, const HostTensor*, std::less<>> inputs;  ///< a null pointer is an absent input
  Attributes attributes;
  bool check_values = true;  ///< positions of host data are compared with the cache rows
  bool host_data = true;     ///< false: the tensors carry dtype and shape only, their bytes are on a device
  std::map<std::string, GivenOutput, std::less<>> outputs;  ///< outputs that the caller provides, if any
  std::map<std::string, ByteRange, std::less<>> ranges;     ///< of inputs and outputs in device buffers, if any
  OpExtensions extensions;
};

using OpOutputs = std::vector<std::pair<std::string, HostTensor>>;

/// One element of an output that a comparison rejected.
struct Mismatch {
  std::string message;  ///< "y[0,1,2]: got 1.5, want 1.25 (bound 2.4e-07)"
};

/// A comparison stops after this many mismatches.
inline constexpr std::size_t kMaxMismatches = 10;

struct Operator {
  std::string_view id;
  /// Every contract rule in the order of the operator's table; the message is "<op id>: <key>: …". `profile` is for the
  /// device rules (shader-f16, limits); nullptr skips those. Error: kRequest.
  Status (*check)(const OpCall& call, const DeviceProfile* profile);
  /// Outputs in the manifest's order. Needs host data. Refuses a call that breaks the contract of shapes and dtypes;
  /// position values are not checked here: a bad position leaves its pairs as they are. Error: kRequest.
  Result<OpOutputs> (*reference)(const OpCall& call);
  /// Compares outputs of a kernel with reference outputs by the numerical contract of the operator: bits, or a bound
  /// per element computed from the call. The call has passed check(). At most kMaxMismatches; empty when all is well.
  std::vector<Mismatch> (*compare)(const OpCall& call, const OpOutputs& expected, const OpOutputs& got);
};

/// The operator of that id, or nullptr: a package of an unknown operator runs without checks and reference.
const Operator* find_operator(std::string_view id);

}  // namespace wgk::ops
