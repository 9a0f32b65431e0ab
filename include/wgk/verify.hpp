// Checking a package as its author wants it checked.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/device.hpp>
#include <wgk/export.hpp>

namespace wgk::inline v0 {

/// Something that verify_package() found.
struct Finding {
  enum class Severity {
    kError,    ///< the package is wrong
    kWarning,  ///< allowed, but hardly meant
  };
  Severity severity = Severity::kError;
  /// What was checked: "load", "digest", "metadata", "expression", "name", "test", "render", "compile", "variant" or
  /// "unused".
  std::string check;
  std::string message;  ///< several lines where an expression or a template is shown

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct VerifyReport {
  std::string location;  ///< as given
  std::string op;        ///< empty when the package does not load
  bool loaded = false;   ///< false: the manifest or the metadata cannot be used, so that only they were checked
  std::vector<Finding> findings;
  std::size_t variants = 0;
  std::size_t cases = 0;    ///< test cases that were planned
  std::size_t plans = 0;    ///< plans made: a case is planned for several devices and every variant that takes it
  std::size_t shaders = 0;  ///< different shaders that were compiled; 0 without a device

  std::size_t errors() const;  ///< findings of that severity
  std::size_t warnings() const;  ///< findings of that severity
};

/// Checks a package folder, or an installed package: the digests of all files, the manifest with all its violations,
/// the names in every expression, every template and shader for every test case, which variants are reached, and what
/// is declared but not used. Without a device, or with the CPU path, shaders are rendered but not compiled.
/// `progress`, where given, is called before every test case.
WGK_API VerifyReport verify_package(std::string_view location, const Device* device = nullptr,
                                    const std::function<void()>& progress = {});

}  // namespace wgk::inline v0
