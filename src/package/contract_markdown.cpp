// The README card: everything in it comes from the package, so it can be written again at any time.
#include <algorithm>

#include <fmt/format.h>

#include "package/contract.h"

namespace wgk::package {
namespace {

/// Text for a table cell: one line, bars escaped.
std::string cell(std::string_view text) {
  if (text.empty()) return "—";
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) { return text.empty() ? "—" : fmt::format("`{}`", cell(text)); }

std::string ports_table(const Manifest& manifest, bool outputs) {
  std::string out =
      "| Name | ONNX name | Dtype | Stored as | Rank | Shape | Description | Presence |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Port& port : manifest.ports) {
    if (port.direction == (outputs ? Direction::kInput : Direction::kOutput)) continue;
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", port.key, code(port.onnx_name),
                       code(port.dtype.empty() ? "float32" : port.dtype),
                       port.storage ? code(dtype_name(*port.storage)) : "its dtype", code(port.rank_text),
                       outputs && port.shape ? code(formula_text(*port.shape)) : "—", cell(port.description),
                       port.optional ? "optional" : "required");
  }
  return out;
}

std::string attributes_section(const Manifest& manifest) {
  if (manifest.attributes.empty()) return {};
  std::string out = "## Attributes\n\n| Attribute | Default | Description |\n| --- | --- | --- |\n";
  for (const AttributeDecl& attribute : manifest.attributes) {
    const std::string value = attribute.default_value ? jinja::display_text(*attribute.default_value) : "";
    out += fmt::format("| `{}` | {} | {}{} |\n", cell(attribute.name), code(value), cell(attribute.description),
                       attribute.required ? " Required." : "");
  }
  return out + "\n";
}

std::string types_section(const Manifest& manifest) {
  if (manifest.type_vars.empty()) return {};
  std::string out = "## Type constraints\n\n| Variable | Dtypes |\n| --- | --- |\n";
  for (const auto& [name, dtypes] : manifest.type_vars) {
    std::string list;
    for (const DType dtype : dtypes) list += fmt::format("{}`{}`", list.empty() ? "" : ", ", dtype_name(dtype));
    out += fmt::format("| `{}` | {} |\n", name, list);
  }
  return out + "\n";
}

std::string variants_section(const Manifest& manifest) {
  std::string out =
      "## Implementation variants\n\nEach call picks one variant from the shapes, dtypes, attributes and device.\n\n";
  for (const Variant& variant : manifest.variants) {
    out += fmt::format("- `{}`{}\n", variant.id, variant.description.empty() ? "" : " — " + cell(variant.description));
  }
  return out + "\n";
}

std::string files_section(const LoadedPackage& loaded) {
  std::string out = "## Files\n\n- [`metadata.json`](build/webgpu/metadata.json)\n";
  for (const auto& entry : loaded.digests) out += fmt::format("- [`{0}`](build/webgpu/{0})\n", entry.first);
  return out + "\n";
}

std::string use_section(const Manifest& manifest) {
  std::string inputs;
  std::string output;
  for (const Port& port : manifest.ports) {
    if (port.direction == Direction::kOutput) {
      if (output.empty()) output = port.key;
      continue;
    }
    if (!port.optional) inputs += fmt::format("{}{{\"{}\", {}}}", inputs.empty() ? "" : ", ", port.key, port.key);
  }
  return fmt::format(
      "## Use\n\n```cpp\n#include <wgk/wgk.hpp>\n\nauto package = wgk::Package::load(\"{}\").value();\n```\n\n"
      "From a terminal, with a request in the shape of a `test.json` case:\n\n```sh\nwgk run {} --request "
      "request.json\n"
      "```\n\nA call gives the tensors {} and returns `{}`; output shapes and dtypes follow from them.\n",
      manifest.op, manifest.op, inputs.empty() ? "it needs" : "`{" + inputs + "}`", output);
}

}  // namespace

std::string formula_text(const Formula& formula) {
  struct Text {
    std::string operator()(const jinja::Value& value) const { return jinja::display_text(value); }
    std::string operator()(const jinja::Expression& expression) const { return expression.text(); }
    std::string operator()(const Formula::Broken& broken) const { return broken.text; }
    std::string operator()(const Formula::List& list) const {
      std::string out;
      for (const Formula& item : list) out += (out.empty() ? "" : ", ") + formula_text(item);
      return "[" + out + "]";
    }
    std::string operator()(const Formula::Map& map) const {
      std::string out;
      for (const auto& [name, item] : map) out += (out.empty() ? "" : ", ") + name + ": " + formula_text(item);
      return "{" + out + "}";
    }
  };
  return std::visit(Text{}, formula.node);
}

std::string contract_markdown(const LoadedPackage& loaded) {
  const Manifest& manifest = loaded.manifest;
  std::string out = "---\nlibrary_name: kernels\n";
  if (!loaded.license.empty()) out += fmt::format("license: {}\n", cell(loaded.license));
  out += fmt::format("tags:\n- kernel\n- webgpu\n- wgsl\n---\n# {}\n\n`{}`", manifest.op, manifest.domain);
  if (manifest.since_version) {
    out += manifest.domain == "ai.onnx" ? fmt::format("  ·  ONNX opset ≥ {}", *manifest.since_version)
                                        : fmt::format("  ·  since version {}", *manifest.since_version);
  }
  out += fmt::format("\n\n## Description\n\n{}\n\n", manifest.description);
  out += "## Inputs\n\n" + ports_table(manifest, false) + "\n## Outputs\n\n" + ports_table(manifest, true) + "\n";
  out += attributes_section(manifest) + types_section(manifest) + variants_section(manifest);
  out += files_section(loaded) + use_section(manifest);
  return out;
}

}  // namespace wgk::package
