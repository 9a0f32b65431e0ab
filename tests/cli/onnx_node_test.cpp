// wgk onnx-node: nodes of the shipped operators and of others, and what is said about nodes that do not fit.
#include <gtest/gtest.h>

#include "cli/author.h"

namespace wgk::test {
namespace {

json value(const char* name, const json& dtype, const json& shape) {
  return {{"name", name}, {"dtype", dtype}, {"shape", shape}};
}

json tensor(const char* dtype, const json& shape) {
  return {{"dtype", dtype}, {"shape", shape}, {"data", {{"kind", "fill"}, {"value", 0}}}};
}

ProcessResult convert(const json& node, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"onnx-node", "-", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ProcessOptions options;
  options.input = node.is_string() ? node.get<std::string>() : node.dump();
  return wgk(arguments, options);
}

json rope_node() {
  return {{"name", "rope"},
          {"op_type", "RotaryEmbedding"},
          {"attributes", {{"interleaved", 1}}},
          {"inputs",
           {value("q", "FLOAT", {1, 1, 2, 4}), value("c", "tensor(float)", {3, 2}), value("s", 1, {3, 2}),
            value("p", "int64", {1, 2})}},
          {"outputs", {{{"name", "q2"}}}}};
}

struct Node {
  const char* name;
  const char* package;
  json node;
  json inputs;
  json attrs;
  json outputs;
};

class OnnxNodes : public testing::TestWithParam<Node> {};

TEST_P(OnnxNodes, BecomeRequestsThatPlan) {
  const ProcessResult result = convert(GetParam().node);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json request = parse_output(result);
  EXPECT_EQ(request["inputs"], GetParam().inputs);
  EXPECT_EQ(request["attrs"], GetParam().attrs);
  EXPECT_EQ(request["outputs"], GetParam().outputs);
  EXPECT_EQ(request["provenance"]["package"], GetParam().package);
  ProcessOptions options;
  options.input = result.out;
  const auto plan = wgk({"explain", GetParam().package, "--request", "-", "--device", "cpu", "--json"}, options);
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
}

// The order of inputs is that of the operators' definitions: ONNX opset 23 and ONNX Runtime's contrib operators.
INSTANTIATE_TEST_SUITE_P(Cli, OnnxNodes,
                         testing::Values(Node{"RotaryEmbedding",
                                              "ai.onnx.RotaryEmbedding",
                                              rope_node(),
                                              {{"x", tensor("float32", {1, 1, 2, 4})},
                                               {"cos", tensor("float32", {3, 2})},
                                               {"sin", tensor("float32", {3, 2})},
                                               {"positionIds", tensor("int64", {1, 2})}},
                                              {{"interleaved", 1}},
                                              json::array({"y"})},
                                         Node{"WithoutPositions",
                                              "ai.onnx.RotaryEmbedding",
                                              {{"op_type", "RotaryEmbedding"},
                                               {"domain", "ai.onnx"},
                                               {"opset", 24},
                                               {"inputs",
                                                {value("q", "FLOAT16", {1, 1, 2, 4}), value("c", 10, {1, 2, 2}),
                                                 value("s", 10, {1, 2, 2}), ""}}},
                                              {{"x", tensor("float16", {1, 1, 2, 4})},
                                               {"cos", tensor("float16", {1, 2, 2})},
                                               {"sin", tensor("float16", {1, 2, 2})}},
                                              json::object(),
                                              json::array()},
                                         Node{"MRotaryEmbedding",
                                              "com.microsoft.MRotaryEmbedding",
                                              {{"op_type", "MRotaryEmbedding"},
                                               {"domain", "com.microsoft"},
                                               {"attributes", {{"mrope_section", {1, 1, 0}}}},
                                               {"inputs",
                                                {value("q", "FLOAT", {1, 1, 2, 4}), value("p", "INT64", {3, 1, 2}),
                                                 value("c", "FLOAT", {3, 2}), value("s", "FLOAT", {3, 2})}},
                                               {"outputs", {"q2"}}},
                                              {{"x", tensor("float32", {1, 1, 2, 4})},
                                               {"positionIds", tensor("int64", {3, 1, 2})},
                                               {"cos", tensor("float32", {3, 2})},
                                               {"sin", tensor("float32", {3, 2})}},
                                              {{"mrope_section", {1, 1, 0}}},
                                              json::array({"y"})},
                                         Node{"GemmaByName",
                                              "com.microsoft.GemmaRotaryEmbedding",
                                              {{"op_type", "GemmaRotaryEmbedding"},
                                               {"domain", "com.microsoft"},
                                               {"inputs",
                                                {{"k_rot", {{"dtype", "FLOAT16"}, {"shape", {1, 1, 2, 4}}}},
                                                 {"k", {{"dtype", "FLOAT16"}, {"shape", {1, 1, 2, 4}}}},
                                                 {"emb", {{"dtype", "FLOAT"}, {"shape", {1, 2, 4}}}},
                                                 {"q", {{"dtype", "FLOAT16"}, {"shape", {1, 1, 2, 4}}}},
                                                 {"qRotT", {{"dtype", "FLOAT16"}, {"shape", {1, 1, 2, 4}}}}}},
                                               {"outputs", {"a", "b"}}},
                                              {{"embT", tensor("float32", {1, 2, 4})},
                                               {"qT", tensor("float16", {1, 1, 2, 4})},
                                               {"qRotT", tensor("float16", {1, 1, 2, 4})},
                                               {"kT", tensor("float16", {1, 1, 2, 4})},
                                               {"kRotT", tensor("float16", {1, 1, 2, 4})}},
                                              json::object(),
                                              json::array({"output1T", "output2T"})}),
                         [](const auto& info) { return info.param.name; });

TEST(OnnxNode, KeepsDataSoThatItRuns) {
  const auto request = wgk({"onnx-node", std::string(WGK_SOURCE_DIR) + "/examples/onnx_node.json"});
  ASSERT_EQ(request.exit_code, 0) << request.err;
  ProcessOptions options;
  options.input = request.out;
  const auto result = wgk({"run", "ai.onnx.RotaryEmbedding", "--request", "-", "--device", "cpu", "--json"}, options);
  EXPECT_EQ(parse_output(result)["outputs"]["y"]["data"], rope_result());
}

TEST(OnnxNode, WorksForAnyPackage) {
  const TemporaryFolder folder;
  const auto package = write_author_package(folder, author_files());
  const json node = {{"op_type", "Double"},
                     {"domain", "test"},
                     {"inputs", {value("a", "INT32", {2})}},
                     {"outputs", {value("b", "INT32", {2})}}};
  const ProcessResult result = convert(node, {"--package", package});
  EXPECT_EQ(parse_output(result)["inputs"], json({{"x", tensor("int32", {2})}})) << result.err;
  expect_error(convert(node), 3, "package", "test.Double");
}

TEST(OnnxNode, SaysWhatDoesNotFit) {
  struct Row {
    const char* pointer;
    json value;
    const char* part;
  };
  for (const Row& row : std::vector<Row>{
           {"/attributes/interleave", 1, "there is no attribute \"interleave\"; did you mean \"interleaved\"?"},
           {"/inputs/4", value("z", 1, {1}), "input 4 has no counterpart: the operator has 4 (X, cos_cache"},
           {"/inputs/1/port", "cos_cach", "there is no input \"cos_cach\"; did you mean \"cos_cache\"?"},
           {"/inputs/1/port", "X", "input X is given twice"},
           {"/inputs/2", nullptr, "input sin_cache is missing"},
           {"/inputs/2", "s", "input sin_cache (\"s\") needs a shape"},
           {"/inputs/2/shape/0", "max_position", "\"max_position\" is symbolic"},
           {"/inputs/2/shape/0", -1, "/inputs/2/shape/0: must be an integer >= 0"},
           {"/inputs/2/dtype", "BFLOAT16", "/inputs/2/dtype: \"BFLOAT16\" is no dtype"},
           {"/inputs/2/type", 1, "/inputs/2/type: unknown key"},
           {"/input", 1, "/input: unknown key; did you mean \"inputs\"?"},
           {"/outputs/1", "b", "output 1 has no counterpart"},
           {"/op_type", "", "/op_type: is missing"},
           {"/opset", 17, "the node is of opset 17, the package computes the operator as it is since 23"},
           {"/attributes/interleaved", json::object(), "/attributes/interleaved: must be a number"},
           {"/inputs", 1, "/inputs: must be a list"},
       }) {
    json node = rope_node();
    node[json::json_pointer(row.pointer)] = row.value;
    const std::string message = expect_error(convert(node), 4, "request", row.part);
    EXPECT_NE(message, "") << row.pointer;
  }
  json other = rope_node();
  other["domain"] = "com.microsoft";
  expect_error(convert(other), 3, "package", "com.microsoft.RotaryEmbedding");
  expect_error(convert(other, {"--package", rope_package()}), 4, "request", "the package computes another operator");
  expect_error(convert("{"), 4, "request", "column");
}

}  // namespace
}  // namespace wgk::test
