// Pieces of a pass: dispatch, struct fields, names, view aliases, and the list of passes with its repeat groups.
#include <algorithm>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/parts.h"

namespace wgk::package {
namespace {

/// An expression or an integer >= 0.
Result<Formula> read_count(const Node& node) {
  if (!node.tree().is_string()) {
    auto checked = node.unsigned_integer(limits::kMaxSafeInteger);
    if (!checked.ok()) {
      return node.fail_here(fmt::format("must be an expression or an integer >= 0, got {}", json_text(&node.tree())));
    }
  }
  return read_formula(node);
}

Status read_axes(const Node& node, Dispatch& dispatch) {
  if (node.has("x")) {
    WGK_TRY(dispatch.x, read_count(node.at("x")));
  }
  if (node.has("y")) {
    WGK_TRY(dispatch.y, read_count(node.at("y")));
  }
  if (node.has("z")) {
    WGK_TRY(dispatch.z, read_count(node.at("z")));
  }
  return {};
}

bool is_element_type_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '<' ||
         c == '>' || c == ',' || c == ' ';
}

Result<std::uint32_t> binding_index(const Node& node, const std::vector<Binding>& bindings, BindingAccess access,
                                    std::string_view kind, std::string_view where) {
  WGK_TRY(const std::string name, node.string());
  for (std::uint32_t index = 0; index < bindings.size(); ++index) {
    if (bindings[index].name == name && bindings[index].access == access) return index;
  }
  return node.fail(
      fmt::format("{} viewAlias names \"{}\", which is not a {} binding of the pass", where, printable(name), kind));
}

}  // namespace

Result<Dispatch> read_dispatch(const Node& node, std::string_view where, bool pinned) {
  static constexpr auto kKeys =
      std::to_array<std::string_view>({"x", "y", "z", "threads", "workgroupSize", "workgroups", "gridStride"});
  static constexpr auto kClosedKeys =
      std::to_array<std::string_view>({"x", "y", "z", "threads", "workgroupSize", "workgroups"});
  if (pinned) {
    WGK_CHECK(node.known_keys(fmt::format("{} dispatch", where), kKeys));
  } else {
    WGK_CHECK(node.known_keys(fmt::format("{} dispatch", where), kClosedKeys));
  }
  const bool threads = node.has("threads");
  const bool workgroups = node.has("workgroups");
  const bool stride = node.has("gridStride");
  const int axes = int{node.has("x")} + int{node.has("y")} + int{node.has("z")};
  const auto refuse = [&](std::string_view why) { return node.fail(fmt::format("{} dispatch {}", where, why)); };

  if (int{threads} + int{workgroups} + int{stride} > 1) {
    return refuse("must have exactly one of threads, workgroups, gridStride and the axes x, y, z");
  }
  Dispatch dispatch;
  if (!threads && !workgroups && !stride) {
    if (!node.has("x")) return refuse("must have x, threads or workgroups");
    if (node.has("workgroupSize")) return refuse("has workgroupSize without threads");
    WGK_CHECK(read_axes(node, dispatch));
    return dispatch;
  }
  if (threads && !node.has("workgroupSize")) return refuse("has threads without workgroupSize");
  if (workgroups && node.has("workgroupSize")) return refuse("has workgroupSize beside workgroups");
  if (stride && axes > 0) return refuse("has gridStride together with an axis");
  if (axes > 1) return refuse("pins more than one axis");
  if (axes == 1 && !pinned) return refuse("mixes an axis with threads or workgroups");
  dispatch.form = threads      ? Dispatch::Form::kThreads
                  : workgroups ? Dispatch::Form::kWorkgroups
                               : Dispatch::Form::kGridStride;
  WGK_TRY(dispatch.count, read_count(node.at(threads ? "threads" : workgroups ? "workgroups" : "gridStride")));
  if (node.has("workgroupSize")) {
    WGK_TRY(dispatch.workgroup_size, read_count(node.at("workgroupSize")));
  }
  WGK_CHECK(read_axes(node, dispatch));
  return dispatch;
}

Result<std::string> read_wgsl_name(const Node& node) {
  WGK_TRY(std::string name, node.string());
  if (is_wgsl_identifier(name)) return name;
  return node.fail_here(fmt::format("must be a WGSL identifier, got \"{}\"", printable(name)));
}

Result<std::string> read_element_type(const Node& node) {
  WGK_TRY(std::string type, node.string());
  const bool good = type.starts_with('$')
                        ? is_identifier(std::string_view(type).substr(1))
                        : !type.empty() && std::all_of(type.begin(), type.end(), is_element_type_char);
  if (good) return type;
  return node.fail_here(fmt::format("must be a WGSL type or $NAME, got \"{}\"", printable(type)));
}

Result<std::variant<std::uint64_t, std::string>> read_length(const Node& node) {
  using Length = std::variant<std::uint64_t, std::string>;
  if (node.tree().is_string()) {
    const std::string_view text = node.tree().text();
    if (text.starts_with('$') && is_identifier(text.substr(1))) return Length(std::string(text.substr(1)));
  } else if (node.tree().is_number()) {
    auto count = node.unsigned_integer(limits::kMaxSafeInteger);
    if (count.ok() && *count > 0) return Length(*count);
  }
  return node.fail_here(fmt::format("must be a positive integer or $NAME, got {}", json_text(&node.tree())));
}

Result<std::vector<UniformField>> read_struct_fields(const Node& list, std::string_view where,
                                                     std::span<const std::string_view> keys) {
  WGK_CHECK(list.require_non_empty_array());
  WGK_CHECK(list.limit(where, "struct fields", list.size(), limits::kMaxFields));
  std::vector<UniformField> fields;
  fields.reserve(list.size());
  std::set<std::string> names;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const Node node = list.at(index);
    WGK_CHECK(node.charge(1));
    WGK_CHECK(node.known_keys(fmt::format("{} field {}", where, index), keys));
    if (!node.has("name") || !node.has("type")) return node.fail_here("must have name and type");
    UniformField field;
    WGK_TRY(field.name, read_wgsl_name(node.at("name")));
    if (!names.insert(field.name).second) {
      return node.at("name").fail(fmt::format("{} has two fields called \"{}\"", where, field.name));
    }
    WGK_TRY(field.type, node.at("type").string());
    if (field.type != "u32" && field.type != "i32" && field.type != "f32") {
      return node.at("type").fail_here(fmt::format("must be u32, i32 or f32, got \"{}\"", printable(field.type)));
    }
    if (node.has("value")) {
      WGK_TRY(field.value, read_formula(node.at("value")));
    }
    if (node.has("default")) {
      WGK_TRY(field.default_value, read_formula(node.at("default")));
    }
    WGK_TRY(const bool required, node.boolean_or("required", true));
    WGK_TRY(const bool internal, node.boolean_or("internal", false));
    field.required = required && !internal;
    fields.push_back(std::move(field));
  }
  return fields;
}

Result<std::vector<std::pair<std::uint32_t, std::uint32_t>>> read_view_alias(const Node& list,
                                                                             const std::vector<Binding>& bindings,
                                                                             std::string_view where) {
  WGK_CHECK(list.require_non_empty_array());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const Node node = list.at(index);
    WGK_CHECK(node.require_object());
    WGK_CHECK(node.charge(1));
    if (!node.has("input") || !node.has("output")) return node.fail_here("must have input and output");
    WGK_TRY(const std::uint32_t input,
            binding_index(node.at("input"), bindings, BindingAccess::kReadOnlyStorage, "read-only-storage", where));
    WGK_TRY(const std::uint32_t output,
            binding_index(node.at("output"), bindings, BindingAccess::kStorage, "storage", where));
    pairs.emplace_back(input, output);
  }
  return pairs;
}

Result<std::vector<ScratchDecl>> read_intermediates(const Node& list, const Manifest& manifest,
                                                    std::string_view variant, const ScratchRules& rules) {
  static constexpr auto kKeys = std::to_array<std::string_view>({"id", "dtype", "shape", "zeroInit"});
  WGK_CHECK(list.require_array());
  WGK_CHECK(list.limit(fmt::format("{} variant {}", manifest.op, variant), "intermediates", list.size(),
                       limits::kMaxIntermediates));
  std::vector<ScratchDecl> out;
  std::set<std::string> ids;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const Node node = list.at(index);
    WGK_CHECK(node.require_object());
    WGK_CHECK(node.charge(1));
    if (rules.closed_keys) {
      WGK_CHECK(node.known_keys(
          fmt::format("WebGPU manifest {} variant {} intermediate {}", manifest.op, variant, index), kKeys));
    }
    for (const std::string_view key : {"id", "dtype", "shape"}) {
      if (!node.has(key)) return node.fail_here(fmt::format("must have {}", key));
    }
    ScratchDecl scratch;
    WGK_TRY(scratch.id, node.at("id").non_empty_string());
    if (!ids.insert(scratch.id).second) {
      return node.at("id").fail(
          fmt::format("WebGPU variant {} has two intermediates with id \"{}\"", variant, printable(scratch.id)));
    }
    for (const Port& port : manifest.ports) {
      if (!rules.wgsl_spellings && port.key == scratch.id) {
        return node.at("id").fail(
            fmt::format("WebGPU variant {} intermediate \"{}\" has the name of a tensor", variant, scratch.id));
      }
    }
    WGK_TRY(scratch.storage, read_storage_dtype(node.at("dtype"), rules.wgsl_spellings));
    if (!rules.wgsl_spellings && scratch.storage == DType::kInt64) {
      return node.at("dtype").fail_here("must not be int64: an intermediate cannot hold it");
    }
    WGK_TRY(scratch.shape, read_shape(node.at("shape")));
    WGK_TRY(scratch.zero_init, node.boolean_or("zeroInit", false));
    out.push_back(std::move(scratch));
  }
  return out;
}

Result<std::vector<Step>> StepReader::read_steps(const Node& list, std::string_view variant) {
  variant_ = variant;
  ids_.clear();
  passes_ = 0;
  std::vector<std::string> outer;
  return read_list(list, "", outer);
}

Result<std::vector<Step>> StepReader::read_list(const Node& list, const std::string& prefix,
                                                std::vector<std::string>& outer) {
  if (!list.tree().is_list() || list.tree().empty()) {
    return list.fail(fmt::format("WebGPU variant {} requires passes", variant_));
  }
  std::vector<Step> steps;
  for (std::size_t index = 0; index < list.size(); ++index) {
    const Node node = list.at(index);
    WGK_CHECK(node.require_object());
    const bool group = node.has("repeat");
    std::string id = fmt::format("{}_{}", group ? "repeat" : "pass", index);
    if (node.has("id")) {
      WGK_TRY(id, node.at("id").non_empty_string());
    }
    if (group) {
      WGK_TRY(RepeatGroup repeat, read_group(node, id, outer, prefix));
      steps.push_back(Step{std::move(repeat)});
      continue;
    }
    // The expanded ids of two passes differ unless these are equal: a group may share its id with a pass.
    if (!ids_.insert(prefix + id).second) {
      return node.fail(fmt::format("WebGPU variant {} has duplicate pass id \"{}\"", variant_, printable(prefix + id)));
    }
    ++passes_;
    WGK_CHECK(
        node.limit(fmt::format("{} variant {}", node.context().op, variant_), "passes", passes_, limits::kMaxPasses));
    WGK_TRY(Pass pass, read_pass(node, id));
    steps.push_back(Step{std::move(pass)});
  }
  return steps;
}

Result<RepeatGroup> StepReader::read_group(const Node& node, const std::string& id, std::vector<std::string>& outer,
                                           const std::string& prefix) {
  static constexpr auto kRepeatKeys = std::to_array<std::string_view>({"index", "count"});
  const std::string where = fmt::format("variant {} repeat group {}", variant_, id);
  WGK_CHECK(check_group_keys(node, where));
  const Node repeat = node.at("repeat");
  WGK_CHECK(repeat.known_keys(fmt::format("WebGPU manifest {} {} repeat", node.context().op, where), kRepeatKeys));
  if (!repeat.has("index") || !repeat.has("count")) return repeat.fail_here("must have index and count");
  RepeatGroup group;
  group.id = id;
  WGK_TRY(group.index_name, repeat.at("index").string());
  const bool taken = std::find(outer.begin(), outer.end(), group.index_name) != outer.end();
  if (!is_identifier(group.index_name) || group.index_name == "index" || group.index_name == "count" || taken) {
    return repeat.at("index").fail(fmt::format(
        "WebGPU repeat group {} index \"{}\" must be an identifier other than index, count and the outer names", id,
        printable(group.index_name)));
  }
  WGK_TRY(group.count, read_count(repeat.at("count")));
  if (!node.has("passes"))
    return node.fail(fmt::format("WebGPU variant {} repeat group {} requires passes", variant_, id));
  outer.push_back(group.index_name);
  auto steps = read_list(node.at("passes"), prefix + id + "[].", outer);
  outer.pop_back();
  WGK_TRY(group.steps, std::move(steps));
  return group;
}

}  // namespace wgk::package
