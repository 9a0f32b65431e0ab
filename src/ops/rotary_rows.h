// Walking a rotary call token by token: the cache values of a token are gathered once and serve all of its heads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ops/positions.h"
#include "ops/rotary_math.h"

namespace wgk::ops {

/// The factors of one token.
template <typename Math>
struct RotaryRow {
  std::vector<typename Math::Wide> cos;
  std::vector<typename Math::Wide> sin;
  std::vector<std::uint8_t> rotates;  ///< 0: the position of the pair is outside the cache, the pair stays as it is
};

/// The two elements of pair p within a head.
struct PairElements {
  std::size_t first;
  std::size_t second;
};

template <bool kInterleaved>
constexpr PairElements elements_of_pair(std::size_t pair, std::size_t half) {
  if constexpr (kInterleaved) return {2 * pair, 2 * pair + 1};
  return {pair, pair + half};
}

/// Fills rows from the caches. The call is not empty.
template <typename Math>
class RotaryRowReader {
 public:
  RotaryRowReader(RotaryKind kind, const RotaryCall& call)
      : call_(call),
        cos_(elements_of<typename Math::Cache>(*call.cos)),
        sin_(elements_of<typename Math::Cache>(*call.sin)),
        streams_(stream_of_slots(kind, call)) {
    if (call.positions != nullptr) positions_.emplace(*call.positions);
  }

  /// `token` is batch * sequence length + place in the sequence.
  void read(std::size_t token, RotaryRow<Math>& row) const {
    const auto half = static_cast<std::size_t>(call_.half());
    row.cos.assign(half, 0);
    row.sin.assign(half, 0);
    row.rotates.assign(half, 0);
    const auto tokens = static_cast<std::size_t>(call_.batch * call_.sequence);
    for (std::size_t p = 0; p < half; ++p) {
      const std::optional<std::size_t> base = row_start(streams_[p] * tokens + token);
      if (!base) continue;
      row.cos[p] = Math::widen_factor(factor(cos_[*base + p]));
      row.sin[p] = Math::widen_factor(factor(sin_[*base + p]));
      row.rotates[p] = 1;
    }
  }

 private:
  /// Offset of the cache row; the position is compared in 64 bits, so no value can alias a valid row.
  std::optional<std::size_t> row_start(std::size_t index) const {
    const auto half = static_cast<std::size_t>(call_.half());
    if (!positions_) return index * half;
    const std::int64_t position = positions_->at(index);
    if (position < 0 || position >= call_.cache_rows) return std::nullopt;
    return static_cast<std::size_t>(position) * half;
  }

  typename Math::Cache factor(typename Math::Cache value) const {
    return call_.scale == 1.0f ? value : Math::scaled(value, call_.scale);
  }

  const RotaryCall& call_;
  std::span<const typename Math::Cache> cos_;
  std::span<const typename Math::Cache> sin_;
  std::vector<std::uint8_t> streams_;
  std::optional<Positions> positions_;
};

/// Calls visit(row, head_start) for every head of every token; head_start is the offset of its first element. Stops
/// when visit returns false. The call is not empty.
template <typename Math, typename Visit>
void for_each_head(RotaryKind kind, const RotaryCall& call, Visit visit) {
  const auto batch = static_cast<std::size_t>(call.batch);
  const auto sequence = static_cast<std::size_t>(call.sequence);
  const auto heads = static_cast<std::size_t>(call.heads);
  const auto head_size = static_cast<std::size_t>(call.head_size);
  const std::size_t token_stride = call.heads_inside_token ? heads * head_size : head_size;
  const std::size_t head_stride = call.heads_inside_token ? head_size : sequence * head_size;

  const RotaryRowReader<Math> reader(kind, call);
  RotaryRow<Math> row;
  for (std::size_t b = 0; b < batch; ++b) {
    const std::size_t batch_start = b * sequence * heads * head_size;
    for (std::size_t s = 0; s < sequence; ++s) {
      reader.read(b * sequence + s, row);
      std::size_t head_start = batch_start + s * token_stride;
      for (std::size_t n = 0; n < heads; ++n, head_start += head_stride) {
        if (!visit(row, head_start)) return;
      }
    }
  }
}

}  // namespace wgk::ops
