// A unit of work gathers the factors of its tokens once, in a buffer that fits the nearest cache, and uses them for all
// of its heads.
#include "cpu/rotary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/try.h"
#include "cpu/outputs.h"
#include "cpu/rotary_kernels.h"
#include "cpu/work_split.h"
#include "ops/positions.h"

namespace wgk::cpu {
namespace {

using ops::RotaryCall;

constexpr std::size_t kStreams = 3;
constexpr std::size_t kMaxTokens = 64;
constexpr std::size_t kFactors = 4096;  ///< of cos and of sin, in a unit
/// Outputs from this size on do not stay in the caches until someone reads them; measured, smaller ones lose by
/// streaming what larger ones win.
constexpr std::size_t kStreamedOutput = std::size_t{24} << 20;

std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

/// Where each stream's pairs lie, for pairs from `first` on: visit(stream, pair) for all, in any order of streams.
template <typename Visit>
void for_each_other_pair(const RotaryCall& call, std::size_t first, std::size_t pairs, Visit visit) {
  const std::size_t end = first + pairs;
  const auto temporal = at(call.sections[0]);
  const auto height = at(call.sections[1]);
  const auto width = at(call.sections[2]);
  const auto visit_range = [&](std::size_t stream, std::size_t from, std::size_t to, std::size_t step) {
    // The first member of from, from + step, … that is not before `first`.
    std::size_t p = from >= first ? from : from + (first - from + step - 1) / step * step;
    for (; p < std::min(to, end); p += step) visit(stream, p);
  };
  if (call.striped) {
    visit_range(1, 1, 3 * height, 3);
    visit_range(2, 2, 3 * width, 3);
  } else {
    visit_range(1, temporal, temporal + height, 1);
    visit_range(2, temporal + height, temporal + height + width, 1);
  }
}

class RotaryWork {
 public:
  RotaryWork(ops::RotaryKind kind, const RotaryCall& call, HostTensor& y, unsigned thread_limit)
      : call_(call),
        multimodal_(kind == ops::RotaryKind::kMultimodal),
        size_(size_of(call.element)),
        cache_size_(size_of(call.cache_element)),
        half_(at(call.half())),
        head_size_(at(call.head_size)),
        sequence_(at(call.sequence)),
        heads_(at(call.heads)),
        pairs_per_block_(std::min(half_, kFactors / 2)),
        tokens_per_block_(std::clamp<std::size_t>(kFactors / (2 * pairs_per_block_), 1, kMaxTokens)),
        stream_(y.data.size() >= kStreamedOutput && pairs_per_block_ == half_ &&
                head_size_ * size_ <= RotaryBlock::kMaxStreamedRow),
        y_(y.data.data()),
        split_(at(call.batch), sequence_, heads_, tokens_per_block_, 2 * y.data.size(), thread_limit) {
    if (call.positions != nullptr) positions_.emplace(*call.positions);
  }

  const WorkSplit& split() const { return split_; }

  void run_unit(std::size_t index) const {
    const WorkUnit unit = split_.unit(index);
    for (std::size_t first = 0; first < half_; first += pairs_per_block_) {
      run_block(unit, first, std::min(pairs_per_block_, half_ - first));
    }
  }

 private:
  /// One row of the caches for each stream, or nothing where the position is outside.
  struct TokenRows {
    std::array<std::optional<std::size_t>, kStreams> rows;

    bool all() const { return rows[0] && rows[1] && rows[2]; }
    bool none() const { return !rows[0] && !rows[1] && !rows[2]; }
  };

  struct Buffers {
    alignas(64) std::array<float, kFactors> cos;
    alignas(64) std::array<float, kFactors> sin;
    std::array<Factors, kMaxTokens> factors;
    std::array<TokenRows, kMaxTokens> tokens;
  };

  std::optional<std::size_t> row_at(std::size_t index) const {
    if (!positions_) return index;
    const std::int64_t position = positions_->at(index);  // compared in 64 bits: no value can alias a valid row
    if (position < 0 || position >= call_.cache_rows) return std::nullopt;
    return at(position);
  }

  TokenRows rows_of(std::size_t token) const {
    const auto first = row_at(token);
    if (!multimodal_) return {{first, first, first}};
    const std::size_t tokens = at(call_.batch) * sequence_;
    return {{first, row_at(tokens + token), row_at(2 * tokens + token)}};
  }

  /// Whether cache rows are factors as they lie in memory.
  bool direct() const {
    return !multimodal_ && !call_.interleaved && call_.cache_element == ops::RotaryElement::kFloat32;
  }

  const std::byte* cache_at(const HostTensor& cache, std::size_t row, std::size_t pair) const {
    return cache.data.data() + (row * half_ + pair) * cache_size_;
  }

  Factors direct_factors(std::size_t row, std::size_t first) const {
    return {reinterpret_cast<const float*>(cache_at(*call_.cos, row, first)),
            reinterpret_cast<const float*>(cache_at(*call_.sin, row, first))};
  }

  /// Cache values of the pairs from the rows of their streams. Pairs of a stream without a row get zeros.
  void gather(const HostTensor& cache, const TokenRows& token, std::size_t first, std::size_t pairs,
              std::byte* out) const {
    if (token.rows[0]) {
      std::memcpy(out, cache_at(cache, *token.rows[0], first), pairs * cache_size_);
    } else {
      std::memset(out, 0, pairs * cache_size_);
    }
    const auto pick = [&](auto* values) {
      using Value = std::remove_pointer_t<decltype(values)>;
      std::array<const std::byte*, kStreams> base{};
      for (std::size_t s = 1; s < kStreams; ++s) {
        if (token.rows[s]) base[s] = cache_at(cache, *token.rows[s], 0);
      }
      for_each_other_pair(call_, first, pairs, [&](std::size_t stream, std::size_t p) {
        Value value{};
        if (base[stream] != nullptr) std::memcpy(&value, base[stream] + p * sizeof(Value), sizeof(Value));
        std::memcpy(values + (p - first), &value, sizeof(Value));
      });
    };
    if (cache_size_ == 4) {
      pick(reinterpret_cast<std::uint32_t*>(out));
    } else {
      pick(reinterpret_cast<std::uint16_t*>(out));
    }
  }

  Factors expanded_factors(const TokenRows& token, std::size_t first, std::size_t pairs, float* cos, float* sin) const {
    std::array<std::uint32_t, kFactors / 2> cos_row, sin_row;  // wide enough for any element
    Expansion expansion;
    expansion.element = call_.cache_element;
    expansion.interleaved = call_.interleaved;
    expansion.scale = call_.scale;
    expansion.pairs = pairs;
    expansion.out_cos = cos;
    expansion.out_sin = sin;
    if (multimodal_) {
      gather(*call_.cos, token, first, pairs, reinterpret_cast<std::byte*>(cos_row.data()));
      gather(*call_.sin, token, first, pairs, reinterpret_cast<std::byte*>(sin_row.data()));
      expansion.cos = reinterpret_cast<const std::byte*>(cos_row.data());
      expansion.sin = reinterpret_cast<const std::byte*>(sin_row.data());
    } else {
      expansion.cos = cache_at(*call_.cos, *token.rows[0], first);
      expansion.sin = cache_at(*call_.sin, *token.rows[0], first);
    }
    expand(expansion);
    return {cos, sin};
  }

  void fill(Buffers& buffers, const WorkUnit& unit, std::size_t first, std::size_t pairs) const {
    const std::size_t stride = call_.interleaved ? 2 * pairs : pairs;
    for (std::size_t t = 0; t < unit.tokens; ++t) {
      const TokenRows token = rows_of(unit.batch * sequence_ + unit.first_token + t);
      buffers.tokens[t] = token;
      if (token.none()) {
        buffers.factors[t] = {};
      } else if (direct()) {
        buffers.factors[t] = direct_factors(*token.rows[0], first);
      } else {
        buffers.factors[t] =
            expanded_factors(token, first, pairs, buffers.cos.data() + t * stride, buffers.sin.data() + t * stride);
      }
    }
  }

  void run_block(const WorkUnit& unit, std::size_t first, std::size_t pairs) const {
    Buffers buffers;  // 37 KiB, left uninitialised
    fill(buffers, unit, first, pairs);
    RotaryBlock block;
    block.element = call_.element;
    block.interleaved = call_.interleaved;
    block.tokens = unit.tokens;
    block.token_stride = call_.heads_inside_token ? heads_ * head_size_ : head_size_;
    block.heads = unit.heads;
    block.head_stride = call_.heads_inside_token ? head_size_ : sequence_ * head_size_;
    block.factors = buffers.factors.data();
    block.stream = stream_;
    block.half = half_;
    block.first_pair = first;
    block.pairs = pairs;
    block.tail_begin = 2 * half_;
    block.tail = first + pairs == half_ ? head_size_ - 2 * half_ : 0;
    const std::size_t start = unit.batch * sequence_ * heads_ * head_size_ + unit.first_token * block.token_stride +
                              unit.first_head * block.head_stride;
    block.x = call_.x->data.data() + start * size_;
    block.y = y_ + start * size_;
    rotate(block);
    for (std::size_t t = 0; t < unit.tokens; ++t) {
      if (!buffers.tokens[t].all() && !buffers.tokens[t].none()) restore(block, buffers.tokens[t], t);
    }
  }

  /// Copies the pairs of the streams that have no row.
  void restore(const RotaryBlock& block, const TokenRows& token, std::size_t t) const {
    const auto copy_pair = [&](std::size_t row, std::size_t p) {
      const std::size_t i0 = row + (call_.interleaved ? 2 * p : p);
      const std::size_t i1 = call_.interleaved ? i0 + 1 : i0 + half_;
      std::memcpy(block.y + i0 * size_, block.x + i0 * size_, size_);
      std::memcpy(block.y + i1 * size_, block.x + i1 * size_, size_);
    };
    std::array<std::uint8_t, kFactors / 2> streams{};
    for_each_other_pair(call_, block.first_pair, block.pairs, [&](std::size_t stream, std::size_t p) {
      streams[p - block.first_pair] = static_cast<std::uint8_t>(stream);
    });
    for (std::size_t head = 0; head < block.heads; ++head) {
      const std::size_t row = t * block.token_stride + head * block.head_stride;
      for (std::size_t i = 0; i < block.pairs; ++i) {
        if (!token.rows[streams[i]]) copy_pair(row, block.first_pair + i);
      }
    }
  }

  const RotaryCall& call_;
  bool multimodal_;
  std::size_t size_, cache_size_;
  std::size_t half_, head_size_, sequence_, heads_;
  std::size_t pairs_per_block_, tokens_per_block_;
  bool stream_;
  std::byte* y_;
  std::optional<ops::Positions> positions_;
  WorkSplit split_;
};

/// An odd number of bfloat16 elements leaves half of the last word, which belongs to no row.
void copy_padding(const RotaryCall& call, HostTensor& y) {
  if (call.element != ops::RotaryElement::kBfloat16 || y.data.empty()) return;
  const std::size_t last = y.data.size() - size_of(call.element);
  if (at(element_count(call.shape).value_or(0)) % 2 != 0) {
    std::memcpy(y.data.data() + last, call.x->data.data() + last, size_of(call.element));
  }
}

}  // namespace

Status compute_rotary(ops::RotaryOperator op, const ops::OpCall& call, ThreadPool& threads, ops::OpOutputs& outputs) {
  ops::OpCall trusted_values = call;
  trusted_values.check_values = false;
  trusted_values.host_data = true;
  WGK_TRY(const RotaryCall rotary, ops::resolve_rotary(op, trusted_values, nullptr));
  output_like(outputs, 0, op.output(), *rotary.x);
  outputs.resize(1);
  HostTensor& y = outputs[0].second;
  if (rotary.empty()) return {};
  const RotaryWork work(op.kind, rotary, y, threads.limit());
  threads.run(work.split().count(), work.split().threads(), [&](std::size_t unit) { work.run_unit(unit); });
  copy_padding(rotary, y);
  return {};
}

}  // namespace wgk::cpu
