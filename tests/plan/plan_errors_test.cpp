// Error texts of uniforms, resources, scratch, passes and scalars: one row per rule, the whole message.
#include <limits>

#include <gtest/gtest.h>

#include "small_manifest.h"

namespace wgk::plan {
namespace {

using namespace testing_support;

SmallManifest with_field(const std::string& field) {
  SmallManifest manifest;
  manifest.bindings = R"("x", "y", {"name": "params", "struct": [{"name": "n", )" + field + "}]}";
  return manifest;
}

struct FieldCase {
  const char* field;  ///< members of the one field, after its name
  const char* message;
};

TEST(UniformErrors, Texts) {
  const std::string place = "WebGPU op ai.onnx.Op variant v pass p: ";
  const FieldCase cases[] = {
      {R"("type": "u32", "value": 1)", ""},
      {R"("type": "u32", "value": "present")", "WebGPU uniform params.n must resolve to a finite number"},
      {R"("type": "u32", "value": "true")", "WebGPU uniform params.n must resolve to a finite number"},
      {R"("type": "u32", "value": "attrs.q")", "WebGPU uniform params.n must resolve to a finite number"},
      {R"("type": "u32", "value": "1 / 0")", "WebGPU uniform params.n must resolve to a finite number"},
      {R"("type": "f32", "value": "0 / 0")", "WebGPU uniform params.n must resolve to a finite number"},
      {R"("type": "f32", "value": "1 / 0")", ""},
      {R"("type": "u32", "value": -1)", "Uniform Params.n must be an integer u32 in [0, 4294967295]"},
      {R"("type": "u32", "value": 1.5)", "Uniform Params.n must be an integer u32 in [0, 4294967295]"},
      {R"("type": "u32", "value": 4294967295)", ""},
      {R"("type": "u32", "value": 4294967296)", "Uniform Params.n must be an integer u32 in [0, 4294967295]"},
      {R"("type": "i32", "value": -2147483648)", ""},
      {R"("type": "i32", "value": -2147483649)",
       "Uniform Params.n must be an integer i32 in [-2147483648, 2147483647]"},
      {R"("type": "i32", "value": 2147483648)", "Uniform Params.n must be an integer i32 in [-2147483648, 2147483647]"},
      {R"("type": "u32")", "Missing uniform field Params.n"},
      {R"("type": "u32", "required": false)", ""},
      {R"("type": "u32", "internal": true)", ""},
      {R"("type": "u32", "default": 7)", ""},
  };
  for (const FieldCase& c : cases) {
    const std::string wanted = *c.message == '\0' ? "" : place + c.message;
    EXPECT_EQ(message(with_field(c.field).plan(x_request())), wanted) << c.field;
  }
}

struct WordCase {
  const char* field;
  const char* bytes;
};

TEST(UniformBytes, ByType) {
  const WordCase cases[] = {
      {R"("type": "u32", "value": 4294967295)", "ffffffff 00000000 00000000 00000000"},
      {R"("type": "i32", "value": -2)", "feffffff 00000000 00000000 00000000"},
      {R"("type": "f32", "value": 0.1)", "cdcccc3d 00000000 00000000 00000000"},
      {R"("type": "f32", "value": "1 / 0")", "0000807f 00000000 00000000 00000000"},
      {R"_("type": "f32", "value": "pow(10, 300)")_", "0000807f 00000000 00000000 00000000"},
      // 2^24 + 1 lies between two floats and goes to the even one.
      {R"("type": "f32", "value": 16777217)", "0000804b 00000000 00000000 00000000"},
      {R"("type": "u32", "default": 7)", "07000000 00000000 00000000 00000000"},
      {R"("type": "u32", "required": false)", "00000000 00000000 00000000 00000000"},
  };
  for (const WordCase& c : cases) {
    const auto plan = with_field(c.field).plan(x_request());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(hex_words(plan->uniforms.at(0).bytes), c.bytes) << c.field;
  }
}

TEST(UniformBytes, ScalarArgumentComesAfterValueAndBeforeDefault) {
  struct Case {
    const char* field;
    const char* bytes;
  };
  const Case cases[] = {
      {R"("type": "u32", "value": 5, "default": 7)", "05000000 00000000 00000000 00000000"},
      {R"("type": "u32", "default": 7)", "06000000 00000000 00000000 00000000"},
  };
  for (const Case& c : cases) {
    SmallManifest manifest = with_field(c.field);
    manifest.args = R"("n": {"kind": "u32"})";
    PlanRequest request = x_request();
    request.args = {{"n", 6}};
    const auto plan = manifest.plan(request);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(hex_words(plan->uniforms.at(0).bytes), c.bytes);
  }
}

TEST(UniformStructs, PaddingSkipsNamesThatFieldsHave) {
  SmallManifest manifest;
  manifest.shader = "{{ env.wgsl.resourceDeclarations }}";
  manifest.bindings = R"({"name": "s", "structName": "S", "struct": [{"name": "_pad0", "type": "f32", "value": 1},
    {"name": "_pad2", "type": "i32", "value": 2}]})";
  const auto plan = manifest.plan(x_request());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->passes[0].wgsl,
            "struct S { _pad0: f32, _pad2: i32, _pad1: u32, _pad3: u32 };\n"
            "@group(0) @binding(0) var<uniform> s: S;");
  EXPECT_EQ(hex_words(plan->uniforms[0].bytes), "0000803f 02000000 00000000 00000000");
}

TEST(UniformStructs, OneNameOneSchema) {
  const auto bindings = [](const char* second) {
    return std::string(R"({"name": "s", "structName": "S", "struct": [{"name": "a", "type": "u32", "value": 1}]},
      {"name": "t", "structName": "S", "struct": [{"name": ")") +
           second + R"(", "type": "u32", "value": 2}]})";
  };
  SmallManifest manifest;
  manifest.shader = "{{ env.wgsl.resourceDeclarations }}";
  manifest.bindings = bindings("a");
  const auto same = manifest.plan(x_request());
  ASSERT_TRUE(same.ok()) << same.error().message;
  EXPECT_EQ(same->passes[0].wgsl,
            "struct S { a: u32, _pad0: u32, _pad1: u32, _pad2: u32 };\n"
            "@group(0) @binding(0) var<uniform> s: S;\n@group(0) @binding(1) var<uniform> t: S;");
  EXPECT_EQ(same->uniforms.size(), 2u);
  manifest.bindings = bindings("b");
  EXPECT_EQ(message(manifest.plan(x_request())),
            "WebGPU op ai.onnx.Op variant v pass p: uniform struct S is declared with conflicting schemas");
}

struct BindingCase {
  const char* derive;   ///< of the pass
  const char* binding;  ///< members of the binding of x
  const char* message;
  const char* declaration;
};

TEST(Bindings, ReferencesAndLengths) {
  const BindingCase cases[] = {
      {"", R"("elementType": "$Q")", "Missing template value Q for binding x elementType", ""},
      {R"("Q": "none")", R"("elementType": "$Q")", "Missing template value Q for binding x elementType", ""},
      {R"("Q": "attrs.q")", R"("elementType": "$Q")", "Missing template value Q for binding x elementType", ""},
      {R"("Q": 4)", R"("elementType": "$Q")", "binding x elementType must resolve to a string, got 4", ""},
      {R"("Q": "'vec4<f32>'")", R"("elementType": "$Q")", "", "array<vec4<f32>>;"},
      {"", R"("elementType": "$float32")", "", "array<f32>;"},
      {"", R"("length": "$Q")", "Missing template value Q for binding x length", ""},
      {R"("Q": "none")", R"("length": "$Q")", "Missing template value Q for binding x length", ""},
      {R"("Q": 0)", R"("length": "$Q")", "binding x length must resolve to a positive integer, got 0", ""},
      {R"("Q": "'4'")", R"("length": "$Q")", "binding x length must resolve to a positive integer, got \"4\"", ""},
      {R"("Q": 2.5)", R"("length": "$Q")", "binding x length must resolve to a positive integer, got 2.5", ""},
      {R"_("Q": "numel(shapes.x)")_", R"("length": "$Q")", "", "array<f32, 4u>;"},
      {"", R"("length": 4)", "", "array<f32, 4u>;"},
      {"", R"("length": 5)", "binding x: bound tensor provides 16 bytes but the declared fixed length requires 20", ""},
      {"", R"("length": 2, "elementType": "vec3<f32>")",
       "binding x: bound tensor provides 16 bytes but the declared fixed length requires 32", ""},
      {"", R"("length": 1, "elementType": "vec3<f32>")", "", "array<vec3<f32>, 1u>;"},
      {"", R"("length": 1, "elementType": "Thing")",
       "binding x: the size of element type Thing is unknown, so it cannot have a length", ""},
  };
  for (const BindingCase& c : cases) {
    SmallManifest manifest;
    manifest.shader = "{{ env.wgsl.resourceDeclarations }}";
    manifest.bindings = std::string(R"({"arg": "x", )") + c.binding + R"(}, "y")";
    if (*c.derive != '\0') manifest.pass = std::string(R"(, "derive": {)") + c.derive + "}";
    const auto plan = manifest.plan(x_request());
    const std::string wanted =
        *c.message == '\0' ? "" : std::string("WebGPU op ai.onnx.Op variant v pass p: ") + c.message;
    EXPECT_EQ(message(plan), wanted) << c.binding;
    if (!plan.ok()) continue;
    const std::string line = plan->passes[0].wgsl.substr(0, plan->passes[0].wgsl.find('\n'));
    EXPECT_EQ(line, std::string("@group(0) @binding(0) var<storage, read> x: ") + c.declaration);
  }
}

TEST(Bindings, AbsentOptionalTensor) {
  SmallManifest manifest;
  manifest.bindings = R"("b", "y")";
  EXPECT_EQ(message(manifest.plan(x_request())),
            "WebGPU op ai.onnx.Op variant v pass p: Missing resource for binding b");
  PlanRequest request = x_request();
  request.inputs["b"] = {DType::kFloat32, {0}};
  const auto plan = manifest.plan(request);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->passes[0].bindings[0].size_bytes, 4u);  // empty, but bound
}

TEST(Bindings, PackedUint8HoldsFourPerWord) {
  SmallManifest manifest;
  manifest.inputs = R"("x": {"dtype": "uint8", "layout": "packed"})";
  manifest.outputs = R"("y": {"dtype": "uint8", "shape": "shapes.x"})";
  manifest.shader = "{{ env.wgsl.resourceDeclarations }}";
  PlanRequest request;
  request.inputs = {{"x", {DType::kUint8, {5}}}};
  const auto plan = manifest.plan(request);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->tensors[0].format, (StorageFormat{DType::kUint8, DType::kUint8, true, false}));
  EXPECT_EQ(plan->tensors[0].storage_bytes, 8u);
  EXPECT_EQ(plan->tensors[1].format, (StorageFormat{DType::kUint8, DType::kUint8, false, false}));
  EXPECT_EQ(plan->tensors[1].storage_bytes, 20u);
  EXPECT_EQ(plan->passes[0].wgsl,
            "@group(0) @binding(0) var<storage, read> x: array<u32>;\n"
            "@group(0) @binding(1) var<storage, read_write> y: array<u32>;");
}

TEST(Bindings, InoutIsOneTensor) {
  SmallManifest manifest;
  manifest.inputs = R"("x": {"dtype": "float32"})";
  manifest.outputs = R"("x": {"dtype": "float32"})";
  manifest.bindings = R"("x")";
  const auto plan = manifest.plan(x_request());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->tensors.size(), 1u);
  EXPECT_TRUE(plan->tensors[0].is_input);
  EXPECT_TRUE(plan->tensors[0].is_output);
  EXPECT_EQ(plan->passes[0].bindings[0].access, BindingAccess::kStorage);
}

TEST(Bindings, ViewAliasAndSubmitAfterReachThePlan) {
  SmallManifest manifest;
  manifest.pass = R"(, "submitAfter": true, "viewAlias": [{"input": "x", "output": "y"}])";
  const auto plan = manifest.plan(x_request());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(plan->passes[0].submit_after);
  EXPECT_EQ(plan->passes[0].view_alias, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}}));
}

struct ScratchCase {
  const char* shape;
  const char* message;
  Shape made;
};

TEST(Scratch, Shapes) {
  const ScratchCase cases[] = {
      {"4", "", {4}},
      {"\"shapes.x\"", "", {4}},
      {"[2, \"attrs.n\"]", "", {2, 1}},
      {"\"[]\"", "", {}},
      {"-1", "WebGPU scratch t shape dimension must be a nonnegative integer, got -1", {}},
      {"[1.5]", "WebGPU scratch t shape dimension must be a nonnegative integer, got 1.5", {}},
      {"\"none\"", "WebGPU scratch t shape dimension must be a nonnegative integer, got null", {}},
      {"[\"'a'\"]", "WebGPU scratch t shape dimension must be a nonnegative integer, got \"a\"", {}},
      {"[67108865]",
       "ai.onnx.Op: scratch \"t\" needs 268435460 bytes; the device allows 268435456 (maxBufferSize)",
       {}},
      {"[33554433]",
       "ai.onnx.Op: scratch \"t\" needs 134217732 bytes; the device allows 134217728 (maxStorageBufferBindingSize)",
       {}},
      {"[33554432]", "", {33554432}},
      {"[9007199254740991, 2]", "ai.onnx.Op: scratch \"t\" shape is out of range", {}},
  };
  for (const ScratchCase& c : cases) {
    SmallManifest manifest;
    manifest.variant = std::string(R"(, "intermediates": [{"id": "t", "dtype": "float32", "shape": )") + c.shape + "}]";
    manifest.bindings = R"("x", "t", "y")";
    const auto plan = manifest.plan(x_request());
    EXPECT_EQ(message(plan), c.message) << c.shape;
    if (plan.ok()) {
      EXPECT_EQ(plan->scratch.at(0).shape, c.made) << c.shape;
    }
  }
}

TEST(Scratch, UnboundIsNotAllocatedAndZeroInitIsKept) {
  SmallManifest manifest;
  manifest.variant = R"(, "intermediates": [{"id": "unused", "dtype": "float32", "shape": 4},
    {"id": "t", "dtype": "float16", "shape": 3, "zeroInit": true}])";
  manifest.bindings = R"("x", "t", "y")";
  const auto plan = manifest.plan(x_request(), f16_profile());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->scratch.size(), 1u);
  EXPECT_EQ(plan->scratch[0], (PlanScratch{"t", DType::kFloat16, {3}, 6, true}));
  EXPECT_EQ(plan->passes[0].bindings[1].index, 0u);
  EXPECT_EQ(plan->passes[0].bindings[1].size_bytes, 8u);
}

std::string pass_json(const std::string& id) {
  return R"({"id": ")" + id + R"(", "shader": "a.wgsl.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1}})";
}

std::string group_json(const std::string& id, const std::string& index, const std::string& count,
                       const std::string& passes) {
  return R"({"id": ")" + id + R"(", "repeat": {"index": ")" + index + R"(", "count": )" + count + R"(}, "passes": [)" +
         passes + "]}";
}

TEST(Passes, NestedRepeatsSeeBothIndices) {
  SmallManifest manifest;
  manifest.passes = group_json("g", "i", "2", group_json("h", "j", "\"repeat.i + 1\"", pass_json("p")));
  manifest.shader = "{{ repeat.index }} {{ repeat.count }} {{ repeat.i }}/{{ repeat.i_count }} {{ repeat.j }}";
  const auto plan = manifest.plan(x_request());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const std::pair<const char*, const char*> wanted[] = {
      {"g[0].h[0].p", "0 1 0/2 0"}, {"g[1].h[0].p", "0 2 1/2 0"}, {"g[1].h[1].p", "1 2 1/2 1"}};
  ASSERT_EQ(plan->passes.size(), std::size(wanted));
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    EXPECT_EQ(plan->passes[i].id, wanted[i].first);
    EXPECT_EQ(plan->passes[i].wgsl, wanted[i].second);
  }
}

TEST(Passes, ExpansionErrors) {
  struct Case {
    std::string passes;
    const char* message;
  };
  const Case cases[] = {
      {group_json("g", "i", "0", pass_json("p")), "WebGPU op ai.onnx.Op variant v expands to no pass"},
      {group_json("g", "i", "1", pass_json("p")) + "," + pass_json("g[0].p"),
       "WebGPU op ai.onnx.Op variant v has duplicate expanded pass id \"g[0].p\""},
      {group_json("g", "i", "\"1.5\"", pass_json("p")),
       "WebGPU repeat group g count must resolve to an integer in [0, 65535], got 1.5"},
      {group_json("g", "i", "\"'3'\"", pass_json("p")),
       "WebGPU repeat group g count must resolve to an integer in [0, 65535], got \"3\""},
      {group_json("g", "i", "65536", pass_json("p")),
       "WebGPU repeat group g count must resolve to an integer in [0, 65535], got 65536"},
      {group_json("g", "i", "4096", pass_json("p")), ""},
      {group_json("g", "i", "4097", pass_json("p")),
       "WebGPU op ai.onnx.Op variant v: too many pass instances (4097; the limit is 4096)"},
  };
  for (const Case& c : cases) {
    SmallManifest manifest;
    manifest.passes = c.passes;
    manifest.shader = "x";
    EXPECT_EQ(message(manifest.plan(x_request())), c.message);
  }
}

/// Symptom: a group id of 100 kB, repeated 4096 times, made a plan of hundreds of megabytes.
TEST(Passes, LongNamesCannotFillTheMemory) {
  SmallManifest manifest;
  manifest.shader = "x";
  manifest.passes = group_json(std::string(100'000, 'g'), "i", "4096", pass_json("p"));
  EXPECT_EQ(message(manifest.plan(x_request())),
            "WebGPU op ai.onnx.Op variant v names and fields of all passes exceed 67108864 bytes");
}

TEST(Passes, DeriveNamespaceOfEveryInstanceIsCharged) {
  SmallManifest manifest;
  manifest.shader = "x";
  std::string derives, values;
  for (int i = 0; i < 500; ++i) {
    derives += (i == 0 ? "\"d" : ",\"d") + std::to_string(i) + "\": 1";
    values += (i == 0 ? "\"v" : ",\"v") + std::to_string(i) + "\": \"derive.d0\"";
  }
  manifest.derive = derives;
  manifest.passes = group_json("g", "i", "4000",
                               R"({"id": "p", "shader": "a.wgsl.jinja", "bindings": ["x", "y"], "dispatch": {"x": 1},
      "derive": {)" + values + "}}");
  const std::string text = message(manifest.plan(x_request()));
  EXPECT_NE(text.find("evaluation step limit (1000000) exceeded"), std::string::npos) << text;
}

TEST(Passes, ValuesSeeEarlierOnesAndTheOuterValueOfTheirName) {
  SmallManifest manifest;
  manifest.derive = R"("a": 1)";
  manifest.pass = R"(, "derive": {"a": "a + 1", "b": "a * 10", "c": "derive.a + derive.b"})";
  manifest.shader = "{{ a }} {{ b }} {{ c }} {{ derive.a }} {{ float32 }}";
  const auto plan = manifest.plan(x_request());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->passes[0].wgsl, "2 20 22 2 f32");
}

struct ScalarCase {
  const char* kind;
  AttributeValue value;
  const char* message;
};

TEST(Scalars, ByKind) {
  const ScalarCase cases[] = {
      {R"("kind": "f32")", 1.5, ""},
      {R"("kind": "f32")", std::numeric_limits<double>::infinity(), "WebGPU arg s must be a finite number"},
      {R"("kind": "f32")", true, "WebGPU arg s must be a finite number"},
      {R"("kind": "u32")", 4294967295, ""},
      {R"("kind": "u32")", 4294967296, "WebGPU arg s must be a u32"},
      {R"("kind": "u32")", -1, "WebGPU arg s must be a u32"},
      {R"("kind": "u32")", 1.5, "WebGPU arg s must be a u32"},
      {R"("kind": "i32")", -2147483648LL, ""},
      {R"("kind": "i32")", 2147483648LL, "WebGPU arg s must be an i32"},
      {R"("kind": "bool")", true, ""},
      {R"("kind": "bool")", 1, "WebGPU arg s must be a boolean"},
      {R"("kind": "string")", "a", ""},
      {R"("kind": "string")", 1, "WebGPU arg s must be a string"},
      {R"("kind": "string", "oneOf": ["a", "b"])", "b", ""},
      {R"("kind": "string", "oneOf": ["a", "b"])", "c", "WebGPU arg s must be one of a, b"},
  };
  for (const ScalarCase& c : cases) {
    SmallManifest manifest;
    manifest.args = std::string(R"("s": {)") + c.kind + "}";
    PlanRequest request = x_request();
    request.args.emplace("s", c.value);
    EXPECT_EQ(message(manifest.plan(request)), c.message) << c.kind;
  }
  SmallManifest manifest;
  manifest.args = R"("s": {"kind": "f32"})";
  EXPECT_EQ(message(manifest.plan(x_request())), "WebGPU op ai.onnx.Op missing required arg s");
  manifest.args = R"("s": {"kind": "f32", "required": false})";
  manifest.shader = "{{ args.s is defined }} {{ present.s }}";
  const auto plan = manifest.plan(x_request());
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->passes[0].wgsl, "false false");
}

TEST(Tunables, ManifestThenVariantThenCall) {
  SmallManifest manifest;
  manifest.more = R"(, "tunables": {"A": {"default": 1}, "B": {"default": 2}})";
  manifest.variant = R"(, "tunables": {"B": 3, "C": 4})";
  manifest.shader = "{{ tunables.A }} {{ tunables.B }} {{ tunables.C }}";
  struct Case {
    std::map<std::string, AttributeValue, std::less<>> overrides;
    const char* wgsl;
    const char* message;
  };
  const Case cases[] = {
      {{}, "1 3 4", ""},
      {{{"A", 9}}, "9 3 4", ""},
      {{{"B", 9}, {"C", "z"}}, "1 9 z", ""},
      {{{"D", 9}}, "", "WebGPU op ai.onnx.Op: unknown tunable \"D\" — not declared by the manifest (known: A, B, C)"},
      {{{"A", std::numeric_limits<double>::infinity()}},
       "",
       "WebGPU op ai.onnx.Op tunable A: the number must be finite"},
      {{{"A", AttributeValue::List{1}}}, "", "WebGPU op ai.onnx.Op tunable A: a list is not a tunable value"},
  };
  for (const Case& c : cases) {
    PlanRequest request = x_request();
    request.tunables = c.overrides;
    const auto plan = manifest.plan(request);
    EXPECT_EQ(message(plan), c.message);
    if (plan.ok()) {
      EXPECT_EQ(plan->passes[0].wgsl, c.wgsl);
    }
  }
}

}  // namespace
}  // namespace wgk::plan
