// Output inference (package-format section 11): shapes, the ladder of dtypes, derives that fail before outputs exist.
#include <gtest/gtest.h>

#include "small_manifest.h"

namespace wgk::plan {
namespace {

using namespace testing_support;

struct ShapeCase {
  const char* output;  ///< members of the output port
  const char* derive;
  const char* message;
  Shape shape;
};

TEST(Outputs, Shapes) {
  const ShapeCase cases[] = {
      {R"("dtype": "float32", "shape": "shapes.x")", "", "", {4}},
      {R"_("dtype": "float32", "shape": [2, "dim(shapes.x, 0)"])_", "", "", {2, 4}},
      {R"("dtype": "float32", "shape": "[]")", "", "", {}},
      {R"("dtype": "float32", "shape": "8 / 4")",
       "",
       "ai.onnx.Op: output \"y\" shape evaluated to 2 (expected non-negative integers)",
       {}},
      {R"("dtype": "float32", "shape": "[1, -2]")",
       "",
       "ai.onnx.Op: output \"y\" shape evaluated to [1,-2] (expected non-negative integers)",
       {}},
      {R"("dtype": "float32", "shape": "[1.5]")",
       "",
       "ai.onnx.Op: output \"y\" shape evaluated to [1.5] (expected non-negative integers)",
       {}},
      {R"("dtype": "float32", "shape": "['a', none]")",
       "",
       "ai.onnx.Op: output \"y\" shape evaluated to [\"a\",null] (expected non-negative integers)",
       {}},
      {R"("dtype": "float32", "shape": "none")",
       "",
       "ai.onnx.Op: output \"y\" shape evaluated to null (expected non-negative integers)",
       {}},
      {R"_("dtype": "float32", "shape": "fill(1, 33)")_", "", "ai.onnx.Op: tensor \"y\" shape is out of range", {}},
      {R"_("dtype": "float32", "shape": "fill(2, 53)")_", "", "ai.onnx.Op: tensor \"y\" shape is out of range", {}},
      {R"("dtype": "float32")",
       "",
       "ai.onnx.Op: output \"y\" has no shape expression — pass \"y\" as an explicit destination, or declare an "
       "outputs[].shape for it in the manifest.",
       {}},
      // Only derives that the shape reaches are evaluated then, directly and through others; the rest come later.
      {R"("dtype": "float32", "shape": "s")", R"_("r": "prefix(shapes.x, 1)", "s": "r + [3]")_", "", {4, 3}},
      {R"("dtype": "float32", "shape": "shapes.x")", R"_("late": "sameShape(shapes.x, shapes.y)")_", "", {4}},
      // An error in a derive that is reached leaves its name unknown.
      {R"("dtype": "float32", "shape": "s")",
       R"_("s": "numel(shapes.y)")_",
       "ai.onnx.Op: manifest.json: /outputs/y/shape: Unknown identifier \"s\" in WebGPU expression: s\n    s\n    ^",
       {}},
  };
  for (const ShapeCase& c : cases) {
    SmallManifest manifest;
    manifest.outputs = std::string(R"("y": {)") + c.output + "}";
    manifest.derive = c.derive;
    const auto plan = manifest.plan(x_request());
    EXPECT_EQ(message(plan), c.message) << c.output;
    if (plan.ok()) {
      EXPECT_EQ(plan->tensors.at(1).shape, c.shape) << c.output;
    }
  }
}

TEST(Outputs, GivenOnes) {
  SmallManifest manifest;
  PlanRequest request = x_request();
  request.outputs = {{"y", {DType::kFloat32, {5}}}};
  EXPECT_EQ(message(manifest.plan(request)), "ai.onnx.Op: output \"y\" has shape [5], not the inferred shape [4]");
  request.outputs["y"] = {DType::kInt32, {4}};
  EXPECT_EQ(message(manifest.plan(request)),
            "ai.onnx.Op: output \"y\" has dtype int32, not the declared concrete dtype float32");
  manifest.outputs = R"("y": {"dtype": "float32"})";
  request.outputs["y"] = {DType::kFloat32, {7}};
  const auto plan = manifest.plan(request);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->tensors.at(1).shape, (Shape{7}));
}

TEST(Outputs, OptionalOnesOnlyOnRequest) {
  SmallManifest manifest;
  manifest.outputs += R"(, "z": {"dtype": "float32", "shape": "[1]", "optional": true})";
  const auto without = manifest.plan(x_request());
  ASSERT_TRUE(without.ok()) << without.error().message;
  EXPECT_EQ(without->tensors.size(), 2u);
  PlanRequest request = x_request();
  request.wanted_outputs = {"z"};
  const auto with = manifest.plan(request);
  ASSERT_TRUE(with.ok()) << with.error().message;
  ASSERT_EQ(with->tensors.size(), 3u);
  EXPECT_EQ(with->tensors[2].key, "z");
  request.wanted_outputs = {"x"};
  EXPECT_EQ(message(manifest.plan(request)), "ai.onnx.Op: \"x\" is an input, not an output");
}

struct DtypeCase {
  const char* inputs;
  const char* output;  ///< members of the output port beside its shape
  const char* constraints;
  const char* attributes;  ///< further top-level members
  std::map<std::string, TensorSpec, std::less<>> given;
  Attributes attrs;
  const char* message;
  DType logical;
  DType storage;
};

TEST(Outputs, DtypeLadder) {
  const TensorSpec f32{DType::kFloat32, {4}}, f16{DType::kFloat16, {4}}, i64{DType::kInt64, {4}};
  const char* kX =
      R"("x": {"dtype": "T"}, "i": {"dtype": "int64", "storage": "uint32", "narrowing": "checked", "optional": true})";
  const char* kT = R"("T": ["float32", "float16"])";
  const char* kTo = R"("attributeConstraints": {"to": {"required": true}},)";
  const DtypeCase cases[] = {
      // No dtype: float32. A concrete one: itself. A bound variable: what it is bound to.
      {kX, "", kT, "", {{"x", f16}}, {}, "", DType::kFloat32, DType::kFloat32},
      {kX, R"("dtype": "int8")", kT, "", {{"x", f16}}, {}, "", DType::kInt8, DType::kInt8},
      {kX, R"("dtype": "T")", kT, "", {{"x", f16}}, {}, "", DType::kFloat16, DType::kFloat16},
      {kX, R"("dtype": "int64", "storage": "int32")", kT, "", {{"x", f16}}, {}, "", DType::kInt64, DType::kInt32},
      // The only entry of a constraint.
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["int8"])",
       "",
       {{"x", f32}},
       {},
       "",
       DType::kInt8,
       DType::kInt8},
      // The storage dtype of the first input that the constraint has: i is held as uint32.
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["uint32", "int8"])",
       "",
       {{"x", f32}, {"i", i64}},
       {},
       "",
       DType::kUint32,
       DType::kUint32},
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["int8", "float32"])",
       "",
       {{"x", f32}, {"i", i64}},
       {},
       "",
       DType::kFloat32,
       DType::kFloat32},
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["int32", "int8"])",
       "",
       {{"x", f32}},
       {},
       "ai.onnx.Op: output \"y\" dtype \"U\" is a constraint var with no bound input",
       DType::kFloat32,
       DType::kFloat32},
      // A required attribute `to` of an ai.onnx operator: ONNX code 10 is float16, 9 is bool.
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["int8", "float16"])",
       kTo,
       {{"x", f32}},
       {{"to", 10}},
       "",
       DType::kFloat16,
       DType::kFloat16},
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["int8", "float16"])",
       kTo,
       {{"x", f32}},
       {{"to", 9}},
       "ai.onnx.Op: output \"y\" dtype code 9 of attribute to is not allowed by type constraint U = [int8, float16]",
       DType::kFloat32,
       DType::kFloat32},
      // It does not touch a concrete dtype, nor a bound variable.
      {kX,
       R"("dtype": "int8")",
       R"("T": ["float32"])",
       kTo,
       {{"x", f32}},
       {{"to", 10}},
       "",
       DType::kInt8,
       DType::kInt8},
      {kX,
       R"("dtype": "T")",
       R"("T": ["float32"])",
       kTo,
       {{"x", f32}},
       {{"to", 10}},
       "",
       DType::kFloat32,
       DType::kFloat32},
      // An attribute `to` that is not required decides nothing.
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["float32", "float16"])",
       "",
       {{"x", f32}},
       {{"to", 10}},
       "",
       DType::kFloat32,
       DType::kFloat32},
      {kX,
       R"("dtype": "U")",
       R"("T": ["float32"], "U": ["float32", "float16"])",
       R"("domain": "com.example", "attributeConstraints": {"to": {"required": true}},)",
       {{"x", f32}},
       {{"to", 10}},
       "",
       DType::kFloat32,
       DType::kFloat32},
  };
  for (const DtypeCase& c : cases) {
    const std::string dtype = *c.output == '\0' ? "" : std::string(c.output) + ", ";
    const std::string manifest = std::string(R"({"name": "Op", )") + c.attributes + R"("attributes": {"to": {}},
      "inputs": {)" + c.inputs + R"(}, "outputs": {"y": {)" +
                                 dtype + R"("shape": "shapes.x"}}, "typeConstraints": {)" + c.constraints +
                                 R"(}, "variants": [{"id": "v", "passes": [{"id": "p",
      "shader": "a.wgsl.jinja", "dispatch": {"x": 1}, "bindings": ["x"]}]}]})";
    const PackagePtr package = load(manifest, {{"a.wgsl.jinja", "x"}});
    ASSERT_NE(package, nullptr) << manifest;
    PlanRequest request;
    request.inputs = c.given;
    request.attributes = c.attrs;
    const auto plan = make_plan(*package, request, f16_profile());
    EXPECT_EQ(message(plan), c.message) << c.output << c.constraints;
    if (!plan.ok()) continue;
    EXPECT_EQ(plan->tensors.back().format, (StorageFormat{c.logical, c.storage, false, false}))
        << c.output << c.constraints;
  }
}

}  // namespace
}  // namespace wgk::plan
