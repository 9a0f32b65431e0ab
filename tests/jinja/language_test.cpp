// Rules of the language that the recorded engines cannot show: limits, positions, includes and functions.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jinja/language_support.h"
#include "plan/vocabulary.h"

namespace wgk::jinja {
namespace {

struct Case {
  std::string text;
  std::string want;
};

const Scope& test_scope() {
  static const DeviceProfile profile;
  static const Scope functions = plan::make_vocabulary(profile, true);
  static const Scope scope = [] {
    Scope made(&functions);
    const auto integer = [](double value) { return Value::integer(value); };
    made.set("S", Value::list({integer(2), integer(3), integer(4)}));
    made.set("E", Value::list({}));
    made.set("m", Value::map({{"a", integer(1)}}));
    made.set("n", integer(5));
    return made;
  }();
  return scope;
}

std::string repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

void expect_values(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(testing::evaluate(c.text, test_scope()), c.want) << c.text;
}

TEST(Functions, OfPackageFormat) {
  expect_values({{"floor(-1.5)", "Int -2"},
                 {"pow(256, 0.5)", "Int 16"},
                 {"max(1, 2.5)", "Float 2.5"},
                 {"min()", "Float Infinity"},
                 {"max(1, none)", "Float NaN"},
                 {"ceilDiv(7, 2)", "Int 4"},
                 {"ceilDiv(7, 0)", "Float Infinity"},
                 {"pow2ceil(65)", "Int 128"},
                 {"pow2ceil(64)", "Int 64"},
                 {"pow2ceil(0)", "Int 1"},
                 {"log2ceil(5)", "Int 3"},
                 {"log2ceil(8)", "Int 3"},
                 {"log2ceil(1)", "Int 0"},
                 {"numel(S)", "Int 24"},
                 {"numel([])", "Int 1"},
                 {"dim(S, -1)", "Int 4"},
                 {"dim(S, 3)", "Int 2"},
                 {"dim(E, 0)", "None"},
                 {"rows(S, 1)", "Int 8"},
                 {"rows(E, 0)", "Int 1"},
                 {"outer(S, 2)", "Int 6"},
                 {"inner(S, 0)", "Int 12"},
                 {"prefix(S, -1)", "[]"},
                 {"prefix(S, 2)", "[Int 2, Int 3]"},
                 {"suffix(S, 1)", "[Int 3, Int 4]"},
                 {"fill(1, 2)", "[Int 1, Int 1]"},
                 {"moveAxis(S, 0, 2)", "[Int 3, Int 4, Int 2]"},
                 {"permuteShape(S, [2, 0, 1])", "[Int 4, Int 2, Int 3]"},
                 {"reversedAxes(3)", "[Int 2, Int 1, Int 0]"},
                 {"broadcastShape([2, 1, 3], [4, 3])", "[Int 2, Int 4, Int 3]"},
                 {"broadcastShape([0], [1])", "[Int 0]"},
                 {"matmulShape([3], [3, 4])", "[Int 4]"},
                 {"matmulShape([2, 3], [3])", "[Int 2]"},
                 {"matmulShape([5, 2, 3], [3, 4])", "[Int 5, Int 2, Int 4]"},
                 {"broadcastable([1, 4], S)", "Bool true"},
                 {"broadcastable(S, [4])", "Bool false"},
                 {"sameShape(S, [2, 3])", "Bool false"},
                 {"sameShape(S, [2, 3, 4])", "Bool true"},
                 {"hasAxis([-1], 2, 3)", "Bool true"},
                 {"axisValue([5, 6], [0, -1], 2, 3, 1)", "Int 6"},
                 {"axisValue([5], [0], 2, 3, 1)", "Int 1"},
                 {"isUniqueIntList([0, -3], -3, 3, 3)", "Bool false"},
                 {"isUniqueIntList([0, -3], -3, 3)", "Bool true"},
                 {"isUniqueIntList(5, 0, 1)", "Bool false"},
                 {"has(m, 'a')", "Bool true"},
                 {"has(5, 'a')", "Bool false"},
                 {"dtypeBytes('bool')", "Int 4"},
                 {"dtypeBytes('int64')", "Int 8"},
                 {"dtypeBytes('f16')", "Int 2"},
                 {"onnxDtypeCode('float16')", "Int 10"},
                 {"pick([[false, 1], [true, 2]], 3)", "Int 2"},
                 {"pick([], 3)", "Int 3"},
                 {"f16Ok('f16')", "Bool false"},
                 {"f16Ok(m.zz)", "Bool true"},
                 {"rank(S)", "Int 3"},
                 {"cols(S, 0)", "Int 2"},
                 {"f16Allowed('f32')", "Bool true"},
                 {"f16Allowed('i32')", "Bool false"},
                 {"DISPATCH_FOLD_WIDTH", "Int 65535"}});
}

void expect_errors(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string got = testing::evaluate(c.text, test_scope());
    EXPECT_TRUE(got.starts_with("error: ")) << c.text << " gives " << got;
    EXPECT_NE(got.find(c.want), std::string::npos) << c.text << " gives " << got;
  }
}

TEST(Functions, Errors) {
  expect_errors({{"numel(m.q)", "UndefinedValue"},
                 {"ceil('a')", "StringValue"},
                 {"fill(1, 1.5)", "integer >= 0"},
                 {"moveAxis(S, 3, 0)", "out of range"},
                 {"permuteShape(S, [0, 0, 1])", "twice"},
                 {"broadcastShape([2], [3])", "Shapes [2] and [3] are not broadcast-compatible"},
                 {"matmulShape([2, 3], [4, 5])", "MatMul inner dimensions do not match (3 != 4)"},
                 {"dtypeBytes('x')", "does not know"},
                 {"pick([[true]], 1)", "pairs"},
                 {"max(a=1)", "keyword"},
                 {"range(3)", "Unknown identifier \"range\" in WebGPU expression: range(3)"}});
}

TEST(Expressions, ErrorsHaveTheFixedTextAndAColumn) {
  expect_errors({{"q is defined and q > 0", "Unknown identifier \"q\" in WebGPU expression: q is defined and q > 0"},
                 {"a + b + a", "Unknown identifiers \"a\", \"b\" in WebGPU expression: a + b + a"},
                 {"n + m.q", "Cannot perform operation + on undefined values at column 3"},
                 {"n < none", "Cannot perform operation on null values at column 3"},
                 {"n -  'a'", "Unknown operator \"-\" between IntegerValue and StringValue at column 3"},
                 {"n is nosuch", "Unknown test: nosuch at column 6"},
                 {"n|nosuch", "Unknown filter: nosuch at column 3"},
                 {"[1 2]", "at column 4"},
                 {"1 2", "at column 3"}});
  EXPECT_EQ(testing::evaluate("q is defined", test_scope()), "Bool false");
}

TEST(Expressions, RequiredNames) {
  const Result<Expression> parsed = Expression::parse("q is defined and (r is undefined or n + n) and f(k=m.x)");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed->required_names(), (std::vector<std::string>{"n", "f", "m"}));
  std::vector<std::string> names;
  for (const Name& name : parsed->names()) names.push_back(name.text);
  EXPECT_EQ(names, (std::vector<std::string>{"q", "r", "n", "f", "m"}));
}

TEST(Limits, OfExpressions) {
  EXPECT_EQ(testing::evaluate(repeat("(", 128) + "1" + repeat(")", 128), test_scope()), "Int 1");
  EXPECT_EQ(testing::evaluate("0" + repeat("+1", 8000), test_scope()), "Int 8000");
  expect_errors({{repeat("(", 129) + "1" + repeat(")", 129), "expression nesting exceeds 128"},
                 {repeat("[", 5000), "expression nesting exceeds 128"},
                 {repeat("-", 129) + "1", "expression nesting exceeds 128"},
                 {repeat("not ", 129) + "1", "expression nesting exceeds 128"},
                 {std::string(16385, ' '), "expression is too long"},
                 {"fill(1, 100001)", "list of more than 100000 items"},
                 {"fill(1, 60000) + fill(1, 60000)", "list of more than 100000 items"},
                 {"fill('" + repeat("x", 100) + "', 100000)|join", "string exceeds 4194304 bytes"}});
}

TEST(Limits, OfTemplates) {
  const std::vector<Case> cases = {
      {repeat("{% if 1 %}", 65) + repeat("{% endif %}", 65), "nesting exceeds 64"},
      {"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "nesting exceeds 64"},
      {"{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
       "evaluation step limit (1000000) exceeded"},
      {"{{ range(100001) }}", "list of more than 100000 items"},
      {"{{ range(0, 1, 0) }}", "range() step must not be zero"},
      {"{% set s = 'x' %}{% for i in range(40) %}{% set s = s ~ s %}{% endfor %}", "string exceeds 4194304 bytes"},
      {"{% set k = namespace(s='x') %}{% for i in range(22) %}{% set k.s = k.s ~ k.s %}{% endfor %}{{ k.s }}{{ k.s }}",
       "rendered output exceeds 4194304 bytes"},
      {"{% set k = namespace(s='xx') %}{% for i in range(12) %}{% set k.s = k.s ~ k.s %}{% endfor %}{{ k.s.replace('', "
       "k.s) }}",
       "string exceeds 4194304 bytes"},
      {"{% set x = [1] %}{% for i in range(500) %}{% set x = [x] %}{% endfor %}", "value nesting exceeds 128"},
      {"{% set x = [1] %}{% for i in range(60) %}{% set x = [x, x] %}{% endfor %}", "value of more than"},
      {"{% set s = namespace() %}{% set s.a = s %}{{ s.a }}{{ [s]|string }}", "value nesting exceeds 128"}};
  for (const Case& c : cases) {
    const std::string got = testing::render(c.text, test_scope());
    EXPECT_TRUE(got.starts_with("error: t:1:")) << c.text.substr(0, 80) << " gives " << got.substr(0, 200);
    EXPECT_NE(got.find(c.want), std::string::npos) << c.text.substr(0, 80) << " gives " << got.substr(0, 200);
  }
  EXPECT_EQ(testing::render(repeat("{% if 1 %}", 64) + "x" + repeat("{% endif %}", 64), test_scope()), "x");
}

TEST(Templates, ErrorsShowTheSourceLine) {
  EXPECT_EQ(testing::render("a\n  {% if n %}\n  {{ n + zz }}\n{% endif %}\n", test_scope()),
            "error: t:3:8: Cannot perform operation + on undefined values\n  {{ n + zz }}\n       ^");
  EXPECT_EQ(testing::render("x\n{% if n %}\ny", test_scope()),
            "error: t:3:2: expected {% endif %} before the end of the template\ny\n ^\n"
            "t:2:1: note: {% if %} opened here\n{% if n %}\n^");
  EXPECT_EQ(testing::render("{{ zz(1) }}", test_scope()),
            "error: t:1:4: Cannot call something that is not a function: got UndefinedValue\n{{ zz(1) }}\n   ^");
  EXPECT_EQ(testing::render("{% raw %}", test_scope()), "error: t:1:4: Unknown statement type: raw\n{% raw %}\n   ^");
}

TEST(Includes, Expand) {
  const std::map<std::string, std::string> files = {{"main", "a\n  {% include \"f/one\" %}\nb{% include 'two' %}c"},
                                                    {"f/one", "1{% include './x' %}\n"},
                                                    {"f/x", "X"},
                                                    {"two", "2"},
                                                    {"loop", "{% include \"f\\\\back\" %}"},
                                                    {"up", "{% include \"../x\" %}"},
                                                    {"a", "{% include \"b\" %}"},
                                                    {"b", "{% include \"a\" %}"}};
  const IncludeLoader load = [&files](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return Error{ErrorCode::kPackage, "no file " + path};
    return found->second;
  };
  const auto expand = [&load](const std::string& path) {
    const Result<std::string> text = expand_includes(path, load);
    return text.ok() ? *text : text.error().message;
  };
  EXPECT_EQ(expand("main"), "a\n1X\nb2c");
  EXPECT_EQ(expand("up"), "WebGPU template path escapes package root: ../x");
  EXPECT_EQ(expand("a"), "Circular WebGPU template include: a -> b -> a");
  EXPECT_EQ(expand("loop"), "no file f/back");
}

TEST(Values, BoundaryRule) {
  const Value value = Value::list({Value::floating(2), Value::floating(2.5), Value::integer(3)});
  EXPECT_EQ(testing::encode(value.at_boundary()), "[Int 2, Float 2.5, Int 3]");
  EXPECT_EQ(value.at_boundary().at_boundary().identity() != nullptr, true);
}

}  // namespace
}  // namespace wgk::jinja
