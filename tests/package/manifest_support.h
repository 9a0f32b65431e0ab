// Reading one manifest text for a test.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "package/parts.h"
#include "package/v1/read_v1.h"
#include "package/v2/read_v2.h"

namespace wgk::package {

using base::Json;

inline std::string read_data(const std::string& name) {
  std::ifstream file(std::string(WGK_TEST_DATA_DIR) + "/packages/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Through text, so that numbers have the types that the reader of files gives them.
inline Result<Manifest> read_manifest(const Json& source, int dialect) {
  std::vector<std::string> warnings;
  auto parsed = base::parse_json(source.dump(), ErrorCode::kPackage);
  if (!parsed.ok()) return parsed.error();
  Json json = *std::move(parsed);
  if (Status comments = remove_comments(json); !comments.ok()) return comments.error();
  return dialect == 1 ? v1::read_manifest(json, warnings) : v2::read_manifest(json, warnings);
}

inline std::string manifest_error(const Json& json, int dialect) {
  const auto manifest = read_manifest(json, dialect);
  return manifest.ok() ? "" : manifest.error().message;
}

}  // namespace wgk::package
