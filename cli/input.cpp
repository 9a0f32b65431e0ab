// What the command line reads: files, standard input, NAME=JSON assignments.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "cli.h"

namespace wgk::cli {
namespace {

Result<std::string> read_stream(std::FILE* file, const std::string& name) {
  std::string text;
  char buffer[65536];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) {
    text.append(buffer, n);
    if (text.size() > limits::kMaxRequestText) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{}: more than {} bytes (put large data in npy files)", name, limits::kMaxRequestText)};
    }
  }
  if (std::ferror(file) != 0) return Error{ErrorCode::kUsage, fmt::format("{}: {}", name, std::strerror(errno))};
  return text;
}

constexpr std::size_t kMaxName = 1000;

/// What was typed, for a message: its beginning says enough.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 100;
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return fmt::format("{}… ({} bytes)", text.substr(0, end), text.size());
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
  if (path == "-") return read_stream(stdin, "standard input");
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) return Error{ErrorCode::kUsage, fmt::format("{}: {}", path, std::strerror(errno))};
  return read_stream(file.get(), path);
}

Result<Request> read_request(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return text.error();
  const auto base = path == "-" ? std::filesystem::path() : std::filesystem::u8path(path).parent_path();
  return request_from_json(*text, base);
}

Status apply_assignments(const std::vector<std::string>& assignments, std::string_view option, Attributes& target) {
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{}: \"{}\" must be NAME=JSON, for example interleaved=1", option, shown(assignment))};
    }
    if (equals > kMaxName) {
      return Error{ErrorCode::kUsage,
                   fmt::format("{}: the name in \"{}\" has more than {} bytes", option, shown(assignment), kMaxName)};
    }
    auto value = attribute_from_json(std::string_view(assignment).substr(equals + 1));
    if (!value) {
      return Error{ErrorCode::kUsage, fmt::format("{} {}: {}", option, shown(assignment), value.error().message)};
    }
    target.insert_or_assign(assignment.substr(0, equals), *std::move(value));
  }
  return {};
}

}  // namespace wgk::cli
