// Fuzzes the reader of manifest dialect 2.1, and what prints a package that it accepted.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "package/contract.h"
#include "package/model.h"
#include "package/tree.h"
#include "package/v2/read_v2.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto document = wgk::package::parse_document(text);
  if (!document.ok() || !wgk::package::remove_comments(*document).ok()) return 0;
  wgk::package::LoadedPackage loaded;
  auto manifest = wgk::package::v2::read_manifest(*document, loaded.warnings);
  if (!manifest.ok()) return 0;
  loaded.manifest = *std::move(manifest);
  static_cast<void>(wgk::package::contract_json(loaded));
  static_cast<void>(wgk::package::contract_markdown(loaded));
  return 0;
}
