// The names of files in blobs/.
#pragma once

#include <string>
#include <string_view>

namespace wgk::hub {

/// The identifier that git, and so the Hub's ETag, gives to this content: hexadecimal SHA-1 of "blob <size>\0<bytes>".
/// A name, not a check: what is trusted is the SHA-256 of metadata.json.
std::string blob_name(std::string_view bytes);

}  // namespace wgk::hub
