// The thread pool: every index once, no more threads than asked for, none before they are needed.
#include "cpu/thread_pool.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/work_split.h"

namespace wgk::cpu::testing {
namespace {

TEST(CpuThreads, EveryIndexRunsOnce) {
  ThreadPool threads(4);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 1000u}) {
    std::vector<std::atomic<int>> runs(count);
    threads.run(count, 4, [&](std::size_t i) { ++runs[i]; });
    for (const auto& n : runs) EXPECT_EQ(n, 1);
  }
}

TEST(CpuThreads, NoneStartBeforeTheyAreNeeded) {
  ThreadPool threads(8);
  EXPECT_EQ(threads.started(), 0u);
  threads.run(100, 1, [](std::size_t) {});
  EXPECT_EQ(threads.started(), 0u) << "one thread is the caller's own";
  threads.run(3, 8, [](std::size_t) {});
  EXPECT_EQ(threads.started(), 2u) << "no more than there is work";
  threads.run(100, 4, [](std::size_t) {});
  EXPECT_EQ(threads.started(), 3u) << "no more than were asked for";
  threads.run(100, 100, [](std::size_t) {});
  EXPECT_EQ(threads.started(), 7u) << "no more than the limit";
}

TEST(CpuThreads, TheAutomaticLimitIsBounded) {
  const ThreadPool threads;
  EXPECT_GE(threads.limit(), 1u);
  EXPECT_LE(threads.limit(), ThreadPool::kMaxAutomatic);
  EXPECT_EQ(ThreadPool(3).limit(), 3u);
}

TEST(CpuThreads, CallersFromManyThreadsAllGetTheirWorkDone) {
  ThreadPool threads(3);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::atomic<std::size_t> sum{0};
  const auto call = [&] {
    for (int round = 0; round < 50; ++round) {
      threads.run(20, 3, [&](std::size_t i) {
        const int now = ++running;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        sum += i;
        --running;
      });
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) callers.emplace_back(call);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4u * 50u * 190u);
  EXPECT_LE(most, 4 + 2) << "four callers and the two helpers";
}

TEST(CpuThreads, ManyShortLives) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool threads(3);
    std::atomic<int> count{0};
    threads.run(7, 3, [&](std::size_t) { ++count; });
    EXPECT_EQ(count, 7);
  }
}

/// Every (batch, token, head) is in one unit.
TEST(CpuWorkSplit, UnitsCoverTheCallOnce) {
  struct Case {
    std::size_t batches, sequence, heads, max_tokens, bytes;
    unsigned limit;
  };
  constexpr std::size_t kLarge = std::size_t{1} << 30;
  for (const Case& c : {Case{1, 1, 1, 64, 8, 16}, Case{2, 130, 5, 64, kLarge, 1}, Case{2, 130, 5, 64, kLarge, 3},
                        Case{1, 1, 32, 64, kLarge, 8}, Case{3, 2, 7, 1, kLarge, 16}, Case{1, 7, 1, 3, kLarge, 64}}) {
    const WorkSplit split(c.batches, c.sequence, c.heads, c.max_tokens, c.bytes, c.limit);
    EXPECT_LE(split.threads(), c.limit);
    std::vector<int> covered(c.batches * c.sequence * c.heads);
    for (std::size_t i = 0; i < split.count(); ++i) {
      const WorkUnit unit = split.unit(i);
      EXPECT_LE(unit.tokens, c.max_tokens);
      for (std::size_t t = unit.first_token; t < unit.first_token + unit.tokens; ++t) {
        for (std::size_t h = unit.first_head; h < unit.first_head + unit.heads; ++h) {
          ++covered.at((unit.batch * c.sequence + t) * c.heads + h);
        }
      }
    }
    for (const int times : covered) EXPECT_EQ(times, 1);
  }
}

TEST(CpuWorkSplit, SmallCallsStayOnOneThread) {
  const auto threads = [](std::size_t bytes) { return WorkSplit(1, 64, 8, 16, bytes, 16).threads(); };
  EXPECT_EQ(threads(100), 1u);
  EXPECT_EQ(threads(2 * WorkSplit::kBytesPerThread - 1), 1u);
  EXPECT_EQ(threads(2 * WorkSplit::kBytesPerThread), 2u);
  EXPECT_EQ(threads(std::size_t{1} << 30), 16u);
}

}  // namespace
}  // namespace wgk::cpu::testing
