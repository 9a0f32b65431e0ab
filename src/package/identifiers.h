// The spellings that package-format allows for names and paths.
#pragma once

#include <string_view>

namespace wgk::package {

/// [A-Za-z0-9_]
bool is_identifier_char(char c);
/// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text);
/// An ASCII WGSL identifier: no keyword or reserved word, not "_", not starting with "__".
bool is_wgsl_identifier(std::string_view text);
/// [A-Za-z0-9][A-Za-z0-9_]*
bool is_variant_id(std::string_view text);
/// [a-z][a-z0-9]*(\.[A-Za-z][A-Za-z0-9_]*)*
bool is_domain(std::string_view text);
/// Segments of [A-Za-z0-9._-]+ joined by single slashes, without ".." anywhere.
bool is_canonical_path(std::string_view text);
/// Whether every system that the format runs on takes the canonical path for a file of that name: on Windows "con",
/// "nul.wgsl" and the like are devices wherever they stand, and a dot at the end of a name is dropped.
bool is_portable_path(std::string_view text);
/// A canonical path that ends in .wgsl or .wgsl.jinja.
bool is_template_path(std::string_view text);

}  // namespace wgk::package
