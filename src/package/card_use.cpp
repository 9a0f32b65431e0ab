// Examples of a call, in C++ and at the command line, with the shapes of a test case.
#include "package/card_use.h"

#include <fmt/format.h>

#include "base/json.h"

namespace wgk::package {
namespace {

using base::Json;

struct ExampleTensor {
  std::string key;
  DType dtype = DType::kFloat32;
  std::optional<Shape> shape;
};

std::string_view cpp_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float";
    case DType::kFloat16:
      return "wgk::Float16";
    case DType::kInt8:
      return "std::int8_t";
    case DType::kInt16:
      return "std::int16_t";
    case DType::kInt32:
      return "std::int32_t";
    case DType::kInt64:
      return "std::int64_t";
    case DType::kUint8:
      return "std::uint8_t";
    case DType::kUint32:
      return "std::uint32_t";
    case DType::kBool:
      return "bool";
  }
  return "float";
}

std::string list_text(const Shape& shape) {
  std::string out;
  for (const std::int64_t dimension : shape) out += fmt::format("{}{}", out.empty() ? "" : ", ", dimension);
  return out;
}

Json attribute_json(const AttributeValue& value) {
  struct ToJson {
    Json operator()(bool item) const { return item; }
    Json operator()(std::int64_t item) const { return item; }
    Json operator()(double item) const { return item; }
    Json operator()(const std::string& item) const { return item; }
    Json operator()(const AttributeValue::List& list) const {
      Json out = Json::array();
      for (const AttributeValue& item : list) out.push_back(attribute_json(item));
      return out;
    }
  };
  return std::visit(ToJson{}, value.get());
}

std::string attribute_cpp(const AttributeValue& value) {
  if (const auto* list = std::get_if<AttributeValue::List>(&value.get())) {
    std::string out;
    for (const AttributeValue& item : *list) out += (out.empty() ? "" : ", ") + attribute_cpp(item);
    return "wgk::AttributeValue::List{" + out + "}";
  }
  return attribute_json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<ExampleTensor> tensors(const Manifest& manifest, const TestCase* example) {
  std::vector<ExampleTensor> out;
  for (const Port& port : manifest.ports) {
    if (port.direction == Direction::kOutput) continue;
    if (example == nullptr) {
      if (!port.optional) out.push_back({port.key, DType::kFloat32, std::nullopt});
      continue;
    }
    for (const auto& [key, tensor] : example->inputs) {
      if (key == port.key) out.push_back({key, tensor.dtype, tensor.shape});
    }
  }
  return out;
}

std::string cpp_example(const LoadedPackage& loaded, const std::vector<ExampleTensor>& inputs,
                        const TestCase* example) {
  std::string declarations;
  std::string arguments;
  for (const ExampleTensor& input : inputs) {
    arguments += fmt::format("{}{{\"{}\", {}}}", arguments.empty() ? "" : ", ", input.key, input.key);
    if (!input.shape) continue;
    declarations += fmt::format("const auto {} = wgk::HostTensor::from<{}>({{{}}}, {}Data);\n", input.key,
                                cpp_type(input.dtype), list_text(*input.shape), input.key);
  }
  std::string attributes;
  if (example != nullptr) {
    for (const auto& [name, value] : example->attrs) {
      attributes +=
          fmt::format("{}{{{}, {}}}", attributes.empty() ? "" : ", ", Json(name).dump(), attribute_cpp(value));
    }
  }
  std::string results;
  for (const Port& port : loaded.manifest.ports) {
    if (port.direction == Direction::kInput || port.optional) continue;
    const std::string name = port.direction == Direction::kInout ? port.key + "Result" : port.key;
    results += fmt::format("const wgk::HostTensor& {} = result[\"{}\"];\n", name, port.key);
  }
  return fmt::format(
      "```cpp\n#include <wgk/wgk.hpp>\n\n{}\nconst auto kernel = wgk::get_kernel(\"{}\"{});\n"
      "const auto result = kernel({{{}}}{});\n{}```\n",
      declarations, loaded.manifest.op, loaded.version ? fmt::format(", {{.version = {}}}", *loaded.version) : "",
      arguments, attributes.empty() ? "" : ", {.attrs = {" + attributes + "}}", results);
}

std::string request_json(const std::vector<ExampleTensor>& inputs, const TestCase& example) {
  std::string out = "{\n  \"inputs\": {\n";
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    out += fmt::format(
        "    \"{}\": {{ \"dtype\": \"{}\", \"shape\": [{}], \"data\": {{ \"kind\": \"fill\", \"value\": 0 }} }}{}\n",
        inputs[index].key, dtype_name(inputs[index].dtype), list_text(*inputs[index].shape),
        index + 1 == inputs.size() ? "" : ",");
  }
  Json attributes = Json::object();
  for (const auto& [name, value] : example.attrs) attributes[name] = attribute_json(value);
  return out + "  },\n  \"attrs\": " + attributes.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n}\n";
}

}  // namespace

std::string use_section(const LoadedPackage& loaded, const TestCase* example) {
  const std::vector<ExampleTensor> inputs = tensors(loaded.manifest, example);
  std::string out = "## Use\n\nShapes and dtypes of the outputs follow from the call; the results are allocated.";
  if (example != nullptr) out += " Each `…Data` stands for the elements of a tensor, row by row.";
  out += "\n\n" + cpp_example(loaded, inputs, example) + "\nIn a terminal:\n\n```sh\n";
  if (example != nullptr && !inputs.empty()) {
    out += "cat > request.json <<'END'\n" + request_json(inputs, *example) + "END\n";
  }
  return out + fmt::format("wgk run {0} --request request.json\nwgk test {0}\n```\n", loaded.manifest.op);
}

}  // namespace wgk::package
