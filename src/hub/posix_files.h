// What the cache needs of the file system beyond std::filesystem. The one POSIX file of this layer is its home.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string_view>

#include <wgk/status.hpp>

namespace wgk::hub {

/// An exclusive lock on a file, held until destruction or the end of the process, however that comes.
class FileLock {
 public:
  /// Waits; calls `waiting` once when it has to. Without locks on the file system it goes on unlocked: is_held() tells.
  /// Errors: kUsage, when the file cannot be made, or another process holds it for longer than `patience`.
  static Result<FileLock> acquire(const std::filesystem::path& file, std::chrono::milliseconds patience,
                                  const std::function<void()>& waiting);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  bool is_held() const { return held_; }

 private:
  FileLock(int descriptor, bool held) : descriptor_(descriptor), held_(held) {}
  int descriptor_;
  bool held_;
};

/// Writes a new file and makes sure that it is on the disk. Error: kUsage, "<file>: <reason>".
Status write_new_file(const std::filesystem::path& file, std::string_view bytes);

/// Puts `source` where `target` is, so that a reader sees either the one or the other; what was there ends up at
/// `source`. Error: kUsage.
Status exchange(const std::filesystem::path& source, const std::filesystem::path& target);

}  // namespace wgk::hub
