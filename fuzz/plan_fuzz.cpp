// Planning: bytes choose a manifest from a small grammar and a request; make_plan must answer with a plan or an error.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "package/load.h"
#include "plan/make_plan.h"

namespace {

/// Reads the input as a stream of choices; an exhausted stream answers zero.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  bool flag() { return (byte() & 1) != 0; }

  template <std::size_t N>
  std::string_view pick(const std::string_view (&options)[N]) {
    return options[byte() % N];
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

constexpr std::string_view kExpressions[] = {"1",
                                             "0",
                                             "attrs.n",
                                             "numel(shapes.x)",
                                             "dim(shapes.x, 0)",
                                             "ranks.x",
                                             "d0",
                                             "d1 + 1",
                                             "attrs.n / 0",
                                             "-1",
                                             "derive.d0",
                                             "repeat.index",
                                             "missing",
                                             "fill(1, attrs.n)",
                                             "shapes.x",
                                             "attrs.n == 1",
                                             "present.y",
                                             "true",
                                             "2 ** 60",
                                             "tunables.W",
                                             "attrs.list",
                                             "dtypes.T"};
constexpr std::string_view kDtypes[] = {"T", "float32", "float16", "int64", "uint8", "bool", "U"};
constexpr std::string_view kElements[] = {"f32", "vec4<f16>", "$T", "$d0", "$nothing", "vec3<f32>"};
constexpr std::string_view kTemplates[] = {"{{ env.wgsl.resourceDeclarations }}", "f16 {{ d0 }}",
                                           "{% for i in range(3) %}{{ i }}{% endfor %}", "{{ nothing() }}",
                                           "@subgroup_size(1) // f16"};

std::string binding(Choices& choices, std::string_view tensor) {
  return fmt::format(R"({{"arg": "{}", "elementType": "{}"}})", tensor, choices.pick(kElements));
}

std::string pass(Choices& choices, int number) {
  const std::string dispatch = choices.flag() ? fmt::format(R"({{"x": "{}"}})", choices.pick(kExpressions))
                                              : fmt::format(R"({{"threads": "{}", "workgroupSize": "{}"}})",
                                                            choices.pick(kExpressions), choices.pick(kExpressions));
  return fmt::format(R"({{"id": "p{}", "shader": "a.wgsl.jinja", "dispatch": {}, "bindings": [{}, {},
    {{"name": "u", "struct": [{{"name": "a", "type": "u32", "value": "{}"}}]}}]}})",
                     number, dispatch, binding(choices, "x"), binding(choices, "y"), choices.pick(kExpressions));
}

std::string variant(Choices& choices, int number) {
  std::string passes = pass(choices, 0);
  if (choices.flag()) {
    passes = fmt::format(R"({{"id": "g", "repeat": {{"index": "i", "count": "{}"}}, "passes": [{}]}}, {})",
                         choices.pick(kExpressions), passes, pass(choices, 1));
  }
  return fmt::format(R"({{"id": "v{}", "when": ["{}"], "passes": [{}]}})", number, choices.pick(kExpressions), passes);
}

std::string manifest(Choices& choices) {
  return fmt::format(R"({{"name": "Op", "inputs": {{"x": {{"dtype": "{}"}}}},
    "outputs": {{"y": {{"dtype": "{}", "shape": "{}"}}}},
    "attributes": {{"n": {{"default": 1}}, "list": {{}}}}, "typeConstraints": {{"T": ["float32", "float16"]}},
    "tunables": {{"W": {{"default": 64}}}}, "derive": {{"d0": "{}", "d1": "{}"}}, "variants": [{}, {}]}})",
                     choices.pick(kDtypes), choices.pick(kDtypes), choices.pick(kExpressions),
                     choices.pick(kExpressions), choices.pick(kExpressions), variant(choices, 0), variant(choices, 1));
}

wgk::PlanRequest request(Choices& choices) {
  wgk::TensorSpec spec;
  spec.dtype = static_cast<wgk::DType>(choices.byte() % 9);
  for (int rank = choices.byte() % 5; rank > 0; --rank) {
    const std::int64_t dim = choices.byte();
    spec.shape.push_back(choices.flag() ? dim << (choices.byte() % 56) : dim - 1);
  }
  wgk::PlanRequest request;
  request.inputs.emplace("x", std::move(spec));
  request.attributes.emplace("n", static_cast<std::int64_t>(choices.byte()) - 2);
  if (choices.flag()) request.attributes.emplace("list", wgk::AttributeValue::List{1, 2});
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  const std::string text = manifest(choices);
  const std::map<std::string, std::string> templates{{"a.wgsl.jinja", std::string(choices.pick(kTemplates))}};
  const auto package = wgk::package::load_unverified(text, templates, "fuzz");
  if (!package.ok()) return 0;
  const auto plan =
      wgk::plan::make_plan(**package, request(choices), wgk::DeviceProfile::webgpu_defaults(), {choices.flag()});
  if (plan.ok()) (void)plan->to_json();
  return 0;
}
