// Loading what is cross-checked.
#include "suite.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace wgk::crosscheck {
namespace {

std::string folder_name(const std::string& package) {
  const auto path = std::filesystem::u8path(package).lexically_normal();
  return path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
}

Result<Suite> load_suite(const std::string& location, const Device& device) {
  WGK_TRY(Package package, Package::load(location));
  WGK_TRY(TestCases cases, TestCases::load(package));
  return Suite{folder_name(location), std::move(cases), Kernel(device, std::move(package))};
}

}  // namespace

Result<std::string> read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in) return Error{ErrorCode::kUsage, fmt::format("{}: cannot be read", file)};
  return text;
}

Result<DeviceProfile> load_profile(const std::string& file) {
  WGK_TRY(const std::string text, read_file(file));
  return DeviceProfile::from_json(text);
}

Result<std::vector<Suite>> load_suites(const std::vector<std::string>& packages, const DeviceProfile& profile) {
  const Device device = Device::for_profile(profile);
  std::vector<Suite> suites;
  std::set<std::string> names;
  for (const std::string& package : packages) {
    WGK_TRY(Suite suite, load_suite(package, device));
    if (!names.insert(suite.name).second) {
      return Error{ErrorCode::kUsage, fmt::format("two packages are called {}", suite.name)};
    }
    suites.push_back(std::move(suite));
  }
  return suites;
}

std::string case_id(const Suite& suite, std::size_t index) {
  return fmt::format("{}/{}", suite.name, suite.cases.name(index));
}

}  // namespace wgk::crosscheck
