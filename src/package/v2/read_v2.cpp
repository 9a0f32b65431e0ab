// Dialect 2.1, top level: identity, constraints, tunables, derives.
#include "package/v2/read_v2.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/v2/sections.h"

namespace wgk::package::v2 {
namespace {

constexpr auto kTopKeys = std::to_array<std::string_view>(
    {"domain", "name", "sinceVersion", "description", "$schema", "onnx", "conformance", "inputs", "outputs", "args",
     "attributes", "attributeConstraints", "typeConstraints", "tunables", "derive", "when", "requires", "bindings",
     "variants"});

// Names that templates and expressions bind already: namespaces, constants, words of the language, functions.
constexpr auto kReserved = std::to_array<std::string_view>({"repeat",        "tunables",
                                                            "dtypes",        "logicalDtypes",
                                                            "tensorDtypes",  "ranks",
                                                            "shapes",        "present",
                                                            "args",          "attrs",
                                                            "device",        "env",
                                                            "constants",     "derive",
                                                            "source",        "DISPATCH_FOLD_WIDTH",
                                                            "true",          "false",
                                                            "none",          "True",
                                                            "False",         "None",
                                                            "range",         "loop",
                                                            "namespace",     "dict",
                                                            "ceil",          "floor",
                                                            "pow",           "min",
                                                            "max",           "ceilDiv",
                                                            "pow2ceil",      "log2ceil",
                                                            "numel",         "dim",
                                                            "rows",          "outer",
                                                            "inner",         "prefix",
                                                            "suffix",        "fill",
                                                            "moveAxis",      "permuteShape",
                                                            "reversedAxes",  "broadcastShape",
                                                            "matmulShape",   "broadcastable",
                                                            "sameShape",     "hasAxis",
                                                            "axisValue",     "isUniqueIntList",
                                                            "has",           "dtypeBytes",
                                                            "onnxDtypeCode", "pick",
                                                            "f16Ok"});

Status read_identity(const Node& root, Manifest& manifest) {
  WGK_TRY(manifest.domain, root.string_or("domain", "ai.onnx"));
  if (!root.has("name")) return root.fail("WebGPU manifest requires name");
  WGK_TRY(manifest.name, root.at("name").non_empty_string());
  if (!is_domain(manifest.domain)) {
    return root.at("domain").fail_here(fmt::format("is \"{}\", which is not a domain", printable(manifest.domain)));
  }
  manifest.op = manifest.domain + "." + manifest.name;
  root.context().op = printable(manifest.op);
  WGK_TRY(manifest.description, root.string_or("description", ""));
  if (root.has("sinceVersion")) {
    WGK_TRY(const std::uint64_t version, root.at("sinceVersion").unsigned_integer(INT32_MAX));
    manifest.since_version = static_cast<std::int64_t>(version);
  }
  if (root.has("conformance") && !root.at("conformance").tree().is("internal-lowering") &&
      !root.at("conformance").tree().is("legacy-default-domain")) {
    return root.at("conformance").fail_here("must be \"internal-lowering\" or \"legacy-default-domain\"");
  }
  return {};
}

Status check_top_keys(const Node& root) {
  return for_each_member(root, [&](std::string_view key, const Node& member) -> Status {
    if (std::find(kTopKeys.begin(), kTopKeys.end(), key) != kTopKeys.end()) return {};
    return member.fail(fmt::format("WebGPU manifest {} has unknown top-level key \"{}\"{}", root.context().op,
                                   printable(key), suggestion(key, kTopKeys)));
  });
}

Status read_tunables(const Node& root, Manifest& manifest) {
  static constexpr auto kKeys = std::to_array<std::string_view>({"default", "description"});
  if (!root.has("tunables")) return {};
  const Node map = root.at("tunables");
  WGK_CHECK(map.require_object());
  WGK_CHECK(map.limit(root.context().op, "tunables", map.size(), limits::kMaxTunables));
  return for_each_member(map, [&](std::string_view name, const Node& node) -> Status {
    WGK_CHECK(
        node.known_keys(fmt::format("WebGPU manifest {} tunables.{}", root.context().op, printable(name)), kKeys));
    if (!node.has("default")) return node.fail_here("must have default");
    WGK_TRY(jinja::Value value, read_tunable_value(node.at("default")));
    WGK_TRY(std::string description, node.string_or("description", ""));
    manifest.tunables.push_back({std::string(name), std::move(description), std::move(value)});
    return {};
  });
}

}  // namespace

Result<std::vector<NamedFormula>> read_derives(const Node& map, const Manifest& manifest, std::string_view where) {
  WGK_CHECK(map.require_object());
  WGK_CHECK(for_each_member(map, [&](std::string_view name, const Node& value) -> Status {
    if (!is_identifier(name)) {
      return value.fail(fmt::format("{} derive: \"{}\" is not an identifier", where, printable(name)));
    }
    const bool type_variable = std::any_of(manifest.type_vars.begin(), manifest.type_vars.end(),
                                           [&](const auto& variable) { return variable.first == name; });
    if (!type_variable && std::find(kReserved.begin(), kReserved.end(), name) == kReserved.end()) return {};
    return value.fail(
        fmt::format("{} derive.{} would shadow a scope name templates and expressions already bind; rename the derive",
                    where, name));
  }));
  return read_named_formulas(map, where, "derives");
}

Result<Manifest> read_manifest(const Document& document, std::vector<std::string>& warnings) {
  ReadContext context(*document.arena);
  context.warnings = &warnings;
  const Node root(document.root, nullptr, context);
  WGK_CHECK(root.require_object());

  Manifest manifest;
  manifest.memory = document.arena;
  WGK_CHECK(read_identity(root, manifest));
  WGK_CHECK(check_top_keys(root));
  if (root.has("typeConstraints")) {
    WGK_TRY(manifest.type_vars, read_type_constraints(root.at("typeConstraints")));
  }
  WGK_CHECK(read_call_side(root, manifest));
  WGK_CHECK(read_attributes(root, manifest));
  WGK_CHECK(read_tunables(root, manifest));
  if (root.has("derive")) {
    WGK_TRY(manifest.derives, read_derives(root.at("derive"), manifest, "WebGPU manifest " + context.op));
  }
  WGK_CHECK(read_variants(root, manifest));
  return manifest;
}

}  // namespace wgk::package::v2
