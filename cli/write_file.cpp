// A temporary sibling and a rename where that is right, a plain write where it is not.
#include "write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>

#include <fmt/format.h>

namespace wgk::cli {
namespace {

namespace fs = std::filesystem;

/// Creates a file that did not exist beside `path`; its name comes back through `name`.
std::FILE* open_sibling(const fs::path& path, fs::path& name) {
  std::random_device random;
  for (int attempt = 0; attempt < 8; ++attempt) {
    name = path;
    name += fmt::format(".{:08x}.tmp", random());
    if (std::FILE* file = std::fopen(name.string().c_str(), "wbx")) return file;
    if (errno != EEXIST) break;
  }
  return nullptr;
}

/// Writes and closes; the reason when that fails, empty otherwise.
std::string write_and_close(std::FILE* out, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const int write_error = errno;
  if (std::fclose(out) != 0 && written) return std::strerror(errno);
  return written ? std::string() : std::strerror(write_error);
}

std::string write_in_place(std::string_view text, const fs::path& target) {
  std::FILE* out = std::fopen(target.string().c_str(), "wb");
  return out == nullptr ? std::strerror(errno) : write_and_close(out, text);
}

std::string write_and_rename(std::string_view text, const fs::path& target, const fs::file_status& old) {
  fs::path sibling;
  std::FILE* out = open_sibling(target, sibling);
  if (out == nullptr) return std::strerror(errno);
  std::string reason = write_and_close(out, text);
  std::error_code error;
  if (reason.empty() && fs::exists(old)) fs::permissions(sibling, old.permissions(), error);
  if (reason.empty() && !error) fs::rename(sibling, target, error);
  if (reason.empty() && error) reason = error.message();
  if (!reason.empty()) fs::remove(sibling, error);
  return reason;
}

/// What a symbolic link names, whether that exists or not.
fs::path behind_links(fs::path path) {
  constexpr int kMaxLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;
  }
  return path;
}

}  // namespace

Status write_file(std::string_view text, const std::string& file) {
  std::error_code error;
  const fs::path target = behind_links(fs::u8path(file));
  const fs::file_status old = fs::status(target, error);
  if (old.type() == fs::file_type::none) {
    return Error{ErrorCode::kUsage, fmt::format("{}: {}", file, error.message())};
  }
  const bool in_place = fs::exists(old) && !fs::is_regular_file(old);
  const std::string reason = in_place ? write_in_place(text, target) : write_and_rename(text, target, old);
  if (reason.empty()) return {};
  return Error{ErrorCode::kUsage, fmt::format("{}: {}", file, reason)};
}

}  // namespace wgk::cli
