// A call waits only for helpers that have joined it: one that the system wakes late finds the work done and costs
// nothing.
#include "cpu/thread_pool.h"

#include <algorithm>
#include <system_error>

namespace wgk::cpu {
namespace {

unsigned automatic_limit() { return std::clamp(std::thread::hardware_concurrency(), 1u, ThreadPool::kMaxAutomatic); }

}  // namespace

ThreadPool::ThreadPool(unsigned limit) : limit_(limit == 0 ? automatic_limit() : limit) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

std::size_t ThreadPool::started() const {
  const std::lock_guard lock(mutex_);
  return helpers_.size();
}

void ThreadPool::Job::drain() {
  for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
       i = next.fetch_add(1, std::memory_order_relaxed)) {
    call(context, i);
  }
}

void ThreadPool::run_job(std::size_t count, unsigned threads, Call call, const void* context) {
  Job job{call, context, count};
  const std::size_t wanted = std::min<std::size_t>({threads, limit_, count});
  std::unique_lock turn(call_mutex_, std::defer_lock);
  if (wanted < 2 || !turn.try_lock()) {
    job.drain();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    start_helpers(wanted - 1);
    job_ = &job;
    openings_ = std::min(wanted - 1, helpers_.size());
  }
  for (std::size_t i = 1; i < wanted; ++i) work_.notify_one();
  job.drain();
  std::unique_lock lock(mutex_);
  job_ = nullptr;
  openings_ = 0;
  idle_.wait(lock, [this] { return working_ == 0; });
}

void ThreadPool::start_helpers(std::size_t wanted) {
  try {
    while (helpers_.size() < wanted) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there, at least the caller's own, do the work.
  }
}

void ThreadPool::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stop_ || openings_ > 0; });
    if (stop_) return;
    --openings_;
    ++working_;
    Job& job = *job_;
    lock.unlock();
    job.drain();
    lock.lock();
    if (--working_ == 0) idle_.notify_one();
  }
}

}  // namespace wgk::cpu
