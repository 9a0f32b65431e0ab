// RotaryEmbedding and MRotaryEmbedding resolved: what their formulas need, once a call has passed the contract.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "ops/operator.h"

namespace wgk::ops {

enum class RotaryKind { kStandard, kMultimodal };

/// How an operator of the family differs from the published contract of its kind.
enum class RotaryForm {
  kPublished,
  kExtended,  ///< also bfloat16, float32 caches for 16-bit tensors, float16 without shader-f16, packed batching
  kInPlace,   ///< as kExtended, and the output is the input "x"
};

struct RotaryOperator {
  RotaryKind kind = RotaryKind::kStandard;
  RotaryForm form = RotaryForm::kPublished;

  bool multimodal() const { return kind == RotaryKind::kMultimodal; }
  bool extended() const { return form != RotaryForm::kPublished; }
  std::string_view output() const { return form == RotaryForm::kInPlace ? "x" : "y"; }
};

/// Elements of a tensor. bfloat16 has no dtype of its own: it comes as uint32 words, two elements each, the first in
/// the low half, with the logical shape in an attribute.
enum class RotaryElement { kFloat32, kFloat16, kBfloat16 };

/// A valid call. Tensors are borrowed from it.
struct RotaryCall {
  const HostTensor* x = nullptr;
  const HostTensor* cos = nullptr;
  const HostTensor* sin = nullptr;
  const HostTensor* positions = nullptr;  ///< nullptr: the caches hold one row per token

  Shape shape;        ///< of x, in elements
  Shape cache_shape;  ///< of cos and sin, in elements
  RotaryElement element = RotaryElement::kFloat32;
  RotaryElement cache_element = RotaryElement::kFloat32;

  std::int64_t batch = 0;
  std::int64_t sequence = 0;
  std::int64_t heads = 0;
  std::int64_t head_size = 0;
  std::int64_t rotary_dim = 0;
  std::int64_t cache_rows = 0;
  bool heads_inside_token = false;  ///< rank 3; in rank 4 the sequence lies inside the head
  bool interleaved = false;
  bool striped = false;                    ///< mrope_layout 1
  std::array<std::int64_t, 3> sections{};  ///< of MRotaryEmbedding
  float scale = 1;

  std::int64_t half() const { return rotary_dim / 2; }
  bool empty() const { return batch == 0 || sequence == 0 || heads == 0 || head_size == 0; }
};

/// Applies every rule of the operator's contract, in order, and resolves the call. Error: kRequest.
Result<RotaryCall> resolve_rotary(RotaryOperator op, const OpCall& call, const DeviceProfile* profile);

/// The stream (0 temporal, 1 height, 2 width) that owns each slot of the half axis; all 0 for one stream.
std::vector<std::uint8_t> stream_of_slots(RotaryKind kind, const RotaryCall& call);

Result<OpOutputs> rotary_reference(RotaryOperator op, const OpCall& call);
std::vector<Mismatch> rotary_compare(RotaryOperator op, const OpCall& call, const OpOutputs& expected,
                                     const OpOutputs& got);

}  // namespace wgk::ops
