// git's object identifier through OpenSSL.
#include "hub/blob_name.h"

#include <array>
#include <memory>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/sha256.h"

namespace wgk::hub {

std::string blob_name(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  std::string header = fmt::format("blob {}", bytes.size());
  header += '\0';
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const bool made = context && EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr) == 1 &&
                    EVP_DigestUpdate(context.get(), header.data(), header.size()) == 1 &&
                    EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                    EVP_DigestFinal_ex(context.get(), digest.data(), &length) == 1;
  // An OpenSSL without SHA-1: the Hub names large files by their SHA-256, so other tools take that too.
  if (!made) return base::sha256_hex(bytes);
  std::string name;
  for (unsigned int i = 0; i < length; ++i) name += fmt::format("{:02x}", digest[i]);
  return name;
}

}  // namespace wgk::hub
