// The parts of verify_package(). Each adds what it finds to the report.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <wgk/device.hpp>
#include <wgk/package.hpp>
#include <wgk/verify.hpp>

#include "package/cases.h"
#include "package/metadata.h"
#include "package/model.h"

namespace wgk::runtime {

/// Collects findings: no message twice, and no more of one check than a person would read.
class Findings {
 public:
  explicit Findings(std::vector<Finding>& findings) : findings_(findings) {}
  void error(std::string_view check, std::string message);
  void warning(std::string_view check, std::string message);

 private:
  void add(Finding::Severity severity, std::string_view check, std::string message);

  std::vector<Finding>& findings_;
  std::map<std::string, std::size_t, std::less<>> counts_;  ///< by check
};

/// What stands on the disk below build/webgpu/.
struct PackageText {
  std::filesystem::path root;
  std::map<std::string, std::string> files;  ///< readable files by path, metadata.json aside
};

/// Reads every file and compares the list and the digests with metadata.json, both ways. `metadata` may be null.
PackageText verify_files(const std::filesystem::path& root, const package::Metadata* metadata, Findings& findings);

/// webgpu.variants against what the templates include.
void verify_metadata_variants(const package::LoadedPackage& loaded, const package::Metadata& metadata,
                              const PackageText& text, Findings& findings);

/// Every violation of the manifest's rules: what is wrong is reported and cut out, until the rest is right.
void verify_manifest(const std::string& manifest, Findings& findings);

/// Syntax and names of every expression, in the scope of its place (package-format 6.8).
void verify_expressions(const package::LoadedPackage& loaded, Findings& findings);

/// Tunables, derives, reusable bindings and templates that nothing mentions.
void verify_unused(const package::LoadedPackage& loaded, const PackageText& text, Findings& findings);

/// Plans every case for several devices, renders, and compiles where `device` is an adapter.
/// `progress` may be empty.
void verify_cases(const Package& package, const package::TestFile& tests, const Device* device,
                  const std::function<void()>& progress, VerifyReport& report, Findings& findings);

/// Calls `visit(pass)` for every pass of the steps, those in repeat groups included.
template <typename Visit>
void for_each_pass(const std::vector<package::Step>& steps, const Visit& visit) {
  for (const package::Step& step : steps) {
    if (const auto* group = std::get_if<package::RepeatGroup>(&step.node)) {
      for_each_pass(group->steps, visit);
    } else {
      visit(std::get<package::Pass>(step.node));
    }
  }
}

}  // namespace wgk::runtime
