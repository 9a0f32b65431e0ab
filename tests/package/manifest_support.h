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
  auto document = parse_document(source.dump());
  if (!document.ok()) return document.error();
  if (Status comments = remove_comments(*document); !comments.ok()) return comments.error();
  return dialect == 1 ? v1::read_manifest(*document, warnings) : v2::read_manifest(*document, warnings);
}

inline std::string manifest_error(const Json& json, int dialect) {
  const auto manifest = read_manifest(json, dialect);
  return manifest.ok() ? "" : manifest.error().message;
}

}  // namespace wgk::package
