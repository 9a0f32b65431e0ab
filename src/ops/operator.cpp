// The table of operators that C++ knows.
#include "ops/operator.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "ops/gemma.h"
#include "ops/rotary.h"
#include "ops/rotary_qk.h"

namespace wgk::ops {
namespace {

template <RotaryKind kKind, RotaryForm kForm>
constexpr RotaryOperator kRotary = {kKind, kForm};

template <RotaryKind kKind, RotaryForm kForm>
constexpr Operator rotary_operator(std::string_view id) {
  return {id,
          [](const OpCall& call, const DeviceProfile* profile) -> Status {
            WGK_CHECK(resolve_rotary(kRotary<kKind, kForm>, call, profile));
            return {};
          },
          [](const OpCall& call) { return rotary_reference(kRotary<kKind, kForm>, call); },
          [](const OpCall& call, const OpOutputs& expected, const OpOutputs& got) {
            return rotary_compare(kRotary<kKind, kForm>, call, expected, got);
          }};
}

constexpr std::array<Operator, 8> kOperators = {
    rotary_operator<RotaryKind::kStandard, RotaryForm::kPublished>("ai.onnx.RotaryEmbedding"),
    rotary_operator<RotaryKind::kMultimodal, RotaryForm::kPublished>("com.microsoft.MRotaryEmbedding"),
    Operator{"com.microsoft.GemmaRotaryEmbedding", gemma_check, gemma_reference, gemma_compare},
    rotary_operator<RotaryKind::kStandard, RotaryForm::kExtended>("wgk.RotaryEmbeddingExt"),
    rotary_operator<RotaryKind::kStandard, RotaryForm::kInPlace>("wgk.RotaryEmbeddingInPlace"),
    rotary_operator<RotaryKind::kMultimodal, RotaryForm::kExtended>("wgk.MRotaryEmbeddingExt"),
    rotary_operator<RotaryKind::kMultimodal, RotaryForm::kInPlace>("wgk.MRotaryEmbeddingInPlace"),
    Operator{"wgk.RotaryEmbeddingQK", rotary_qk_check, rotary_qk_reference, rotary_qk_compare},
};

}  // namespace

const Operator* find_operator(std::string_view id) {
  const auto found =
      std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator& op) { return op.id == id; });
  return found == kOperators.end() ? nullptr : &*found;
}

}  // namespace wgk::ops
