// Digests as metadata.json spells them.
#pragma once

#include <string>
#include <string_view>

namespace wgk::base {

/// Base64 (standard alphabet, padded) of the SHA-256 of `bytes`.
std::string sha256_base64(std::string_view bytes);

/// Lower-case hexadecimal of the SHA-256 of `bytes`.
std::string sha256_hex(std::string_view bytes);

}  // namespace wgk::base
