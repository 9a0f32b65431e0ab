// Parser of templates; see template_parser.h.
#include "jinja/template_parser.h"

#include <algorithm>

#include <fmt/format.h>

#include "jinja/limits.h"
#include "jinja/text.h"

namespace wgk::jinja {

bool TemplateParser::parse() { return parse_block({}, tree_.root, 0, ""); }

void TemplateParser::skip_space() {
  while (const std::size_t bytes = leading_space(source_.substr(at_))) at_ += bytes;
}

bool TemplateParser::parse_text(std::size_t end, bool strip_right, std::vector<std::uint32_t>& statements) {
  std::string_view text = source_.substr(at_, end - at_);
  if (strip_right) {
    while (const std::size_t bytes = trailing_space(text)) text.remove_suffix(bytes);
  }
  if (!text.empty()) {
    const auto begin = static_cast<std::uint32_t>(at_);
    tree_.statements.push_back({Statement::Type::kText, begin, begin, begin + static_cast<std::uint32_t>(text.size())});
    statements.push_back(static_cast<std::uint32_t>(tree_.statements.size() - 1));
  }
  at_ = end;
  return true;
}

namespace {

/// The next {{, {% or {# at or after `at`.
std::size_t find_tag(std::string_view text, std::size_t at) {
  for (at = text.find('{', at); at != std::string_view::npos; at = text.find('{', at + 1)) {
    if (at + 1 < text.size() && (text[at + 1] == '{' || text[at + 1] == '%' || text[at + 1] == '#')) return at;
  }
  return text.size();
}

}  // namespace

bool TemplateParser::parse_block(const std::vector<std::string_view>& ends, BlockId& out, std::uint32_t opening_offset,
                                 std::string_view opening_name) {
  if (++statement_nesting_ > limits::kMaxStatementNesting + 1) {
    return fail(opening_offset, fmt::format("nesting exceeds {}", limits::kMaxStatementNesting));
  }
  std::vector<std::uint32_t> statements;
  while (true) {
    const std::size_t tag = find_tag(source_, at_);
    const bool minus = tag + 2 < source_.size() && source_[tag + 2] == '-';
    if (!parse_text(tag, minus, statements)) return false;
    if (tag == source_.size()) {
      if (ends.empty()) break;
      opening_ = ParseError{fmt::format("{{% {} %}} opened here", opening_name), opening_offset};
      return fail(static_cast<std::uint32_t>(tag),
                  fmt::format("expected {{% {} %}} before the end of the template", ends.back()));
    }
    if (source_[tag + 1] == '#') {
      if (!skip_comment()) return false;
      continue;
    }
    if (source_[tag + 1] == '{') {
      if (!parse_output(statements)) return false;
      continue;
    }
    if (!open_statement()) return false;
    if (std::find(ends.begin(), ends.end(), token_.text) != ends.end()) break;
    if (!parse_statement(static_cast<std::uint32_t>(tag), statements)) return false;
  }
  --statement_nesting_;
  tree_.blocks.push_back(std::move(statements));
  out = static_cast<BlockId>(tree_.blocks.size() - 1);
  return true;
}

bool TemplateParser::skip_comment() {
  const std::size_t inside = at_ + (source_.substr(at_).starts_with("{#-") ? 3 : 2);
  const std::size_t end = source_.find("#}", inside);
  if (end == std::string_view::npos) {
    opening_ = ParseError{"comment opened here", static_cast<std::uint32_t>(at_)};
    return fail(static_cast<std::uint32_t>(source_.size()), "Missing end of comment tag");
  }
  const bool minus = end > inside && source_[end - 1] == '-';
  at_ = end + 2;
  if (minus) skip_space();
  return true;
}

bool TemplateParser::close_tag(TokenType end) {
  if (token_.type == TokenType::kEnd) {
    return fail(token_.offset, fmt::format("expected \"{}\" before the end of the template",
                                           end == TokenType::kCloseOutput ? "}}" : "%}"));
  }
  if (!expect_end(end)) return false;
  at_ = token_.end;
  if (token_.text[0] == '-') skip_space();
  opening_.reset();
  return true;
}

bool TemplateParser::close_statement() { return close_tag(TokenType::kCloseStatement); }

bool TemplateParser::parse_output(std::vector<std::uint32_t>& statements) {
  const auto offset = static_cast<std::uint32_t>(at_);
  const std::size_t inside = at_ + (source_.substr(at_).starts_with("{{-") ? 3 : 2);
  restart(Lexer(source_, Lexer::Mode::kOutput, inside));
  opening_ = ParseError{"{{ opened here", offset};
  NodeId node = kNoNode;
  if (!advance() || !parse_expression(node) || !close_tag(TokenType::kCloseOutput)) return false;
  tree_.statements.push_back({Statement::Type::kOutput, ast_.nodes[node].offset, node});
  statements.push_back(static_cast<std::uint32_t>(tree_.statements.size() - 1));
  return true;
}

bool TemplateParser::open_statement() {
  const auto offset = static_cast<std::uint32_t>(at_);
  const std::size_t inside = at_ + (source_.substr(at_).starts_with("{%-") ? 3 : 2);
  restart(Lexer(source_, Lexer::Mode::kStatement, inside));
  opening_ = ParseError{"{% opened here", offset};
  if (!advance()) return false;
  if (token_.type == TokenType::kEnd) return close_statement();
  if (token_.type == TokenType::kName) return true;
  opening_.reset();
  return fail(token_.offset, fmt::format("Unknown statement, got \"{}\"", token_.text));
}

bool TemplateParser::parse_statement(std::uint32_t offset, std::vector<std::uint32_t>& statements) {
  const std::string_view keyword = token_.text;
  const std::uint32_t keyword_offset = token_.offset;
  Statement statement{Statement::Type::kBreak, offset};
  if (!advance()) return false;
  if (keyword == "if") {
    if (!parse_if(offset, statement)) return false;
  } else if (keyword == "for") {
    if (!parse_for(offset, statement)) return false;
  } else if (keyword == "set") {
    if (!parse_set(offset, statement)) return false;
  } else if (keyword == "macro") {
    if (!parse_macro(offset, statement)) return false;
  } else if (keyword == "break" || keyword == "continue") {
    if (loops_open_ == 0) return fail(keyword_offset, fmt::format("\"{}\" outside of a loop", keyword));
    statement.type = keyword == "break" ? Statement::Type::kBreak : Statement::Type::kContinue;
    if (!close_statement()) return false;
  } else {
    opening_.reset();
    return fail(keyword_offset, fmt::format("Unknown statement type: {}", keyword));
  }
  tree_.statements.push_back(statement);
  statements.push_back(static_cast<std::uint32_t>(tree_.statements.size() - 1));
  return true;
}

bool TemplateParser::parse_if(std::uint32_t offset, Statement& out) {
  std::vector<Branch> branches;
  bool more = true;
  while (more) {
    Branch branch{kNoNode, kNoBlock};
    if (!parse_expression(branch.condition) || !close_statement()) return false;
    if (!parse_block({"elif", "else", "endif"}, branch.block, offset, "if")) return false;
    branches.push_back(branch);
    more = token_.is_name("elif");
    if (more && !advance()) return false;
  }
  if (token_.is_name("else")) {
    Branch branch{kNoNode, kNoBlock};
    if (!advance() || !close_statement() || !parse_block({"endif"}, branch.block, offset, "if")) return false;
    branches.push_back(branch);
  }
  out.type = Statement::Type::kIf;
  out.a = static_cast<std::uint32_t>(tree_.branches.size());
  out.b = static_cast<std::uint32_t>(branches.size());
  tree_.branches.insert(tree_.branches.end(), branches.begin(), branches.end());
  return advance() && close_statement();
}

bool TemplateParser::variable_name(std::uint32_t& id) {
  if (token_.type != TokenType::kName || is_reserved(token_.text)) {
    return fail(token_.offset, fmt::format("expected a variable name instead of \"{}\"", token_.text));
  }
  id = intern_name(token_.text);
  return advance();
}

bool TemplateParser::parse_loop_targets(std::uint32_t& place) {
  const bool parenthesised = token_.is('(');
  if (parenthesised && !advance()) return false;
  std::vector<std::uint32_t> targets = {0};
  while (true) {
    std::uint32_t name = 0;
    if (!variable_name(name)) return false;
    targets.push_back(name);
    if (!token_.is(',')) break;
    if (!advance()) return false;
  }
  if (parenthesised && !expect(')')) return false;
  if (targets.size() > 2) targets[0] = static_cast<std::uint32_t>(targets.size() - 1);
  place = add_extra(targets);
  return true;
}

bool TemplateParser::parse_for(std::uint32_t offset, Statement& out) {
  Loop loop{0, kNoNode, kNoNode, kNoBlock, kNoBlock};
  if (!parse_loop_targets(loop.targets)) return false;
  if (!token_.is_name("in")) return fail(token_.offset, "Expected `in` keyword following loop variable");
  if (!advance() || !parse_expression(loop.iterable)) return false;
  const Node iterable = ast_.nodes[loop.iterable];
  if (iterable.type == NodeType::kTernary && iterable.c == kNoNode) {  // for v in e if c
    loop.condition = iterable.a;
    loop.iterable = iterable.b;
  }
  if (!close_statement()) return false;
  ++loops_open_;
  if (!parse_block({"else", "endfor"}, loop.body, offset, "for")) return false;
  --loops_open_;
  if (token_.is_name("else")) {
    if (!advance() || !close_statement() || !parse_block({"endfor"}, loop.otherwise, offset, "for")) return false;
  }
  tree_.loops.push_back(loop);
  out.type = Statement::Type::kFor;
  out.a = static_cast<std::uint32_t>(tree_.loops.size() - 1);
  return advance() && close_statement();
}

bool TemplateParser::parse_set_target(Statement& out) {
  const std::uint32_t offset = token_.offset;
  const bool parenthesised = token_.is('(');
  if (parenthesised && !advance()) return false;
  std::vector<std::uint32_t> names = {0};
  while (true) {
    NodeId target = kNoNode;
    if (token_.type != TokenType::kName || is_reserved(token_.text)) return unexpected();
    if (!parse_postfix(target)) return false;
    const Node node = ast_.nodes[target];
    if (node.type == NodeType::kMember && names.size() == 1 && !token_.is(',') && !parenthesised) {
      out.type = Statement::Type::kSetMember;
      out.c = node.a;
      out.d = node.b;
      return true;
    }
    if (node.type != NodeType::kName) return fail(offset, "Invalid LHS inside assignment expression");
    names.push_back(node.a);
    if (!token_.is(',')) break;
    if (!advance()) return false;
  }
  if (parenthesised && !expect(')')) return false;
  if (names.size() > 2) names[0] = static_cast<std::uint32_t>(names.size() - 1);
  out.type = Statement::Type::kSet;
  out.c = add_extra(names);
  return true;
}

bool TemplateParser::parse_set(std::uint32_t offset, Statement& out) {
  out.a = kNoNode;
  out.b = kNoBlock;
  if (!parse_set_target(out)) return false;
  if (token_.is('=')) return advance() && parse_sequence(out.a) && close_statement();
  return close_statement() && parse_block({"endset"}, out.b, offset, "set") && advance() && close_statement();
}

bool TemplateParser::parse_parameters(Macro& macro) {
  if (!expect('(')) return false;
  bool saw_default = false;
  while (!token_.is(')')) {
    const std::uint32_t offset = token_.offset;
    const std::string_view text = token_.text;
    Macro::Parameter parameter{0, kNoNode};
    if (!variable_name(parameter.name)) return false;
    for (const Macro::Parameter& other : macro.parameters) {
      if (other.name == parameter.name) return fail(offset, fmt::format("Duplicate parameter name: {}", text));
    }
    if (token_.is('=')) {
      saw_default = true;
      if (!advance() || !parse_expression(parameter.fallback)) return false;
    } else if (saw_default) {
      return fail(offset, "Non-default argument follows default argument");
    }
    macro.parameters.push_back(parameter);
    if (macro.parameters.size() > limits::kMaxMacroParameters) {
      return fail(offset, fmt::format("more than {} parameters", limits::kMaxMacroParameters));
    }
    if (!token_.is(',')) break;
    if (!advance()) return false;
  }
  return expect(')');
}

bool TemplateParser::parse_macro(std::uint32_t offset, Statement& out) {
  Macro macro{0, {}, kNoBlock};
  if (!variable_name(macro.name) || !parse_parameters(macro) || !close_statement()) return false;
  const int loops_outside = loops_open_;
  loops_open_ = 0;
  if (!parse_block({"endmacro"}, macro.body, offset, "macro")) return false;
  loops_open_ = loops_outside;
  tree_.macros.push_back(std::move(macro));
  out.type = Statement::Type::kMacro;
  out.a = static_cast<std::uint32_t>(tree_.macros.size() - 1);
  return advance() && close_statement();
}

}  // namespace wgk::jinja
