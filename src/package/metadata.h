// metadata.json: identity and digests (package-format 2.1, and rows 2 to 10 of 2.2).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/status.hpp>

namespace wgk::package {

struct Metadata {
  std::string name;  ///< as JSON text when it is not a string; unchecked, so printable() before it is shown
  std::string spec;  ///< "1.0" or "2.1"
  std::string license;
  std::optional<std::int64_t> version;
  std::map<std::string, std::string> digests;
  std::vector<std::pair<std::string, std::vector<std::string>>> variants;  ///< 2.1 only
};

/// Parses and checks metadata.json. Errors: kPackage, starting with "<package>: ".
Result<Metadata> parse_metadata(std::string_view text, const std::string& package);

/// "<package>: <file> does not parse: <reason>"; limits and bad text drop the middle part (package-format 17).
std::string parse_failure(const std::string& package, std::string_view file, const std::string& reason);

}  // namespace wgk::package
