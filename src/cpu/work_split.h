// Cutting a call of [batch, heads, sequence] rows into units that threads take one after the other.
#pragma once

#include <algorithm>
#include <cstddef>

namespace wgk::cpu {

/// A unit is a run of tokens of one batch in a run of heads.
struct WorkUnit {
  std::size_t batch, first_token, tokens, first_head, heads;
};

class WorkSplit {
 public:
  /// Below this many bytes of traffic, waking a thread takes longer than its share of the work.
  static constexpr std::size_t kBytesPerThread = std::size_t{256} << 10;

  /// `max_tokens`: of a unit. `bytes`: what the call reads and writes. No argument is 0.
  WorkSplit(std::size_t batches, std::size_t sequence, std::size_t heads, std::size_t max_tokens, std::size_t bytes,
            unsigned thread_limit)
      : sequence_(sequence), heads_(heads), tokens_(std::min(max_tokens, sequence)) {
    const std::size_t useful = std::max<std::size_t>(1, bytes / kBytesPerThread);
    threads_ = static_cast<unsigned>(std::min<std::size_t>(thread_limit, useful));
    token_runs_ = ceil_div(sequence, tokens_);
    // Several units per thread even out what threads lose to other work of the machine. Heads are cut only where tokens
    // do not suffice, because each run of heads computes the factors of its tokens again.
    const std::size_t wanted = threads_ == 1 ? 1 : 4 * std::size_t{threads_};
    const std::size_t have = batches * token_runs_;
    head_run_ = ceil_div(heads, std::min(heads, ceil_div(wanted, have)));
    head_runs_ = ceil_div(heads, head_run_);
    count_ = have * head_runs_;
  }

  std::size_t count() const { return count_; }
  unsigned threads() const { return threads_; }

  WorkUnit unit(std::size_t index) const {
    const std::size_t head = index % head_runs_ * head_run_;
    const std::size_t run = index / head_runs_;
    const std::size_t token = run % token_runs_ * tokens_;
    return {run / token_runs_, token, std::min(tokens_, sequence_ - token), head, std::min(head_run_, heads_ - head)};
  }

 private:
  static constexpr std::size_t ceil_div(std::size_t a, std::size_t b) { return a / b + (a % b != 0 ? 1 : 0); }

  std::size_t sequence_, heads_, tokens_;
  unsigned threads_ = 1;
  std::size_t token_runs_ = 0, head_run_ = 0, head_runs_ = 0, count_ = 0;
};

}  // namespace wgk::cpu
