// Reads the directives at the head of a WGSL text (WGSL specification, "Directives").
#include "gpu/shader_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/error_scope.h"
#include "gpu/wgsl_cursor.h"

namespace wgk::gpu {
namespace {

struct Directive {
  std::string_view keyword;  ///< "enable", "requires" or "diagnostic"
  std::vector<std::string_view> names;
  std::size_t begin = 0;  ///< offset of the keyword
  std::size_t end = 0;    ///< offset behind the semicolon
};

// Reads "a, b;" behind the keyword; false when it is not well-formed, which the compiler will say better.
bool read_names(Cursor& cursor, std::vector<std::string_view>& names) {
  for (;;) {
    cursor.skip_blank();
    if (cursor.take(";")) return !names.empty();
    const std::string_view name = cursor.word();
    if (name.empty()) return false;
    names.push_back(name);
    cursor.skip_blank();
    static_cast<void>(cursor.take(","));
  }
}

std::vector<Directive> read_directives(std::string_view wgsl) {
  std::vector<Directive> directives;
  Cursor cursor(wgsl);
  for (;;) {
    cursor.skip_blank();
    Directive directive;
    directive.begin = cursor.offset();
    directive.keyword = cursor.word();
    if (directive.keyword == "diagnostic") {
      cursor.skip_past(';');
      continue;
    }
    if (directive.keyword != "enable" && directive.keyword != "requires") return directives;
    if (!read_names(cursor, directive.names)) return directives;
    directive.end = cursor.offset();
    directives.push_back(std::move(directive));
  }
}

struct EnableExtension {
  std::string_view name;
  std::string_view feature;
};

// WGSL specification, "Enable-extensions", as far as naga has them. `subgroups` is the one it has under no name.
constexpr std::string_view kSubgroups = "subgroups";
constexpr EnableExtension kEnableExtensions[] = {
    {"f16", "shader-f16"},
    {kSubgroups, "subgroups"},
    {"clip_distances", "clip-distances"},
    {"dual_source_blending", "dual-source-blending"},
    {"primitive_index", "primitive-index"},
};

Status not_offered(std::string_view name) {
  return device_error(fmt::format("needs WGSL extension '{}', which this WebGPU implementation does not offer", name));
}

Status check_enable(std::string_view name, const DeviceProfile& profile) {
  for (const EnableExtension& known : kEnableExtensions) {
    if (known.name != name) continue;
    if (profile.has_feature(known.feature)) return {};
    return device_error(
        fmt::format("needs WGSL extension '{}', but this device lacks the feature \"{}\"", name, known.feature));
  }
  return not_offered(name);
}

Status check_requires(std::string_view name, const DeviceProfile& profile) {
  return profile.wgsl_language_features.contains(name) ? Status{} : not_offered(name);
}

// The directive without `subgroups`, with as many line breaks as it had.
std::string without_subgroups(const Directive& directive, std::string_view text) {
  std::string kept;
  for (const std::string_view name : directive.names) {
    if (name != kSubgroups) kept += fmt::format("{}{}", kept.empty() ? "enable " : ", ", name);
  }
  if (!kept.empty()) kept += ';';
  kept.append(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
  return kept;
}

}  // namespace

Result<std::string> fit_shader(std::string_view wgsl, const DeviceProfile& profile) {
  std::string fitted;
  std::size_t copied = 0;
  for (const Directive& directive : read_directives(wgsl)) {
    const bool enable = directive.keyword == "enable";
    for (const std::string_view name : directive.names) {
      WGK_CHECK(enable ? check_enable(name, profile) : check_requires(name, profile));
    }
    if (enable && std::count(directive.names.begin(), directive.names.end(), kSubgroups) > 0) {
      fitted += wgsl.substr(copied, directive.begin - copied);
      fitted += without_subgroups(directive, wgsl.substr(directive.begin, directive.end - directive.begin));
      copied = directive.end;
    }
  }
  fitted += wgsl.substr(copied);
  return fitted;
}

}  // namespace wgk::gpu
