// What a PreparedFuture holds.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <wgk/prepared.hpp>

namespace wgk::inline v0 {

/// The thread writes `result` under the mutex; the destructor joins it.
struct PreparedFuture::Impl {
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  std::optional<Result<Prepared>> result;  ///< empty again once taken
  std::thread thread;

  void finish(Result<Prepared> outcome) {
    const std::lock_guard lock(mutex);
    result.emplace(std::move(outcome));
    done = true;
    finished.notify_all();
  }
  ~Impl() {
    if (thread.joinable()) thread.join();
  }
};

}  // namespace wgk::inline v0
