// The README card: everything in it comes from the package, so it can be written again at any time.
#include <algorithm>

#include <fmt/format.h>

#include "package/card_use.h"
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
  std::string out =
      "## Attributes\n\nA call gives any of them; the others take their default.\n\n"
      "| Attribute | Default | Allowed | Description |\n| --- | --- | --- | --- |\n";
  for (const AttributeDecl& attribute : manifest.attributes) {
    const std::string value = attribute.default_value ? jinja::display_text(*attribute.default_value) : "";
    std::string allowed;
    for (const jinja::Value& item : attribute.values) {
      allowed += (allowed.empty() ? "" : ", ") + code(jinja::display_text(item));
    }
    out += fmt::format("| `{}` | {} | {} | {} |\n", cell(attribute.name), attribute.required ? "required" : code(value),
                       allowed.empty() ? "—" : allowed, cell(attribute.description));
  }
  return out + "\n";
}

std::string scalars_section(const Manifest& manifest) {
  if (manifest.scalars.empty()) return {};
  static constexpr const char* kKinds[] = {"u32", "i32", "f32", "bool", "string"};
  std::string out =
      "## Scalar arguments\n\n| Name | Kind | Allowed | Description | Presence |\n| --- | --- | --- | --- | --- |\n";
  for (const ScalarArg& scalar : manifest.scalars) {
    std::string allowed;
    for (const std::string& item : scalar.one_of) allowed += (allowed.empty() ? "" : ", ") + code(item);
    out += fmt::format("| `{}` | `{}` | {} | {} | {} |\n", cell(scalar.name), kKinds[static_cast<int>(scalar.kind)],
                       allowed.empty() ? "—" : allowed, cell(scalar.description),
                       scalar.required ? "required" : "optional");
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

std::string tunables_section(const Manifest& manifest) {
  if (manifest.tunables.empty()) return {};
  std::string out =
      "## Tunables\n\nThey change speed, never results. `wgk run --tunable` and `RunOptions::tunables` set them.\n\n"
      "| Tunable | Default | Description |\n| --- | --- | --- |\n";
  for (const Tunable& tunable : manifest.tunables) {
    out += fmt::format("| `{}` | {} | {} |\n", cell(tunable.name), code(jinja::display_text(tunable.value)),
                       cell(tunable.description));
  }
  return out + "\n";
}

std::string variants_section(const Manifest& manifest) {
  std::string out =
      "## Implementation variants\n\nEvery call runs one of these, chosen from its shapes, dtypes and attributes and "
      "the "
      "device; `wgk explain` says which and why.\n\n";
  for (const Variant& variant : manifest.variants) {
    out += fmt::format("- `{}`{}\n", variant.id, variant.description.empty() ? "" : " — " + cell(variant.description));
  }
  return out + "\n";
}

std::string_view file_purpose(std::string_view path) {
  if (path == "manifest.json") return " — the contract: ports, attributes, variants, passes";
  if (path == "test.json") return " — correctness cases, run by `wgk test`";
  if (path == "bench.json") return " — benchmark cases";
  return "";
}

std::string files_section(const LoadedPackage& loaded) {
  std::string out = "## Files\n\n- [`metadata.json`](build/webgpu/metadata.json) — identity and digests\n";
  for (const auto& entry : loaded.digests) {
    out += fmt::format("- [`{0}`](build/webgpu/{0}){1}\n", entry.first, file_purpose(entry.first));
  }
  return out + "\n";
}

std::string reference_line(const Manifest& manifest) {
  if (manifest.domain == "ai.onnx") {
    return fmt::format("Semantics: the [ONNX operator](https://onnx.ai/onnx/operators/onnx__{0}.html).\n\n",
                       manifest.name);
  }
  if (manifest.domain == "com.microsoft") {
    return fmt::format(
        "Semantics: the [ONNX Runtime contrib operator](https://github.com/microsoft/onnxruntime/blob/main/docs/"
        "ContribOperators.md#com.microsoft.{}).\n\n",
        manifest.name);
  }
  return {};
}

std::string domain_line(const Manifest& manifest) {
  std::string out = fmt::format("`{}`", manifest.domain);
  if (manifest.domain == "ai.onnx") out += "  ·  standard ONNX operator";
  if (manifest.domain == "com.microsoft") out += "  ·  ONNX Runtime contrib operator";
  if (manifest.since_version) {
    out += manifest.domain == "ai.onnx" ? fmt::format("  ·  ONNX opset ≥ {}", *manifest.since_version)
                                        : fmt::format("  ·  since version {}", *manifest.since_version);
  }
  return out;
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

std::string contract_markdown(const LoadedPackage& loaded, const CardParts& parts) {
  const Manifest& manifest = loaded.manifest;
  std::string out = "---\nlibrary_name: kernels\n";
  if (!loaded.license.empty()) out += fmt::format("license: {}\n", cell(loaded.license));
  out += fmt::format("tags:\n- kernel\n- webgpu\n- wgsl\n---\n# {}\n\n{}\n\n", manifest.op, domain_line(manifest));
  out += fmt::format("## Description\n\n{}\n\n{}", manifest.description, reference_line(manifest));
  out += "## Inputs\n\n" + ports_table(manifest, false) + "\n## Outputs\n\n" + ports_table(manifest, true) + "\n";
  out += attributes_section(manifest) + scalars_section(manifest) + types_section(manifest);
  out += tunables_section(manifest) + variants_section(manifest) + files_section(loaded);
  out += use_section(loaded, parts.example ? &*parts.example : nullptr);
  if (!parts.notes.empty()) out += "\n" + parts.notes;
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace wgk::package
