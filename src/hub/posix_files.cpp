// flock, fsync and renameat2.
#include "hub/posix_files.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace wgk::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPollInterval{20};

Error failed(const fs::path& file, int error) {
  return Error{ErrorCode::kUsage, fmt::format("{}: {}", file.string(), std::generic_category().message(error))};
}

int open_retrying(const fs::path& file, int flags) {
  int descriptor = -1;
  do {
    descriptor = ::open(file.c_str(), flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/// Where the two cannot be swapped at once: the old one steps aside first.
Status exchange_in_steps(const fs::path& source, const fs::path& target) {
  std::error_code error;
  fs::path aside = source;
  aside += ".old";
  fs::rename(target, aside, error);
  if (!error) fs::rename(source, target, error);
  if (!error) fs::rename(aside, source, error);
  if (error) return failed(target, error.value());
  return {};
}

}  // namespace

Result<FileLock> FileLock::acquire(const fs::path& file, std::chrono::milliseconds patience,
                                   const std::function<void()>& waiting) {
  const int descriptor = open_retrying(file, O_RDWR | O_CREAT);
  if (descriptor < 0) return failed(file, errno);
  FileLock lock(descriptor, false);
  const auto end = std::chrono::steady_clock::now() + patience;
  bool told = false;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return lock;
    if (!told && waiting) waiting();
    told = true;
    if (std::chrono::steady_clock::now() > end) {
      return Error{ErrorCode::kUsage, fmt::format("{}: another process has held this lock for {} s; end it, then try "
                                                  "again",
                                                  file.string(), patience.count() / 1000)};
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  lock.held_ = true;
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), held_(other.held_) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status write_new_file(const fs::path& file, std::string_view bytes) {
  const int descriptor = open_retrying(file, O_WRONLY | O_CREAT | O_EXCL);
  if (descriptor < 0) return failed(file, errno);
  int error = write_all(descriptor, bytes);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0) return {};
  ::unlink(file.c_str());
  return failed(file, error);
}

Status exchange(const fs::path& source, const fs::path& target) {
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, source.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return failed(target, errno);
#endif
  return exchange_in_steps(source, target);
}

}  // namespace wgk::hub
