// Template: parse and render.
#include "jinja/template.h"

#include <cmath>

#include <fmt/format.h>

#include "jinja/renderer.h"
#include "jinja/template_parser.h"
#include "jinja/template_text.h"

namespace wgk::jinja {

namespace {

Error package_error(std::string message) { return {ErrorCode::kPackage, std::move(message)}; }

Result<Value> range(std::span<const Value> args, Budget& budget) {
  if (args.empty() || args.size() > 3) {
    return package_error(fmt::format("range() takes 1 to 3 arguments, got {}", args.size()));
  }
  for (const Value& arg : args) {
    if (!arg.is_number()) return package_error(fmt::format("range() needs numbers, got {}", arg.type_name()));
  }
  const double start = args.size() > 1 ? args[0].as_number() : 0;
  const double stop = args.size() > 1 ? args[1].as_number() : args[0].as_number();
  const double step = args.size() > 2 ? args[2].as_number() : 1;
  if (step == 0) return package_error("range() step must not be zero");
  List items;
  for (double i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (items.size() == limits::kMaxListItems)
      return package_error(fmt::format("list of more than {} items", limits::kMaxListItems));
    items.push_back(Value::number(i));
  }
  if (!budget.spend(items.size())) {
    return package_error(fmt::format("evaluation step limit ({}) exceeded", limits::kMaxEvaluationSteps));
  }
  return Value::list(std::move(items));
}

Result<Value> raise_exception(std::span<const Value> args, Budget&) {
  std::string message;
  if (args.empty() || !append_plain_text(args[0], message)) message = "raise_exception() without a text";
  return package_error(std::move(message));
}

Value namespace_function() {
  Value::Function function;
  function.kind = Value::Function::Kind::kNamespace;
  function.name = "namespace";
  return Value::function(std::move(function));
}

/// What every template sees besides the scope it is rendered with.
const Scope& builtins() {
  static const Scope scope = [] {
    Scope made;
    made.set("range", Value::function("range", range));
    made.set("raise_exception", Value::function("raise_exception", raise_exception));
    made.set("namespace", namespace_function());
    return made;
  }();
  return scope;
}

}  // namespace

Result<Template> Template::parse(std::string text, std::string name) {
  Template result;
  result.text_ = std::make_shared<const std::string>(std::move(text));
  result.name_ = std::make_shared<const std::string>(std::move(name));
  if (result.text_->size() > limits::kMaxTemplateBytes) {
    return package_error(
        fmt::format("{} is {} bytes; the limit is {}", *result.name_, result.text_->size(), limits::kMaxTemplateBytes));
  }
  auto tree = std::make_shared<TemplateNode>();
  trim_blocks(*result.text_, tree->text, tree->chunks);
  TemplateParser parser(*tree);
  if (!parser.parse()) {
    const auto place = [&](const ParseError& error, const std::string& prefix) {
      return describe(*result.name_, *result.text_, original_offset(tree->chunks, error.offset), prefix + error.reason);
    };
    std::string message = place(parser.error(), "");
    if (parser.opening()) message += "\n" + place(*parser.opening(), "note: ");
    return package_error(std::move(message));
  }
  tree->loop_name = loop_name(tree->ast);
  result.root_ = std::move(tree);
  return result;
}

Result<std::string> Template::render(const Scope& scope, Budget& budget) const {
  const Ast& ast = root_->ast;
  std::vector<Value> slots(ast.names.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Name& name = ast.names[i];
    const Value* found = scope.find(name.text, name.hash);
    if (found == nullptr) found = builtins().find(name.text, name.hash);
    if (found != nullptr) slots[i] = *found;
  }
  Renderer renderer(*root_, slots, budget);
  if (!renderer.render()) {
    return package_error(
        describe(*name_, *text_, original_offset(root_->chunks, renderer.offset()), renderer.reason()));
  }
  return std::move(renderer).take_output();
}

}  // namespace wgk::jinja
