// Results, errors and remarks of the command line, and where they go.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "write_file.h"

namespace wgk::cli {
namespace {

/// Nothing can be done about a stderr that takes no more; it must not end the program.
void say(const std::string& text) { static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr)); }

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
  say(fmt::format("wgk: {}\n", error.message));
  return exit_code(error.code);
}

bool write_stdout(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return true;
  say(fmt::format("wgk: standard output: {}\n", std::strerror(errno)));
  return false;
}

void note(std::string_view text) { say(fmt::format("wgk: {}\n", text)); }

CLI::Validator file_to_write() {
  return CLI::Validator(
      [](const std::string& name) { return name.empty() ? std::string("must name a file") : std::string(); }, "FILE");
}

int deliver(std::string_view text, const std::string& file, bool json) {
  if (file.empty()) return write_stdout(text) ? kExitOk : kExitUsage;
  const Status status = write_file(text, file);
  return status ? kExitOk : report(status.error(), json);
}

}  // namespace wgk::cli
