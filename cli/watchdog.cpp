// The limits on time and memory of GPU work.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#if defined(__linux__)
#include <unistd.h>
#endif

#include <fmt/format.h>

#include "cli.h"

namespace wgk::cli {
namespace {

constexpr auto kMemoryInterval = std::chrono::milliseconds(20);
/// LLVM needs tens of megabytes for the kernels we know.
constexpr std::uint64_t kCompilerBytes = std::uint64_t{320} << 20;
/// A software adapter holds tensors in this process: upload, buffer, read-back and result.
constexpr std::uint64_t kCopiesOfTensors = 4;
constexpr std::uint64_t kMostTensorBytes = std::uint64_t{1} << 50;  ///< so that nothing overflows

/// What the process has in memory; 0 where the system does not tell, which leaves the time limit alone.
std::uint64_t resident_bytes() {
#if defined(__linux__)
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream statm("/proc/self/statm");
  if (statm >> total >> resident) return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
#endif
  return 0;
}

}  // namespace

Watchdog::Watchdog(double seconds, bool json) : seconds_(seconds), json_(json), thread_([this] { wait(); }) {}

Watchdog::~Watchdog() { stop(); }

void Watchdog::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::restart() {
  {
    const std::lock_guard lock(mutex_);
    ++turn_;
  }
  changed_.notify_one();
}

void Watchdog::limit_memory(std::uint64_t tensor_bytes) {
  const std::uint64_t now = resident_bytes();
  const std::uint64_t tensors = std::min(tensor_bytes, kMostTensorBytes) * kCopiesOfTensors;
  const std::lock_guard lock(mutex_);
  most_bytes_ = now + kCompilerBytes + tensors;
}

void Watchdog::wait() {
  using Clock = std::chrono::steady_clock;
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_));
  std::unique_lock lock(mutex_);
  unsigned turn = turn_;
  Clock::time_point end = Clock::now() + limit;
  while (!done_) {
    changed_.wait_until(lock, std::min(end, Clock::now() + kMemoryInterval), [&] { return done_ || turn_ != turn; });
    if (done_) return;
    if (turn_ != turn) {
      turn = turn_;
      end = Clock::now() + limit;
    }
    if (resident_bytes() > most_bytes_) {
      end_process(
          "compiling or running a shader took more memory than the tensors and a compiler can need, so the process "
          "ends");
    }
    if (Clock::now() < end) continue;
    end_process(
        fmt::format("the work did not finish within {} s (--timeout); a shader that never ends cannot be "
                    "interrupted, so the process ends",
                    seconds_));
  }
}

void Watchdog::end_process(const std::string& message) const {
  std::_Exit(report(Error{ErrorCode::kDevice, message}, json_));
}

}  // namespace wgk::cli
