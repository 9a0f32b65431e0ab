// SHA-256 through OpenSSL's EVP interface.
#include "base/sha256.h"

#include <array>
#include <cstddef>

#include <openssl/evp.h>

namespace wgk::base {
namespace {

constexpr std::size_t kDigestBytes = 32;
using Digest = std::array<unsigned char, kDigestBytes>;

Digest sha256(std::string_view bytes) {
  Digest digest{};
  unsigned int length = 0;
  // The only failure is an OpenSSL without SHA-256; the zero digest then matches no file, so checking fails closed.
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) digest.fill(0);
  return digest;
}

}  // namespace

std::string sha256_base64(std::string_view bytes) {
  const Digest digest = sha256(bytes);
  std::array<unsigned char, 4 * ((kDigestBytes + 2) / 3) + 1> text{};
  const int length = EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(digest.size()));
  return std::string(text.begin(), text.begin() + length);
}

std::string sha256_hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * kDigestBytes);
  for (const unsigned char byte : sha256(bytes)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace wgk::base
