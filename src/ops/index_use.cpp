// The index inputs of the operators that C++ knows.
#include "ops/index_use.h"

#include <algorithm>

#include "ops/operator.h"

namespace wgk::ops {

std::optional<IndexUse> index_use(std::string_view op_id) {
  // The rotary family shares its ports; Gemma's has no index and no ports of these names.
  constexpr std::string_view kGemma = "com.microsoft.GemmaRotaryEmbedding";
  if (op_id == kGemma || find_operator(op_id) == nullptr) return std::nullopt;
  return IndexUse{"positionIds", {"cos", "sin"}};
}

}  // namespace wgk::ops
