// The threads of the CPU path: started by the first call that is large enough, joined with the device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace wgk::cpu {

/// Any thread may call run(). One call at a time has the helpers; others that come meanwhile do their work alone, so
/// that no more threads run than were asked for.
class ThreadPool {
 public:
  /// `limit` threads at most, the caller of run() being one; 0: as many as the machine runs at once, at most
  /// kMaxAutomatic. Starts none.
  explicit ThreadPool(unsigned limit = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned limit() const { return limit_; }
  /// How many helpers have been started so far.
  std::size_t started() const;

  /// Calls work(i) once for each i in [0, count) on up to `threads` threads and returns when all is done. `work` must
  /// not throw.
  template <typename Work>
  void run(std::size_t count, unsigned threads, const Work& work) {
    run_job(
        count, threads, [](const void* context, std::size_t i) { (*static_cast<const Work*>(context))(i); }, &work);
  }

  /// Copying between memory and memory saturates before this many.
  static constexpr unsigned kMaxAutomatic = 16;

 private:
  using Call = void (*)(const void* context, std::size_t index);

  struct Job {
    Call call;
    const void* context;
    std::size_t count;
    std::atomic<std::size_t> next{0};

    void drain();
  };

  void run_job(std::size_t count, unsigned threads, Call call, const void* context);
  void start_helpers(std::size_t wanted);
  void help();

  const unsigned limit_;
  std::mutex call_mutex_;  ///< held by the call that has the helpers

  mutable std::mutex mutex_;  ///< guards all below
  std::condition_variable work_;
  std::condition_variable idle_;
  Job* job_ = nullptr;
  std::size_t openings_ = 0;  ///< helpers that may still join the job
  std::size_t working_ = 0;   ///< helpers that have joined it and not left
  bool stop_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace wgk::cpu
