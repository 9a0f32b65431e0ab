// Reading a file that a package names, without leaving the package: the file is opened once, and what was opened (not
// what its name meant earlier) is checked. The only file of this layer that uses POSIX.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "package/hub_cache.h"
#include "package/identifiers.h"
#include "package/sources.h"

namespace wgk::package {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool is_contained(const fs::path& file, const fs::path& root) {
  return is_inside(file, root) || is_cached_content(file, root);
}

Error cannot_read(std::string_view path, std::string_view reason) {
  return Error{ErrorCode::kPackage, fmt::format("cannot read build/webgpu/{}: {}", path, reason)};
}

Error outside(std::string_view path) {
  return Error{ErrorCode::kPackage, fmt::format("{} resolves outside the package", path)};
}

/// The format gives this the text of a file outside; what it is stands behind that.
Error not_a_file(std::string_view path, mode_t mode) {
  return Error{ErrorCode::kPackage, fmt::format("{}: it is {}, not a regular file", outside(path).message,
                                                S_ISDIR(mode)    ? "a folder"
                                                : S_ISFIFO(mode) ? "a pipe"
                                                                 : "a device")};
}

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace

Result<std::string> read_contained(const fs::path& folder, std::string_view path, std::uint64_t limit) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return cannot_read(path, error.message());
  return read_inside(root, path, limit);
}

Result<std::string> read_inside(const fs::path& root, std::string_view path, std::uint64_t limit) {
  if (!is_canonical_path(path) || !is_portable_path(path)) return outside(path);
  std::error_code error;
  const fs::path file = fs::canonical(root / path, error);
  if (error) return cannot_read(path, error.message());
  if (!is_contained(file, root)) return outside(path);

  // O_NONBLOCK: opening a FIFO must not wait for a writer. O_NOFOLLOW: the resolved name may have become a link since.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (descriptor.get() < 0) return errno == ELOOP ? outside(path) : cannot_read(path, reason_of(errno));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return cannot_read(path, reason_of(errno));
  if (!S_ISREG(status.st_mode)) return not_a_file(path, status.st_mode);
  // A folder on the way may have been replaced between resolving and opening.
  const fs::path opened = fs::read_symlink(fmt::format("/proc/self/fd/{}", descriptor.get()), error);
  if (!error && opened.is_absolute() && !is_contained(opened, root)) return outside(path);

  const auto size = static_cast<std::uint64_t>(status.st_size);
  const auto too_large = [&](std::uint64_t bytes) {
    return Error{ErrorCode::kPackage, fmt::format("{} is {} bytes; the limit is {}", path, bytes, limit)};
  };
  if (size > limit) return too_large(size);
  // One byte more than expected, so that a file that grows meanwhile is noticed.
  std::string bytes(static_cast<std::size_t>(size) + 1, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(descriptor.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, reason_of(errno));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (have > size) return cannot_read(path, "the file changed while it was read");
  bytes.resize(have);
  return bytes;
}

}  // namespace wgk::package
