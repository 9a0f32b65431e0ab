// Which inputs of an operator are rows of a table that another input picks from: what makes sensible values for the
// index, and how much of the table a call reads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <wgk/tensor.hpp>

namespace wgk::ops {

/// Keys are bind keys.
struct IndexUse {
  std::string_view index;
  std::array<std::string_view, 2> tables;
};

/// nullopt: the operator is unknown or reads every input whole.
std::optional<IndexUse> index_use(std::string_view op_id);

}  // namespace wgk::ops
