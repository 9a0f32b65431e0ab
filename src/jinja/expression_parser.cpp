// Parser of expressions; see expression_parser.h.
#include "jinja/expression_parser.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "jinja/limits.h"
#include "jinja/text.h"

namespace wgk::jinja {

namespace {

struct BinaryOperator {
  std::string_view text;
  BinaryOp op;
  int level;
};

// Levels of binary operators, loosest first. `not` stands between kAndLevel and kComparisonLevel.
constexpr int kOrLevel = 0;
constexpr int kAndLevel = 1;
constexpr int kComparisonLevel = 2;
constexpr int kAdditiveLevel = 3;
constexpr int kMultiplicativeLevel = 4;
constexpr int kPowerLevel = 5;

constexpr std::array<BinaryOperator, 17> kOperators = {{
    {"or", BinaryOp::kOr, kOrLevel},
    {"and", BinaryOp::kAnd, kAndLevel},
    {"==", BinaryOp::kEqual, kComparisonLevel},
    {"!=", BinaryOp::kNotEqual, kComparisonLevel},
    {"<", BinaryOp::kLess, kComparisonLevel},
    {"<=", BinaryOp::kLessEqual, kComparisonLevel},
    {">", BinaryOp::kGreater, kComparisonLevel},
    {">=", BinaryOp::kGreaterEqual, kComparisonLevel},
    {"in", BinaryOp::kIn, kComparisonLevel},
    {"+", BinaryOp::kAdd, kAdditiveLevel},
    {"-", BinaryOp::kSubtract, kAdditiveLevel},
    {"~", BinaryOp::kConcat, kAdditiveLevel},
    {"*", BinaryOp::kMultiply, kMultiplicativeLevel},
    {"/", BinaryOp::kDivide, kMultiplicativeLevel},
    {"//", BinaryOp::kFloorDivide, kMultiplicativeLevel},
    {"%", BinaryOp::kModulo, kMultiplicativeLevel},
    {"**", BinaryOp::kPower, kPowerLevel},
}};

struct FilterRule {
  std::string_view name;
  Filter filter;
  unsigned least_arguments;
  unsigned most_arguments;
};

constexpr std::array<FilterRule, 17> kFilters = {{
    {"length", Filter::kLength, 0, 0},
    {"first", Filter::kFirst, 0, 0},
    {"last", Filter::kLast, 0, 0},
    {"reverse", Filter::kReverse, 0, 0},
    {"sort", Filter::kSort, 0, 0},
    {"unique", Filter::kUnique, 0, 0},
    {"list", Filter::kList, 0, 0},
    {"join", Filter::kJoin, 0, 1},
    {"upper", Filter::kUpper, 0, 0},
    {"lower", Filter::kLower, 0, 0},
    {"trim", Filter::kTrim, 0, 0},
    {"replace", Filter::kReplace, 2, 2},
    {"abs", Filter::kAbs, 0, 0},
    {"int", Filter::kInt, 0, 0},
    {"float", Filter::kFloat, 0, 0},
    {"string", Filter::kString, 0, 0},
    {"default", Filter::kDefault, 1, 2},
}};

struct TestRule {
  std::string_view name;
  Test test;
};

constexpr std::array<TestRule, 17> kTests = {{
    {"defined", Test::kDefined},
    {"undefined", Test::kUndefined},
    {"none", Test::kNone},
    {"boolean", Test::kBoolean},
    {"true", Test::kTrue},
    {"false", Test::kFalse},
    {"number", Test::kNumber},
    {"integer", Test::kInteger},
    {"string", Test::kString},
    {"iterable", Test::kIterable},
    {"mapping", Test::kMapping},
    {"sequence", Test::kSequence},
    {"callable", Test::kCallable},
    {"odd", Test::kOdd},
    {"even", Test::kEven},
    {"upper", Test::kUpper},
    {"lower", Test::kLower},
}};

template <typename Rules>
auto find_rule(const Rules& rules, std::string_view name) -> decltype(rules.data()) {
  for (const auto& rule : rules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

/// The values that words stand for.
std::optional<Value> literal_word(std::string_view word) {
  if (word == "true" || word == "True") return Value::boolean(true);
  if (word == "false" || word == "False") return Value::boolean(false);
  if (word == "none" || word == "None") return Value::none();
  return std::nullopt;
}

}  // namespace

std::string_view operator_text(BinaryOp op) {
  if (op == BinaryOp::kNotIn) return "not in";
  for (const BinaryOperator& candidate : kOperators) {
    if (candidate.op == op) return candidate.text;
  }
  return "";
}

std::string_view filter_name(Filter filter) { return kFilters[static_cast<std::size_t>(filter)].name; }
std::string_view test_name(Test test) { return kTests[static_cast<std::size_t>(test)].name; }

bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 13> kReserved = {"and",  "or",    "not",  "in",   "is",    "if",  "else",
                                                          "true", "false", "none", "True", "False", "None"};
  for (const std::string_view word : kReserved) {
    if (name == word) return true;
  }
  return false;
}

bool ExpressionParser::fail(std::uint32_t offset, std::string reason) {
  error_ = {std::move(reason), offset};
  return false;
}

bool ExpressionParser::advance() {
  token_ = lexer_.next();
  if (token_.type == TokenType::kError) return fail(token_.offset, lexer_.reason());
  operator_ = find_operator();
  return true;
}

Token ExpressionParser::peek() const {
  Lexer ahead = lexer_;
  return ahead.next();
}

bool ExpressionParser::unexpected() {
  switch (token_.type) {
    case TokenType::kEnd:
      return fail(token_.offset, "unexpected end of text");
    case TokenType::kString:
      return fail(token_.offset, "unexpected string");
    default:
      return fail(token_.offset, fmt::format("unexpected \"{}\"", token_.text));
  }
}

bool ExpressionParser::expect(char punctuation) {
  if (token_.is(punctuation)) return advance();
  if (token_.type == TokenType::kEnd) {
    return fail(token_.offset, fmt::format("expected \"{}\" before the end of text", punctuation));
  }
  return fail(token_.offset, fmt::format("expected \"{}\" instead of \"{}\"", punctuation, token_.text));
}

bool ExpressionParser::expect_end(TokenType end) {
  if (token_.type == end) return true;
  return unexpected();
}

bool ExpressionParser::parse_whole(TokenType end, NodeId& out) {
  return advance() && parse_expression(out) && expect_end(end);
}

bool ExpressionParser::enter(std::uint32_t offset) {
  if (++nesting_ <= limits::kMaxExpressionNesting) return true;
  return fail(offset, fmt::format("expression nesting exceeds {}", limits::kMaxExpressionNesting));
}

NodeId ExpressionParser::add(Node node) {
  ast_.nodes.push_back(node);
  return static_cast<NodeId>(ast_.nodes.size() - 1);
}

NodeId ExpressionParser::add_constant(Value value, std::uint32_t offset) {
  ast_.constants.push_back(std::move(value));
  return add({NodeType::kConstant, 0, offset, static_cast<std::uint32_t>(ast_.constants.size() - 1)});
}

NodeId ExpressionParser::add_binary(BinaryOp op, NodeId left, NodeId right, std::uint32_t offset) {
  return add({NodeType::kBinary, static_cast<std::uint8_t>(op), offset, left, right});
}

std::uint32_t ExpressionParser::intern_name(std::string_view name) {
  constexpr std::size_t kFewNames = 16;
  const std::uint32_t hash = name_hash(name);
  const auto fresh = static_cast<std::uint32_t>(ast_.names.size());
  if (fresh < kFewNames) {
    for (std::uint32_t id = 0; id < fresh; ++id) {
      if (ast_.names[id].hash == hash && ast_.names[id].text == name) return id;
    }
  } else {
    if (name_ids_.empty()) {
      for (std::uint32_t id = 0; id < fresh; ++id) name_ids_.emplace(ast_.names[id].text, id);
    }
    const auto [found, added] = name_ids_.try_emplace(std::string(name), fresh);
    if (!added) return found->second;
  }
  ast_.names.push_back({std::string(name), hash, 0});
  return fresh;
}

std::uint32_t ExpressionParser::add_string(std::string_view text) {
  ast_.strings.emplace_back(text);
  return static_cast<std::uint32_t>(ast_.strings.size() - 1);
}

std::uint32_t ExpressionParser::add_extra(const std::vector<std::uint32_t>& values) {
  const auto place = static_cast<std::uint32_t>(ast_.extra.size());
  ast_.extra.insert(ast_.extra.end(), values.begin(), values.end());
  return place;
}

bool ExpressionParser::parse_expression(NodeId& out) { return parse_ternary(out); }

bool ExpressionParser::parse_sequence(NodeId& out) {
  const std::uint32_t offset = token_.offset;
  if (!parse_expression(out)) return false;
  if (!token_.is(',')) return true;
  std::vector<std::uint32_t> items = {out};
  while (token_.is(',')) {
    NodeId item = kNoNode;
    if (!advance() || !parse_expression(item)) return false;
    items.push_back(item);
  }
  out = add({NodeType::kList, 0, offset, add_extra(items), static_cast<std::uint32_t>(items.size())});
  return true;
}

bool ExpressionParser::parse_ternary(NodeId& out) {
  if (!parse_binary(kOrLevel, out)) return false;
  if (!token_.is_name("if")) return true;
  const std::uint32_t offset = token_.offset;
  NodeId condition = kNoNode;
  NodeId otherwise = kNoNode;
  if (!advance() || !parse_binary(kOrLevel, condition)) return false;
  if (token_.is_name("else")) {
    if (!enter(token_.offset) || !advance() || !parse_ternary(otherwise)) return false;
    --nesting_;
  }
  out = add({NodeType::kTernary, 0, offset, condition, out, otherwise});
  return true;
}

ExpressionParser::Operator ExpressionParser::find_operator() const {
  constexpr std::size_t kLongest = 3;
  const bool word = token_.type == TokenType::kName;
  if ((!word && token_.type != TokenType::kPunctuation) || token_.text.size() > kLongest) return {};
  if (word && token_.text == "not") {
    return peek().is_name("in") ? Operator{kComparisonLevel, BinaryOp::kNotIn} : Operator{};
  }
  for (const BinaryOperator& candidate : kOperators) {
    if (candidate.text == token_.text) return {candidate.level, candidate.op};
  }
  return {};
}

bool ExpressionParser::operand_of(int level, NodeId& out) {
  if (level == kOrLevel) return parse_binary(kAndLevel, out);
  return level == kAndLevel ? parse_not(out) : parse_tests(out);
}

bool ExpressionParser::parse_binary(int level, NodeId& out) {
  if (!operand_of(level, out)) return false;
  // From comparisons on, operators of tighter levels than `level` are met here too: what is at their right is parsed at
  // the next tighter level, so that every level groups from the left.
  while (operator_.level >= level) {
    const Operator found = operator_;
    const std::uint32_t offset = token_.offset;
    NodeId right = kNoNode;
    if (!advance() || (found.op == BinaryOp::kNotIn && !advance())) return false;
    const bool parsed = found.level < kComparisonLevel ? operand_of(found.level, right)
                        : found.level == kPowerLevel   ? parse_tests(right)
                                                       : parse_binary(found.level + 1, right);
    if (!parsed) return false;
    out = add_binary(found.op, out, right, offset);
  }
  return true;
}

bool ExpressionParser::parse_not(NodeId& out) {
  if (!token_.is_name("not")) return parse_binary(kComparisonLevel, out);
  const std::uint32_t offset = token_.offset;
  if (!enter(offset) || !advance() || !parse_not(out)) return false;
  --nesting_;
  out = add({NodeType::kUnary, static_cast<std::uint8_t>(UnaryOp::kNot), offset, out});
  return true;
}

bool ExpressionParser::parse_tests(NodeId& out) {
  if (!parse_filters(out)) return false;
  while (token_.is_name("is")) {
    bool negated = false;
    if (!advance()) return false;
    if (token_.is_name("not")) {
      negated = true;
      if (!advance()) return false;
    }
    if (token_.type != TokenType::kName) return fail(token_.offset, "expected the name of a test after \"is\"");
    const TestRule* rule = find_rule(kTests, token_.text);
    if (rule == nullptr) return fail(token_.offset, fmt::format("Unknown test: {}", token_.text));
    const bool asks_definition = rule->test == Test::kDefined || rule->test == Test::kUndefined;
    const Node operand = ast_.nodes[out];
    if (asks_definition && operand.type == NodeType::kName) --ast_.names[operand.a].required_uses;
    out = add({NodeType::kTest, static_cast<std::uint8_t>(rule->test), token_.offset, out, negated ? 1u : 0u});
    if (!advance()) return false;
  }
  return true;
}

bool ExpressionParser::parse_filters(NodeId& out) {
  if (!parse_sign(out)) return false;
  while (token_.is('|')) {
    if (!advance() || !parse_filter(out)) return false;
  }
  return true;
}

bool ExpressionParser::parse_filter(NodeId& out) {
  if (token_.type != TokenType::kName) return fail(token_.offset, "expected the name of a filter after \"|\"");
  const std::uint32_t offset = token_.offset;
  const FilterRule* rule = find_rule(kFilters, token_.text);
  if (rule == nullptr) return fail(offset, fmt::format("Unknown filter: {}", token_.text));
  std::vector<std::uint32_t> arguments;
  std::vector<std::uint32_t> keywords;
  if (!advance()) return false;
  if (token_.is('(') && !parse_arguments(arguments, keywords)) return false;
  if (!keywords.empty()) return fail(offset, fmt::format("Filter \"{}\" takes no keyword arguments", rule->name));
  if (arguments.size() < rule->least_arguments || arguments.size() > rule->most_arguments) {
    const std::string wanted = rule->least_arguments == rule->most_arguments
                                   ? fmt::format("{}", rule->least_arguments)
                                   : fmt::format("{} to {}", rule->least_arguments, rule->most_arguments);
    return fail(offset, fmt::format("Filter \"{}\" takes {} arguments, got {}", rule->name, wanted, arguments.size()));
  }
  out = add({NodeType::kFilter, static_cast<std::uint8_t>(rule->filter), offset, out, add_extra(arguments),
             static_cast<std::uint32_t>(arguments.size())});
  return true;
}

bool ExpressionParser::parse_sign(NodeId& out) {
  if (!token_.is('-') && !token_.is('+')) return parse_postfix(out);
  const std::uint32_t offset = token_.offset;
  const UnaryOp op = token_.is('-') ? UnaryOp::kMinus : UnaryOp::kPlus;
  if (!enter(offset) || !advance() || !parse_sign(out)) return false;
  --nesting_;
  out = add({NodeType::kUnary, static_cast<std::uint8_t>(op), offset, out});
  return true;
}

bool ExpressionParser::parse_postfix(NodeId& out) {
  if (!parse_primary(out)) return false;
  while (true) {
    if (token_.is('.')) {
      if (!parse_member(out)) return false;
    } else if (token_.is('[')) {
      if (!parse_subscript(out)) return false;
    } else if (token_.is('(')) {
      if (!parse_call(out)) return false;
    } else {
      return true;
    }
  }
}

bool ExpressionParser::parse_member(NodeId& out) {
  if (!advance()) return false;
  const std::uint32_t offset = token_.offset;
  if (token_.type == TokenType::kNumber) {
    const NodeId index = add_constant(Value::integer(decimal_value(token_.text)), offset);
    out = add({NodeType::kIndex, 0, offset, out, index});
    return advance();
  }
  if (token_.type != TokenType::kName) return fail(offset, "Expected identifier or integer following dot operator");
  out = add({NodeType::kMember, 0, offset, out, add_string(token_.text)});
  return advance();
}

bool ExpressionParser::parse_subscript(NodeId& out) {
  const std::uint32_t offset = token_.offset;
  if (!enter(offset) || !advance()) return false;
  std::vector<std::uint32_t> parts = {kNoNode, kNoNode, kNoNode};
  std::size_t part = 0;
  bool is_slice = false;
  while (!token_.is(']')) {
    if (token_.is(':')) {
      is_slice = true;
      if (++part >= parts.size()) return fail(token_.offset, "Expected 0-3 arguments for slice expression");
      if (!advance()) return false;
      continue;
    }
    if (parts[part] != kNoNode) return expect(']');
    if (!parse_expression(parts[part])) return false;
  }
  --nesting_;
  if (!is_slice && parts[0] == kNoNode) {
    return fail(token_.offset, "Expected at least one argument for member/slice expression");
  }
  out = is_slice ? add({NodeType::kSlice, 0, offset, out, add_extra(parts)})
                 : add({NodeType::kIndex, 0, offset, out, parts[0]});
  return advance();
}

bool ExpressionParser::parse_call(NodeId& out) {
  const std::uint32_t offset = ast_.nodes[out].offset;
  std::vector<std::uint32_t> positional;
  std::vector<std::uint32_t> keywords;
  if (!parse_arguments(positional, keywords)) return false;
  std::vector<std::uint32_t> extra = {static_cast<std::uint32_t>(keywords.size() / 2)};
  extra.insert(extra.end(), positional.begin(), positional.end());
  extra.insert(extra.end(), keywords.begin(), keywords.end());
  out = add({NodeType::kCall, 0, offset, out, add_extra(extra), static_cast<std::uint32_t>(positional.size())});
  return true;
}

bool ExpressionParser::parse_arguments(std::vector<std::uint32_t>& positional, std::vector<std::uint32_t>& keywords) {
  if (!enter(token_.offset) || !advance()) return false;
  while (!token_.is(')')) {
    const std::uint32_t offset = token_.offset;
    NodeId value = kNoNode;
    if (token_.type == TokenType::kName && peek().is('=')) {
      if (is_reserved(token_.text)) return unexpected();
      keywords.push_back(add_string(token_.text));
      if (!advance() || !advance() || !parse_expression(value)) return false;
      keywords.push_back(value);
    } else {
      if (!parse_expression(value)) return false;
      if (!keywords.empty()) return fail(offset, "Positional arguments must come before keyword arguments");
      positional.push_back(value);
    }
    if (!token_.is(',')) break;
    if (!advance()) return false;
  }
  --nesting_;
  return expect(')');
}

bool ExpressionParser::parse_primary(NodeId& out) {
  switch (token_.type) {
    case TokenType::kNumber: {
      const double value = decimal_value(token_.text);
      const bool is_float = token_.text.find('.') != std::string_view::npos;
      out = add_constant(is_float ? Value::floating(value) : Value::integer(value), token_.offset);
      return advance();
    }
    case TokenType::kString:
      return parse_string(out);
    case TokenType::kName:
      return parse_name(out);
    case TokenType::kPunctuation:
      if (token_.is('(')) return parse_parenthesised(out);
      if (token_.is('[')) return parse_list(out);
      if (token_.is('{')) return parse_map(out);
      return unexpected();
    default:
      return unexpected();
  }
}

bool ExpressionParser::parse_name(NodeId& out) {
  if (std::optional<Value> value = literal_word(token_.text)) {
    out = add_constant(*std::move(value), token_.offset);
    return advance();
  }
  if (is_reserved(token_.text)) return unexpected();
  const std::uint32_t name = intern_name(token_.text);
  ++ast_.names[name].required_uses;
  out = add({NodeType::kName, 0, token_.offset, name});
  return advance();
}

bool ExpressionParser::parse_string(NodeId& out) {
  const std::uint32_t offset = token_.offset;
  std::string value;
  while (token_.type == TokenType::kString) {
    std::size_t bad_offset = 0;
    std::string reason;
    if (!unescape(token_.text, value, bad_offset, reason)) {
      return fail(token_.offset + 1 + static_cast<std::uint32_t>(bad_offset), std::move(reason));
    }
    if (!advance()) return false;
  }
  out = add_constant(Value::string(std::move(value)), offset);
  return true;
}

bool ExpressionParser::parse_parenthesised(NodeId& out) {
  if (!enter(token_.offset) || !advance() || !parse_sequence(out)) return false;
  --nesting_;
  return expect(')');
}

bool ExpressionParser::parse_list(NodeId& out) {
  const std::uint32_t offset = token_.offset;
  if (!enter(offset) || !advance()) return false;
  std::vector<std::uint32_t> items;
  while (!token_.is(']')) {
    NodeId item = kNoNode;
    if (!parse_expression(item)) return false;
    items.push_back(item);
    if (!token_.is(',')) break;
    if (!advance()) return false;
  }
  --nesting_;
  out = add({NodeType::kList, 0, offset, add_extra(items), static_cast<std::uint32_t>(items.size())});
  return expect(']');
}

bool ExpressionParser::parse_map(NodeId& out) {
  const std::uint32_t offset = token_.offset;
  if (!enter(offset) || !advance()) return false;
  std::vector<std::uint32_t> items;
  while (!token_.is('}')) {
    NodeId key = kNoNode;
    NodeId value = kNoNode;
    if (!parse_expression(key) || !expect(':') || !parse_expression(value)) return false;
    items.push_back(key);
    items.push_back(value);
    if (!token_.is(',')) break;
    if (!advance()) return false;
  }
  --nesting_;
  out = add({NodeType::kMap, 0, offset, add_extra(items), static_cast<std::uint32_t>(items.size() / 2)});
  return expect('}');
}

}  // namespace wgk::jinja
