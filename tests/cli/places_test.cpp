// Errors point at the place: file, JSON pointer, line and column, and the source line with a caret.
#include <gtest/gtest.h>

#include "cli/author.h"

namespace wgk::test {
namespace {

struct Place {
  const char* name;
  std::function<void(Files&, ordered&)> change;
  int exit_code;
  const char* code;
  const char* head;     ///< of the message: file, pointer, reason
  const char* excerpt;  ///< the source line and the caret below it
};

class ErrorPlaces : public testing::TestWithParam<Place> {};

TEST_P(ErrorPlaces, AreShown) {
  const TemporaryFolder folder;
  Files files = double_package_files();
  ordered manifest = ordered::parse(files["manifest.json"]);
  GetParam().change(files, manifest);
  files["manifest.json"] = manifest.dump();
  const auto package = write_package(folder, "p", files, metadata_for(files, "test.Double", "double.wgsl.jinja"));
  const std::string request = folder.write("request.json", doubling_case().dump());
  const auto result = wgk({"explain", package, "--request", request, "--device", "cpu", "--json"});
  const auto message = expect_error(result, GetParam().exit_code, GetParam().code, GetParam().head);
  EXPECT_NE(message.find(GetParam().excerpt), std::string::npos) << message;
}

ordered& pass_of(ordered& manifest) { return manifest["variants"][0]["passes"][0]; }

INSTANTIATE_TEST_SUITE_P(
    Cli, ErrorPlaces,
    testing::Values(Place{"SyntaxInADerive",
                          [](Files&, ordered& m) {
                            m["derive"] = {{"n", "dim(shapes.x, 0"}};
                          },
                          3, "package", "(manifest.json: /derive/n)", "\n    dim(shapes.x, 0\n                   ^"},
                    Place{"SyntaxInAnOutputShape", [](Files&, ordered& m) { m["outputs"]["y"]["shape"] = {"1 +* 2"}; },
                          3, "package", "(manifest.json: /outputs/y/shape/0)", "\n    1 +* 2\n       ^"},
                    Place{"EvaluationOfADerive",
                          [](Files&, ordered& m) {
                            m["derive"] = {{"n", "2 * shapes.q"}};
                          },
                          3, "package", "manifest.json: /derive/n: Cannot perform operation * on undefined values",
                          "\n    2 * shapes.q\n      ^"},
                    Place{"EvaluationOfAnItem",
                          [](Files&, ordered& m) {
                            m["outputs"]["y"]["shape"] = {"1", "none + 1"};
                          },
                          3, "package", "/outputs/y/shape/1: Cannot perform operation on null values",
                          "\n    none + 1\n         ^"},
                    Place{"UnknownIdentifierInAUniform",
                          [](Files&, ordered& m) { pass_of(m)["bindings"][2]["struct"][0]["value"] = "1 + wdith"; }, 3,
                          "package", "Unknown identifier \"wdith\"", "\n    1 + wdith\n        ^"},
                    Place{"Dispatch",
                          [](Files&, ordered& m) {
                            pass_of(m)["dispatch"] = {{"x", "1 - 'a'"}};
                          },
                          3, "package", "/variants/0/passes/0/dispatch/x: ", "\n    1 - 'a'\n      ^"},
                    Place{"TemplateSyntax",
                          [](Files& files, ordered&) { files["double.wgsl.jinja"] = "// one\n  {{ 1 +* 2 }}\n"; }, 3,
                          "package", "double.wgsl.jinja:2:9: ", "\n  {{ 1 +* 2 }}\n        ^"},
                    Place{"TemplateEvaluation",
                          [](Files& files, ordered&) { files["double.wgsl.jinja"] = "// one\n{{ missing() }}\n"; }, 3,
                          "package", "double.wgsl.jinja:2:", "\n{{ missing() }}\n"},
                    Place{"ManifestStructure", [](Files&, ordered& m) { pass_of(m)["shder"] = "x"; }, 3, "package",
                          "(manifest.json: /variants/0/passes/0/shder)", "did you mean \"shader\"?"},
                    // Of a rejected variant the text is fixed by the package format: one line, with the column in it.
                    Place{"GuardOfTheOnlyVariant",
                          [](Files&, ordered& m) { m["variants"][0]["when"] = {"shapes.q[0] == 1"}; }, 4, "request",
                          "only: when eval error in `shapes.q[0] == 1`: ", "at column 9"}),
    [](const auto& info) { return info.param.name; });

TEST(ErrorPlace, JsonTextHasLineAndColumn) {
  const TemporaryFolder folder;
  Files files = double_package_files();
  files["manifest.json"] = "{\n  \"domain\": test\n}";
  const auto package = write_package(folder, "p", files, metadata_for(files, "test.Double", "double.wgsl.jinja"));
  const auto message =
      expect_error(wgk({"inspect", package, "--json"}), 3, "package", "manifest.json does not parse: ");
  EXPECT_NE(message.find("line 2, column 1"), std::string::npos) << message;
}

}  // namespace
}  // namespace wgk::test
