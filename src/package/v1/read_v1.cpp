// Dialect 1.0, top level: identity, attributes, constraints, tunables, derives.
#include "package/v1/read_v1.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/parts.h"
#include "package/v1/sections.h"

namespace wgk::package::v1 {
namespace {

constexpr auto kTopKeys = std::to_array<std::string_view>({"domain",
                                                           "name",
                                                           "sinceVersion",
                                                           "description",
                                                           "inputs",
                                                           "outputs",
                                                           "args",
                                                           "attributes",
                                                           "attributeDescriptions",
                                                           "attributeConstraints",
                                                           "typeConstraints",
                                                           "tunables",
                                                           "derive",
                                                           "constants",
                                                           "bindingSets",
                                                           "variants",
                                                           "tunableDescriptions",
                                                           "attributeNames",
                                                           "$schema",
                                                           "schemaVersion",
                                                           "variantFamilies"});

bool is_one(const Tree& tree) { return tree.is_number() && tree.as_number() == 1; }

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
  if (root.has("schemaVersion") && !is_one(root.at("schemaVersion").tree())) {
    return root.at("schemaVersion").fail_here("must be 1");
  }
  if (root.has("variantFamilies")) {
    return root.at("variantFamilies")
        .fail(fmt::format("WebGPU manifest {}: variantFamilies is not supported", root.context().op));
  }
  return {};
}

AttributeDecl& declare(Manifest& manifest, std::string_view name) {
  for (AttributeDecl& attribute : manifest.attributes) {
    if (attribute.name == name) return attribute;
  }
  manifest.attributes.emplace_back().name = name;
  return manifest.attributes.back();
}

/// Four keys declare attributes; the limit holds for each and, at the end, for all.
Status read_attributes(const Node& root, Manifest& manifest) {
  const auto section = [&](std::string_view key, auto&& read) -> Status {
    if (!root.has(key)) return {};
    const Node map = root.at(key);
    WGK_CHECK(map.require_object());
    WGK_CHECK(map.limit(root.context().op, "attributes", map.size(), limits::kMaxAttributes));
    return for_each_member(map, read);
  };
  WGK_CHECK(section("attributes", [&](std::string_view name, const Node& value) -> Status {
    WGK_TRY(declare(manifest, name).default_value, read_attribute_value(value));
    return {};
  }));
  WGK_CHECK(section("attributeDescriptions", [&](std::string_view name, const Node& value) -> Status {
    WGK_TRY(declare(manifest, name).description, value.string());
    return {};
  }));
  WGK_CHECK(section("attributeConstraints", [&](std::string_view name, const Node& value) -> Status {
    return read_attribute_constraint(value, declare(manifest, name));
  }));
  if (root.has("attributeNames")) {
    const Node names = root.at("attributeNames");
    WGK_TRY(const std::vector<std::string> list, names.string_list());
    WGK_CHECK(names.limit(root.context().op, "attributes", list.size(), limits::kMaxAttributes));
    for (const std::string& name : list) declare(manifest, name);
  }
  return root.limit(root.context().op, "attributes", manifest.attributes.size(), limits::kMaxAttributes);
}

Status read_tunables(const Node& root, Manifest& manifest) {
  if (!root.has("tunables")) return {};
  WGK_TRY(manifest.tunables, read_bare_tunables(root.at("tunables"), root.context().op));
  if (!root.has("tunableDescriptions") || !root.at("tunableDescriptions").tree().is_map()) return {};
  const Node texts = root.at("tunableDescriptions");
  for (Tunable& tunable : manifest.tunables) {
    if (texts.has(tunable.name) && texts.at(tunable.name).tree().is_string()) {
      tunable.description = texts.at(tunable.name).tree().text();
    }
  }
  return {};
}

}  // namespace

Result<Manifest> read_manifest(const Document& document, std::vector<std::string>& warnings) {
  ReadContext context(*document.arena);
  context.warnings = &warnings;
  const Node root(document.root, nullptr, context);
  WGK_CHECK(root.require_object());

  Manifest manifest;
  manifest.memory = document.arena;
  manifest.legacy_functions = true;
  manifest.fold_by_device_limit = true;
  WGK_CHECK(read_identity(root, manifest));
  root.warn_unknown_keys(kTopKeys);
  if (root.has("typeConstraints")) {
    WGK_TRY(manifest.type_vars, read_type_constraints(root.at("typeConstraints")));
  }
  WGK_CHECK(read_call_side(root, manifest));
  WGK_CHECK(read_attributes(root, manifest));
  WGK_CHECK(read_tunables(root, manifest));
  if (root.has("derive")) {
    WGK_TRY(manifest.derives, read_named_formulas(root.at("derive"), context.op, "derives"));
  }
  WGK_CHECK(read_variants(root, manifest));
  return manifest;
}

}  // namespace wgk::package::v1
