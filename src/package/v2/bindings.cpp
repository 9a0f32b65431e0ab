// Dialect 2.1: binding entries and their defaults (package-format 4.3).
#include <fmt/format.h>

#include "base/try.h"
#include "package/identifiers.h"
#include "package/v2/sections.h"

namespace wgk::package::v2 {
namespace {

constexpr auto kEntryKeys = std::to_array<std::string_view>(
    {"name", "arg", "scratch", "buffer", "elementType", "length", "structName", "struct"});
constexpr auto kFieldKeys =
    std::to_array<std::string_view>({"name", "type", "value", "required", "internal", "default"});

Result<BindingAccess> read_access(const Node& node) {
  WGK_TRY(const std::string type, node.string());
  if (type == "read-only-storage") return BindingAccess::kReadOnlyStorage;
  if (type == "storage") return BindingAccess::kStorage;
  if (type == "uniform") return BindingAccess::kUniform;
  return node.fail_here(fmt::format("must be read-only-storage, storage or uniform, got \"{}\"", printable(type)));
}

std::string_view storage_scalar(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "f32";
    case DType::kFloat16:
      return "f16";
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
      return "i32";
    case DType::kInt64:
      return "vec2<u32>";
    case DType::kUint8:
    case DType::kUint32:
    case DType::kBool:
      return "u32";
  }
  return "u32";
}

std::string port_element_type(const Port& port) {
  if (port.storage) return std::string(storage_scalar(*port.storage));
  if (port.dtype.empty()) return "f32";
  if (const auto dtype = dtype_from_name(port.dtype)) return std::string(storage_scalar(*dtype));
  return "$" + port.dtype;
}

/// An int64 that is stored whole can only be moved, as two words.
bool is_opaque_int64(const Manifest& manifest, const Port& port) {
  if (port.storage) return *port.storage == DType::kInt64;
  return admitted_dtypes(manifest, port.dtype) == std::vector{DType::kInt64};
}

Result<BindingEntry> read_uniform(const Node& node, BindingEntry entry, const std::string& where) {
  entry.is_uniform = true;
  if (node.has("elementType") || node.has("length")) {
    return node.fail_here("may not mix struct with elementType or length");
  }
  if (node.has("arg") || node.has("scratch")) return node.fail_here("may not mix struct with arg or scratch");
  if (entry.access && *entry.access != BindingAccess::kUniform) {
    return node.at("buffer").fail_here("must be uniform for an entry with struct");
  }
  entry.struct_name = "Params";
  if (node.has("structName")) {
    WGK_TRY(entry.struct_name, read_wgsl_name(node.at("structName")));
  }
  WGK_TRY(entry.fields, read_struct_fields(node.at("struct"), where, kFieldKeys));
  return entry;
}

}  // namespace

Result<BindingEntry> read_binding_entry(const Node& node, std::string_view handle) {
  const std::string where = handle.empty()
                                ? fmt::format("WebGPU manifest {} binding", node.context().op)
                                : fmt::format("WebGPU manifest {} bindings.{}", node.context().op, printable(handle));
  WGK_CHECK(node.known_keys(where, kEntryKeys));
  WGK_CHECK(node.charge(1));
  BindingEntry entry;
  entry.place = node.place();
  WGK_TRY(entry.arg, node.string_or("arg", ""));
  WGK_TRY(entry.scratch, node.string_or("scratch", ""));
  if (!entry.arg.empty() && !entry.scratch.empty()) return node.fail_here("may not have both arg and scratch");
  if (node.has("name")) {
    WGK_TRY(entry.name, read_wgsl_name(node.at("name")));
  } else {
    entry.name = !handle.empty() ? std::string(handle) : !entry.arg.empty() ? entry.arg : entry.scratch;
    if (entry.name.empty()) return node.fail_here("must have name, arg or scratch");
    if (!is_wgsl_identifier(entry.name)) {
      return node.fail_here(fmt::format("needs a name that is a WGSL identifier, not \"{}\"", printable(entry.name)));
    }
  }
  if (node.has("buffer")) {
    WGK_TRY(entry.access, read_access(node.at("buffer")));
  }
  if (node.has("struct")) return read_uniform(node, std::move(entry), where);
  if (entry.access == BindingAccess::kUniform) {
    return node.fail(fmt::format("WebGPU uniform binding {} requires struct", entry.name));
  }
  if (node.has("structName")) return node.at("structName").fail_here("belongs beside struct only");
  if (node.has("elementType")) {
    WGK_TRY(entry.element_type, read_element_type(node.at("elementType")));
  }
  if (node.has("length")) {
    WGK_TRY(entry.length, read_length(node.at("length")));
  }
  return entry;
}

Result<Binding> resolve_entry(const BindingEntry& entry, const Manifest& manifest, const Variant& variant,
                              std::string_view where, const Node& node) {
  const auto here = [&] { return Node(node.tree(), entry.place, node.context()); };
  Binding binding;
  binding.name = entry.name;
  binding.length = entry.length;
  binding.element_type = entry.element_type;
  if (entry.is_uniform) {
    binding.access = BindingAccess::kUniform;
    binding.source = PlanBinding::Source::kUniform;
    binding.struct_name = entry.struct_name;
    binding.fields = entry.fields;
    return binding;
  }
  const std::string& scratch_id = entry.scratch.empty() ? entry.name : entry.scratch;
  for (std::uint32_t index = 0; index < variant.scratch.size(); ++index) {
    const ScratchDecl& scratch = variant.scratch[index];
    if (scratch.id != scratch_id) continue;
    binding.source = PlanBinding::Source::kScratch;
    binding.index = index;
    binding.access = entry.access.value_or(BindingAccess::kStorage);
    if (binding.element_type.empty()) binding.element_type = storage_scalar(scratch.storage);
    return binding;
  }
  const std::string& tensor = entry.arg.empty() ? entry.name : entry.arg;
  if (entry.scratch.empty()) {
    for (std::uint32_t index = 0; index < manifest.ports.size(); ++index) {
      const Port& port = manifest.ports[index];
      if (port.key != tensor) continue;
      binding.source = PlanBinding::Source::kTensor;
      binding.index = index;
      binding.access = entry.access.value_or(port.direction == Direction::kInput ? BindingAccess::kReadOnlyStorage
                                                                                 : BindingAccess::kStorage);
      if (binding.element_type.empty()) binding.element_type = port_element_type(port);
      if (is_opaque_int64(manifest, port) && binding.element_type != "vec2<u32>" &&
          !binding.element_type.starts_with('$')) {
        return here().fail(fmt::format("{} binding \"{}\" holds opaque int64 and needs element type vec2<u32>, not {}",
                                       where, binding.name, binding.element_type));
      }
      return binding;
    }
  }
  std::vector<std::string> names;
  for (const Port& port : manifest.ports) names.push_back(port.key);
  for (const ScratchDecl& scratch : variant.scratch) names.push_back(scratch.id);
  const std::string& wanted = entry.scratch.empty() ? tensor : entry.scratch;
  return here().fail(
      fmt::format("{} binding \"{}\" names request tensor \"{}\", which is neither an input, an output nor "
                  "an intermediate of the variant{}",
                  where, binding.name, printable(wanted), suggestion(wanted, names)));
}

}  // namespace wgk::package::v2
