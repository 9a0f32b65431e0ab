// The time limit on GPU work.
#include <chrono>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "cli.h"

namespace wgk::cli {

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

void Watchdog::wait() {
  const auto limit =
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds_));
  std::unique_lock lock(mutex_);
  while (!done_) {
    const unsigned turn = turn_;
    if (changed_.wait_for(lock, limit, [&] { return done_ || turn_ != turn; })) continue;
    const Error error{ErrorCode::kDevice,
                      fmt::format("the work did not finish within {} s (--timeout); a shader that never ends cannot be "
                                  "interrupted, so the process ends",
                                  seconds_)};
    std::_Exit(report(error, json_));
  }
}

}  // namespace wgk::cli
