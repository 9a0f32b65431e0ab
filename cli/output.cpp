// Results, errors and remarks of the command line, and where they go.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli.h"

namespace wgk::cli {
namespace {

/// Creates a file that did not exist beside `path`; its name comes back through `name`.
std::FILE* open_sibling(const std::filesystem::path& path, std::filesystem::path& name) {
  std::random_device random;
  for (int attempt = 0; attempt < 8; ++attempt) {
    name = path;
    name += fmt::format(".{:08x}.tmp", random());
    if (std::FILE* file = std::fopen(name.string().c_str(), "wbx")) return file;
    if (errno != EEXIST) break;
  }
  return nullptr;
}

Status write_file(std::string_view text, const std::string& file) {
  const auto failed = [&](const std::string& reason) {
    return Error{ErrorCode::kUsage, fmt::format("--output: {}: {}", file, reason)};
  };
  const std::filesystem::path target = std::filesystem::u8path(file);
  std::filesystem::path sibling;
  std::FILE* out = open_sibling(target, sibling);
  if (out == nullptr) return failed(std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = std::fclose(out) == 0;
  std::error_code error;
  if (written && closed) {
    std::filesystem::rename(sibling, target, error);
    if (!error) return {};
  }
  const std::string reason = error ? error.message() : std::strerror(errno);
  std::filesystem::remove(sibling, error);
  return failed(reason);
}

}  // namespace

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCheckFailed:
      return kExitCheckFailed;
    case ErrorCode::kUsage:
      return kExitUsage;
    case ErrorCode::kPackage:
      return 3;
    case ErrorCode::kRequest:
      return 4;
    case ErrorCode::kDevice:
      return 5;
  }
  return kExitUsage;
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

int report(const Error& error, bool json) {
  if (json) {
    write_stdout(fmt::format("{{\"error\":{{\"code\":\"{}\",\"message\":{}}}}}\n", error_code_name(error.code),
                             json_string(error.message)));
  }
  fmt::print(stderr, "wgk: {}\n", error.message);
  return exit_code(error.code);
}

bool write_stdout(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return true;
  fmt::print(stderr, "wgk: standard output: {}\n", std::strerror(errno));
  return false;
}

void note(std::string_view text) { fmt::print(stderr, "wgk: {}\n", text); }

int deliver(std::string_view text, const std::string& file, bool json) {
  if (file.empty()) return write_stdout(text) ? kExitOk : kExitUsage;
  const Status status = write_file(text, file);
  return status ? kExitOk : report(status.error(), json);
}

}  // namespace wgk::cli
