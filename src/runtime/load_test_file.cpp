// Finds, reads and checks the test.json of a loaded package.
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <wgk/limits.hpp>
#include <wgk/test_cases.hpp>

#include "base/sha256.h"
#include "base/try.h"
#include "package/model.h"
#include "package/sources.h"

namespace wgk::inline v0 {
namespace {

namespace fs = std::filesystem;


Error bad(const std::string& location, std::string_view reason) {
  return Error{ErrorCode::kPackage, fmt::format("{}: {}", location, reason)};
}

/// The folder that holds manifest.json: what a location may name directly.
fs::path package_root(const std::string& location) {
  const fs::path folder = fs::u8path(location);
  std::error_code ignored;
  return fs::is_directory(folder / "build" / "webgpu", ignored) ? folder / "build" / "webgpu" : folder;
}

Result<std::string> read_test_file(const std::string& location) {
  const fs::path root = package_root(location);
  std::error_code ignored;
  if (!fs::exists(root / "test.json", ignored)) return bad(location, "has no build/webgpu/test.json");
  auto text = package::read_contained(root, "test.json", limits::kMaxTestFileBytes);
  if (!text) return bad(location, text.error().message);
  return text;
}

Status check_digest(const package::LoadedPackage& package, const std::string& text) {
  const auto listed = package.digests.find("test.json");
  if (listed == package.digests.end()) return bad(package.location, "metadata digest.files does not include test.json");
  const std::string digest = base::sha256_base64(text);
  if (digest == listed->second) return {};
  return bad(package.location, fmt::format("test.json does not match metadata.digest.files (got {})", digest));
}

}  // namespace

Result<TestCases> TestCases::load(const Package& package, const std::function<bool(std::string_view)>& wanted) {
  const std::string& location = package.location();
  WGK_TRY(const std::string text, read_test_file(location));
  WGK_CHECK(check_digest(*package.impl(), text));
  auto cases = parse(text, wanted);
  if (cases || cases.error().message.rfind(location, 0) == 0) return cases;
  return bad(location, cases.error().message);
}

}  // namespace wgk::inline v0
