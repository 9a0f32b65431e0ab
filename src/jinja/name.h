// A name that a syntax tree refers to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wgk::jinja {

/// Hash of a name. Syntax trees keep it beside each name, so that a look-up compares numbers before it compares text.
constexpr std::uint32_t name_hash(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

struct Name {
  std::string text;
  std::uint32_t hash;
  std::uint32_t required_uses;  ///< uses other than as the operand of `is defined` or `is undefined`
};

}  // namespace wgk::jinja
