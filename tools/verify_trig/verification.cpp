// See verification.h.
#include "verification.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "gemma_trig.h"
#include "oracle.h"

namespace wgk::verify_trig {
namespace {

constexpr std::uint64_t kAnglesPerChunk = std::uint64_t{1} << 20;
constexpr int kReportsPerChunk = 4;
constexpr std::chrono::milliseconds kProgressInterval{500};

std::string describe(std::uint32_t angle_bits, const SinCosHalf& got, const SinCosHalf& want) {
  char text[128];
  std::snprintf(text, sizeof text, "angle 0x%08x: cos 0x%04x, want 0x%04x; sin 0x%04x, want 0x%04x", angle_bits,
                got.cosine, want.cosine, got.sine, want.sine);
  return text;
}

/// Hands out chunks of the open part of the range and collects their counts in order.
class Run {
 public:
  Run(const Progress& start, const Options& options)
      : options_(options), progress_(start), first_(start.counts.checked), size_(start.range.size()) {}

  Progress finish() {
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1u, options_.threads); ++i) {
      workers.emplace_back([this] { work(); });
    }
    report_until_done();
    for (std::thread& worker : workers) {
      worker.join();
    }
    return progress_;
  }

 private:
  std::uint64_t chunk_count() const { return (size_ - first_ + kAnglesPerChunk - 1) / kAnglesPerChunk; }

  void work() {
    for (std::uint64_t chunk = next_chunk_++; chunk < chunk_count(); chunk = next_chunk_++) {
      const Counts counts = check_chunk(chunk);
      const std::lock_guard lock(mutex_);
      done_[chunk] = counts;
      for (auto next = done_.find(collected_); next != done_.end(); next = done_.find(collected_)) {
        progress_.counts += next->second;
        done_.erase(next);
        ++collected_;
      }
      changed_.notify_one();
    }
  }

  Counts check_chunk(std::uint64_t chunk) {
    const std::uint64_t begin = first_ + chunk * kAnglesPerChunk;
    const std::uint64_t end = std::min(begin + kAnglesPerChunk, size_);
    Counts counts;
    int reports = 0;
    for (std::uint64_t index = begin; index < end; ++index) {
      const auto bits = static_cast<std::uint32_t>(progress_.range.begin + index * progress_.range.stride);
      const SinCosHalf got = gemma_sin_cos(bits);
      const SinCosHalf want = oracle_sin_cos(bits, counts.fallbacks);
      counts.misrounded_cosines += got.cosine != want.cosine ? 1 : 0;
      counts.misrounded_sines += got.sine != want.sine ? 1 : 0;
      if ((got.cosine != want.cosine || got.sine != want.sine) && reports++ < kReportsPerChunk) {
        const std::lock_guard lock(mutex_);
        options_.on_mismatch(describe(bits, got, want));
      }
    }
    counts.checked = end - begin;
    return counts;
  }

  void report_until_done() {
    std::unique_lock lock(mutex_);
    auto due = std::chrono::steady_clock::now() + kProgressInterval;
    while (collected_ < chunk_count()) {
      changed_.wait_until(lock, due);
      if (std::chrono::steady_clock::now() >= due) {
        options_.on_progress(progress_);
        due += kProgressInterval;
      }
    }
    options_.on_progress(progress_);
  }

  const Options& options_;
  Progress progress_;  // counts guarded by mutex_
  const std::uint64_t first_;
  const std::uint64_t size_;
  std::atomic<std::uint64_t> next_chunk_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Counts> done_;  // chunks that wait for an earlier one; guarded by mutex_
  std::uint64_t collected_ = 0;           // guarded by mutex_
};

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  checked += other.checked;
  misrounded_cosines += other.misrounded_cosines;
  misrounded_sines += other.misrounded_sines;
  fallbacks += other.fallbacks;
  return *this;
}

Progress verify(const Progress& start, const Options& options) { return Run(start, options).finish(); }

}  // namespace wgk::verify_trig
