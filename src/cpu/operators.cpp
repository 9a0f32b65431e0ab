// The table of operators with a fast CPU path.
#include "cpu/operators.h"

#include <algorithm>
#include <array>

#include "cpu/gemma.h"
#include "cpu/rotary.h"

namespace wgk::cpu {
namespace {

using ops::RotaryForm;
using ops::RotaryKind;

template <RotaryKind kKind, RotaryForm kForm>
Status compute_form(const ops::OpCall& call, ThreadPool& threads, ops::OpOutputs& outputs) {
  return compute_rotary({kKind, kForm}, call, threads, outputs);
}

struct Entry {
  std::string_view id;
  Compute compute;
};

constexpr std::array<Entry, 7> kEntries = {{
    {"ai.onnx.RotaryEmbedding", compute_form<RotaryKind::kStandard, RotaryForm::kPublished>},
    {"com.microsoft.MRotaryEmbedding", compute_form<RotaryKind::kMultimodal, RotaryForm::kPublished>},
    {"com.microsoft.GemmaRotaryEmbedding", compute_gemma},
    {"wgk.RotaryEmbeddingExt", compute_form<RotaryKind::kStandard, RotaryForm::kExtended>},
    {"wgk.RotaryEmbeddingInPlace", compute_form<RotaryKind::kStandard, RotaryForm::kInPlace>},
    {"wgk.MRotaryEmbeddingExt", compute_form<RotaryKind::kMultimodal, RotaryForm::kExtended>},
    {"wgk.MRotaryEmbeddingInPlace", compute_form<RotaryKind::kMultimodal, RotaryForm::kInPlace>},
}};

}  // namespace

Compute find_compute(std::string_view id) {
  const auto found = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& entry) { return entry.id == id; });
  return found == kEntries.end() ? nullptr : found->compute;
}

}  // namespace wgk::cpu
