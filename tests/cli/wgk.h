// Running the built wgk in tests.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/package_folder.h"
#include "support/subprocess.h"

namespace wgk::test {

using nlohmann::json;

inline std::string kernels_folder() { return std::string(WGK_SOURCE_DIR) + "/kernels"; }
inline std::string rope_package() { return kernels_folder() + "/ai.onnx.RotaryEmbedding"; }

inline ProcessResult wgk(std::vector<std::string> arguments, ProcessOptions options = {}) {
  arguments.insert(arguments.begin(), std::string(WGK_BINARY_DIR) + "/wgk");
  options.environment.emplace_back("WGK_KERNELS_PATH", kernels_folder());
  return run_process(arguments, options);
}

/// `wgk run PACKAGE --request - --json` with `request` on standard input.
inline ProcessResult wgk_run(const std::string& package, const json& request, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"run", package, "--request", "-", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ProcessOptions options;
  options.input = request.is_string() ? request.get<std::string>() : request.dump();
  return wgk(std::move(arguments), std::move(options));
}

/// Standard output as JSON; a test failure and null when it is none.
inline json parse_output(const ProcessResult& result) {
  json parsed = json::parse(result.out, nullptr, false);
  if (parsed.is_discarded()) {
    ADD_FAILURE() << "stdout is not JSON: " << result.out << "\nstderr: " << result.err;
    return nullptr;
  }
  return parsed;
}

/// The error that the process must report on both streams; its message.
inline std::string expect_error(const ProcessResult& result, int exit_code, const std::string& code,
                                const std::string& part) {
  EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
  const json parsed = parse_output(result);
  if (!parsed.is_object() || !parsed.contains("error")) {
    ADD_FAILURE() << "no error object: " << result.out;
    return {};
  }
  const auto message = parsed["error"].value("message", "");
  EXPECT_EQ(parsed["error"].value("code", ""), code);
  EXPECT_NE(message.find(part), std::string::npos) << "message: " << message << "\nwant it to contain: " << part;
  EXPECT_NE(result.err.find(message), std::string::npos) << "stderr does not hold the message: " << result.err;
  return message;
}

/// A small valid request of ai.onnx.RotaryEmbedding. Expected y, by hand: positions 1 and 2 pick rows (0,1)/(1,0) and
/// (-1,0)/(0,1), so neighbours rotate to -2 1 3 4 and -5 -6 -8 7.
inline json rope_request() {
  return {{"inputs",
           {{"x", {{"dtype", "float32"}, {"shape", {1, 1, 2, 4}}, {"data", {1, 2, 3, 4, 5, 6, 7, 8}}}},
            {"cos", {{"dtype", "float32"}, {"shape", {3, 2}}, {"data", {1, 1, 0, 1, -1, 0}}}},
            {"sin", {{"dtype", "float32"}, {"shape", {3, 2}}, {"data", {0, 0, 1, 0, 0, 1}}}},
            {"positionIds", {{"dtype", "int64"}, {"shape", {1, 2}}, {"data", {1, 2}}}}}},
          {"attrs", {{"interleaved", 1}}}};
}

inline json rope_result() { return {-2, 1, 3, 4, -5, -6, -8, 7}; }

/// Whether this machine has a software adapter; asked once. A machine that must have one fails the test instead.
inline bool has_software_adapter() {
  static const bool kFound = [] {
    const auto result = wgk({"devices", "--json"});
    return result.exit_code == 0 && result.out.find("\"kind\":\"software\"") != std::string::npos;
  }();
  return kFound;
}

#define WGK_NEEDS_SOFTWARE_ADAPTER()                                                          \
  if (!::wgk::test::has_software_adapter()) {                                                 \
    if (std::getenv("WGK_REQUIRE_ADAPTER") != nullptr) FAIL() << "no software adapter found"; \
    GTEST_SKIP() << "no software adapter";                                                    \
  }                                                                                           \
  static_assert(true)

}  // namespace wgk::test
