// Every name is looked up; the values are the planner's and the operator's business.
#include "runtime/call_options.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <wgk/limits.hpp>

#include "base/json.h"
#include "base/try.h"

namespace wgk::runtime {
namespace {

using package::Manifest;


/// `declared` are the names of the manifest; the message lists them, or the nearest one.
Status check_name(const Manifest& manifest, std::string_view what, std::string_view name,
                  const std::vector<std::string>& declared) {
  if (std::find(declared.begin(), declared.end(), name) != declared.end()) return {};
  const std::string near = base::nearest(name, declared);
  const std::string hint =
      near.empty() ? fmt::format("known: {}", declared.empty() ? "none" : fmt::to_string(fmt::join(declared, ", ")))
                   : fmt::format("did you mean \"{}\"?", near);
  return Error{ErrorCode::kRequest,
               fmt::format("{}: the package declares no {} \"{}\" ({})", manifest.op, what, name, hint)};
}

template <typename Items, typename Name>
std::vector<std::string> names_of(const Items& items, Name name) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(name(item));
  return names;
}

/// With the text that the format fixes, which the planner gives as well.
Status check_scalar_name(const Manifest& manifest, std::string_view name) {
  std::vector<std::string> names = names_of(manifest.scalars, [](const package::ScalarArg& arg) { return arg.name; });
  if (std::find(names.begin(), names.end(), name) != names.end()) return {};
  for (const package::Port& port : manifest.ports) names.push_back(port.key);
  std::sort(names.begin(), names.end());
  return Error{ErrorCode::kRequest, fmt::format("{}: unknown arg \"{}\" — not declared in manifest.args (known: {})",
                                                manifest.op, name, fmt::join(names, ", "))};
}

std::vector<std::string> output_names(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const package::Port& port : manifest.ports) {
    if (port.direction == package::Direction::kInput) continue;
    names.push_back(port.key);
    if (port.onnx_name != port.key) names.push_back(port.onnx_name);
  }
  return names;
}

std::vector<std::string> tunable_names(const Manifest& manifest) {
  const auto name = [](const package::Tunable& tunable) { return tunable.name; };
  std::vector<std::string> names = names_of(manifest.tunables, name);
  for (const package::Variant& variant : manifest.variants) {
    for (std::string& own : names_of(variant.tunables, name)) names.push_back(std::move(own));
  }
  return names;
}

bool is_exact(const AttributeValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.get())) {
    return *number >= -limits::kMaxExactInteger && *number <= limits::kMaxExactInteger;
  }
  if (const auto* list = std::get_if<AttributeValue::List>(&value.get())) {
    return std::all_of(list->begin(), list->end(), is_exact);
  }
  return true;
}

}  // namespace

Status check_options(const Manifest& manifest, const RunOptions& options) {
  if (!options.variant.empty()) {
    const auto ids = names_of(manifest.variants, [](const package::Variant& variant) { return variant.id; });
    if (std::find(ids.begin(), ids.end(), options.variant) == ids.end()) {
      return Error{ErrorCode::kRequest, fmt::format("WebGPU op {} has no variant {}", manifest.op, options.variant)};
    }
  }
  if (!options.tunables.empty()) {
    const auto names = tunable_names(manifest);
    for (const auto& [name, value] : options.tunables) WGK_CHECK(check_name(manifest, "tunable", name, names));
  }
  if (!options.args.empty()) {
    for (const auto& [name, value] : options.args) WGK_CHECK(check_scalar_name(manifest, name));
  }
  if (!options.outputs.empty()) {
    const auto names = output_names(manifest);
    for (const std::string& name : options.outputs) WGK_CHECK(check_name(manifest, "output", name, names));
  }
  for (const auto& [name, value] : options.attrs) {
    if (is_exact(value)) continue;
    return Error{ErrorCode::kRequest,
                 fmt::format("{}: {}: an integer attribute must lie in [-2^53, 2^53]", manifest.op, name)};
  }
  return {};
}

}  // namespace wgk::runtime
