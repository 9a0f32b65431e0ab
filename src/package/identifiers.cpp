// The spellings that package-format allows for names and paths. ASCII only and independent of the locale.
#include "package/identifiers.h"

#include <algorithm>
#include <array>
#include <string>

namespace wgk::package {
namespace {

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_word(char c) { return is_alpha(c) || is_digit(c) || c == '_'; }

// Keywords and reserved words of WGSL, sorted for binary search.
constexpr auto kWgslReserved = std::to_array<std::string_view>({
    "NULL",
    "Self",
    "abstract",
    "active",
    "alias",
    "alignas",
    "alignof",
    "as",
    "asm",
    "asm_fragment",
    "async",
    "attribute",
    "auto",
    "await",
    "become",
    "break",
    "case",
    "cast",
    "catch",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "coherent",
    "column_major",
    "common",
    "compile",
    "compile_fragment",
    "concept",
    "const",
    "const_assert",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "continuing",
    "crate",
    "debugger",
    "decltype",
    "default",
    "delete",
    "demote",
    "demote_to_helper",
    "diagnostic",
    "discard",
    "do",
    "dynamic_cast",
    "else",
    "enable",
    "enum",
    "explicit",
    "export",
    "extends",
    "extern",
    "external",
    "fallthrough",
    "false",
    "filter",
    "final",
    "finally",
    "fn",
    "for",
    "friend",
    "from",
    "fxgroup",
    "get",
    "goto",
    "groupshared",
    "highp",
    "if",
    "impl",
    "implements",
    "import",
    "inline",
    "instanceof",
    "interface",
    "layout",
    "let",
    "loop",
    "lowp",
    "macro",
    "macro_rules",
    "match",
    "mediump",
    "meta",
    "mod",
    "module",
    "move",
    "mut",
    "mutable",
    "namespace",
    "new",
    "nil",
    "noexcept",
    "noinline",
    "nointerpolation",
    "non_coherent",
    "noncoherent",
    "noperspective",
    "null",
    "nullptr",
    "of",
    "operator",
    "override",
    "package",
    "packoffset",
    "partial",
    "pass",
    "patch",
    "pixelfragment",
    "precise",
    "precision",
    "premerge",
    "priv",
    "protected",
    "pub",
    "public",
    "readonly",
    "ref",
    "regardless",
    "register",
    "reinterpret_cast",
    "require",
    "requires",
    "resource",
    "restrict",
    "return",
    "self",
    "set",
    "shared",
    "sizeof",
    "smooth",
    "snorm",
    "static",
    "static_assert",
    "static_cast",
    "std",
    "struct",
    "subroutine",
    "super",
    "switch",
    "target",
    "template",
    "this",
    "thread_local",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unless",
    "unorm",
    "unsafe",
    "unsized",
    "use",
    "using",
    "var",
    "varying",
    "virtual",
    "volatile",
    "wgsl",
    "where",
    "while",
    "with",
    "writeonly",
    "yield",
});
static_assert(std::is_sorted(kWgslReserved.begin(), kWgslReserved.end()));

bool is_windows_device(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower == "con" || lower == "prn" || lower == "aux" || lower == "nul") return true;
  return lower.size() == 4 && (lower.starts_with("com") || lower.starts_with("lpt")) && is_digit(lower[3]);
}

}  // namespace

bool is_identifier_char(char c) { return is_word(c); }

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_word);
}

bool is_wgsl_identifier(std::string_view text) {
  return is_identifier(text) && text != "_" && !text.starts_with("__") &&
         !std::binary_search(kWgslReserved.begin(), kWgslReserved.end(), text);
}

bool is_variant_id(std::string_view text) {
  return !text.empty() && text[0] != '_' && std::all_of(text.begin(), text.end(), is_word);
}

bool is_domain(std::string_view text) {
  bool first = true;
  while (true) {
    const auto dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty()) return false;
    const bool good = first ? is_lower(part[0]) && std::all_of(part.begin(), part.end(),
                                                               [](char c) { return is_lower(c) || is_digit(c); })
                            : is_alpha(part[0]) && std::all_of(part.begin(), part.end(), is_word);
    if (!good) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
    first = false;
  }
}

bool is_canonical_path(std::string_view text) {
  if (text.empty() || text.front() == '/' || text.back() == '/') return false;
  if (text.find("..") != std::string_view::npos || text.find("//") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == '.' || c == '-' || c == '/'; });
}

bool is_portable_path(std::string_view text) {
  while (!text.empty()) {
    const auto slash = std::min(text.find('/'), text.size());
    const std::string_view name = text.substr(0, slash);
    if (name.ends_with('.') || is_windows_device(name.substr(0, name.find('.')))) return false;
    text.remove_prefix(std::min(slash + 1, text.size()));
  }
  return true;
}

bool is_template_path(std::string_view text) {
  return is_canonical_path(text) && (text.ends_with(".wgsl") || text.ends_with(".wgsl.jinja"));
}

}  // namespace wgk::package
