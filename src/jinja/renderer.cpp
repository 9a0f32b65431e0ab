// Renderer: statements, scopes, loops and macros (package-format 7.2).
#include "jinja/renderer.h"

#include <algorithm>

#include <fmt/format.h>

namespace wgk::jinja {

/// Bindings made while a Frame lives are undone at its end.
class Renderer::Frame {
 public:
  explicit Frame(Renderer& renderer)
      : renderer_(renderer), outer_(renderer.frame_), hidden_from_(renderer.hidden_.size()) {
    renderer_.frame_ = ++renderer_.next_frame_;
  }
  ~Frame() {
    while (renderer_.hidden_.size() > hidden_from_) {
      Hidden& hidden = renderer_.hidden_.back();
      renderer_.variables_[hidden.name] = std::move(hidden.value);
      renderer_.owners_[hidden.name] = hidden.owner;
      renderer_.hidden_.pop_back();
    }
    renderer_.frame_ = outer_;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  Renderer& renderer_;
  std::uint32_t outer_;
  std::size_t hidden_from_;
};

Renderer::~Renderer() {
  for (Value& made : namespaces_) made.clear_namespace();
}

void Renderer::bind(std::uint32_t name, Value value) {
  if (owners_[name] != frame_) {
    hidden_.push_back({name, owners_[name], std::move(variables_[name])});
    owners_[name] = frame_;
  }
  variables_[name] = std::move(value);
}

bool Renderer::render() {
  Flow flow = Flow::kNormal;
  return run_block(tree_.root, flow);
}

bool Renderer::print(std::string_view text) {
  if (out_.size() + text.size() > limits::kMaxRenderedBytes) {
    return fail(fmt::format("rendered output exceeds {} bytes", limits::kMaxRenderedBytes));
  }
  out_ += text;
  return spend_bytes(text.size());
}

bool Renderer::run_block(BlockId block, Flow& flow) {
  Level level(*this);
  if (!level.ok()) return false;
  for (const std::uint32_t id : tree_.blocks[block]) {
    const Statement& statement = tree_.statements[id];
    offset_ = statement.offset;
    if (!spend() || !run(statement, flow)) return false;
    if (flow != Flow::kNormal) return true;
  }
  return true;
}

bool Renderer::run(const Statement& statement, Flow& flow) {
  switch (statement.type) {
    case Statement::Type::kText:
      return print(std::string_view(tree_.text).substr(statement.a, statement.b - statement.a));
    case Statement::Type::kOutput:
      return run_output(statement);
    case Statement::Type::kIf:
      return run_if(statement, flow);
    case Statement::Type::kFor:
      return run_for(statement, flow);
    case Statement::Type::kSet:
    case Statement::Type::kSetMember:
      return run_set(statement, flow);
    case Statement::Type::kMacro: {
      Value::Function function;
      function.kind = Value::Function::Kind::kMacro;
      function.macro = statement.a;
      function.name = ast_.names[tree_.macros[statement.a].name].text;
      bind(tree_.macros[statement.a].name, Value::function(std::move(function)));
      return true;
    }
    case Statement::Type::kBreak:
      flow = Flow::kBreak;
      return true;
    case Statement::Type::kContinue:
      flow = Flow::kContinue;
      return true;
  }
  return true;
}

bool Renderer::run_output(const Statement& statement) {
  Value value;
  if (!eval(statement.a, value)) return false;
  offset_ = statement.offset;
  if (value.is_string()) return print(value.as_string());
  const Result<std::string> text = output_text(value);
  return text.ok() ? print(*text) : fail(text.error().message);
}

bool Renderer::run_if(const Statement& statement, Flow& flow) {
  for (std::uint32_t i = 0; i < statement.b; ++i) {
    const Branch& branch = tree_.branches[statement.a + i];
    if (branch.condition != kNoNode) {
      Value condition;
      if (!eval(branch.condition, condition)) return false;
      if (!condition.truthy()) continue;
    }
    return run_block(branch.block, flow);
  }
  return true;
}

bool Renderer::check_targets(const Loop& loop, const Value& item) {
  const std::size_t count = ast_.extra[loop.targets];
  if (count == 0) return true;
  if (!item.is_list()) return fail(fmt::format("Cannot unpack non-iterable type: {}", item.type_name()));
  if (item.as_list().size() == count) return true;
  return fail(fmt::format("Too {} items to unpack", count > item.as_list().size() ? "few" : "many"));
}

void Renderer::bind_targets(const Loop& loop, const Value& item) {
  const std::size_t count = ast_.extra[loop.targets];
  if (count == 0) return bind(ast_.extra[loop.targets + 1], item);
  for (std::size_t i = 0; i < count; ++i) bind(ast_.extra[loop.targets + 1 + i], item.as_list()[i]);
}

/// The items that the loop takes: those of the list, or the keys of the map, for which its condition holds.
bool Renderer::loop_items(const Statement& statement, const Loop& loop, const Value& iterable, List& items) {
  if (iterable.is_list()) {
    items = iterable.as_list();
  } else if (iterable.is_map() && !iterable.is_namespace()) {
    for (const auto& [key, value] : iterable.as_map()) {
      if (!spend_bytes(key.size())) return false;
      items.push_back(Value::string(key));
    }
  } else {
    return fail(fmt::format("Expected iterable or object type in for loop: got {}", iterable.type_name()));
  }
  std::size_t kept = 0;
  for (Value& item : items) {
    offset_ = statement.offset;
    if (!spend() || !check_targets(loop, item)) return false;
    if (loop.condition != kNoNode) {
      const Frame frame(*this);
      bind_targets(loop, item);
      Value condition;
      if (!eval(loop.condition, condition)) return false;
      if (!condition.truthy()) continue;
    }
    if (&items[kept] != &item) items[kept] = std::move(item);
    ++kept;
  }
  items.resize(kept);
  return true;
}

bool Renderer::run_for(const Statement& statement, Flow& flow) {
  const Loop& loop = tree_.loops[statement.a];
  const Frame frame(*this);
  Value iterable;
  if (!eval(loop.iterable, iterable)) return false;
  offset_ = statement.offset;
  List items;
  if (!loop_items(statement, loop, iterable, items)) return false;
  return run_iterations(statement, loop, items, flow);
}

namespace {

Value loop_value(const List& items, std::size_t i) {
  const auto number = [](std::size_t value) { return Value::integer(static_cast<double>(value)); };
  const std::size_t left = items.size() - i;
  Map members;  // filled in place: an initializer list would be copied, for every iteration
  members.reserve(9);
  members.emplace_back("index", number(i + 1));
  members.emplace_back("index0", number(i));
  members.emplace_back("revindex", number(left));
  members.emplace_back("revindex0", number(left - 1));
  members.emplace_back("first", Value::boolean(i == 0));
  members.emplace_back("last", Value::boolean(left == 1));
  members.emplace_back("length", number(items.size()));
  members.emplace_back("previtem", i > 0 ? items[i - 1] : Value());
  members.emplace_back("nextitem", left > 1 ? items[i + 1] : Value());
  return Value::map(std::move(members));
}

}  // namespace

std::uint32_t loop_name(const Ast& ast) {
  for (std::size_t i = 0; i < ast.names.size(); ++i) {
    if (ast.names[i].text == "loop") return static_cast<std::uint32_t>(i);
  }
  return kNoNode;
}

bool Renderer::run_iterations(const Statement& statement, const Loop& loop, const List& items, Flow& flow) {
  bool finished_one = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    offset_ = statement.offset;
    if (!spend()) return false;
    if (tree_.loop_name != kNoNode) bind(tree_.loop_name, loop_value(items, i));
    bind_targets(loop, items[i]);
    const std::size_t printed = out_.size();
    Flow body_flow = Flow::kNormal;
    if (!run_block(loop.body, body_flow)) return false;
    if (body_flow == Flow::kNormal) {
      finished_one = true;
      continue;
    }
    out_.resize(printed);  // as in the JavaScript engine, an iteration that does not finish prints nothing
    if (body_flow == Flow::kBreak) break;
  }
  return finished_one || loop.otherwise == kNoBlock || run_block(loop.otherwise, flow);
}

bool Renderer::capture(BlockId block, std::string& text, Flow& flow) {
  const std::size_t printed = out_.size();
  if (!run_block(block, flow)) return false;
  text = out_.substr(printed);
  out_.resize(printed);
  return true;
}

bool Renderer::run_set(const Statement& statement, Flow& flow) {
  Value value;
  if (statement.a != kNoNode) {
    if (!eval(statement.a, value)) return false;
  } else {
    std::string text;
    if (!capture(statement.b, text, flow)) return false;
    if (flow != Flow::kNormal) return true;
    if (!set_string(std::move(text), value)) return false;
  }
  offset_ = statement.offset;
  return assign(statement, std::move(value));
}

bool Renderer::assign(const Statement& statement, Value value) {
  if (statement.type == Statement::Type::kSetMember) {
    Value object;
    if (!eval(statement.c, object)) return false;
    offset_ = statement.offset;
    if (!object.is_namespace()) return fail("cannot assign attribute on non-namespace object");
    if (!spend(object.as_map().size() / 16)) return false;
    object.set_namespace_member(ast_.strings[statement.d], std::move(value));
    return true;
  }
  const std::size_t count = ast_.extra[statement.c];
  if (count == 0) {
    bind(ast_.extra[statement.c + 1], std::move(value));
    return true;
  }
  if (!value.is_list()) return fail(fmt::format("Cannot unpack non-iterable type in set: {}", value.type_name()));
  const List& items = value.as_list();
  if (items.size() != count) {
    return fail(fmt::format("Too {} items to unpack in set", count > items.size() ? "few" : "many"));
  }
  for (std::size_t i = 0; i < count; ++i) bind(ast_.extra[statement.c + 1 + i], items[i]);
  return true;
}

bool Renderer::call_special(const Value::Function& function, std::vector<Value>& arguments, Keywords& keywords,
                            Value& out) {
  if (function.kind == Value::Function::Kind::kNamespace) return call_namespace(arguments, keywords, out);
  return call_macro(tree_.macros[function.macro], arguments, keywords, out);
}

bool Renderer::call_macro(const Macro& macro, std::vector<Value>& arguments, Keywords& keywords, Value& out) {
  if (macro_depth_ >= limits::kMaxMacroDepth) return fail(fmt::format("nesting exceeds {}", limits::kMaxMacroDepth));
  ++macro_depth_;
  const std::uint32_t called_at = offset_;
  std::string text;
  Flow flow = Flow::kNormal;
  {
    const Frame frame(*this);
    if (!bind_parameters(macro, arguments, keywords) || !capture(macro.body, text, flow)) return false;
  }
  --macro_depth_;
  offset_ = called_at;
  return set_string(std::move(text), out);
}

bool Renderer::bind_parameters(const Macro& macro, std::vector<Value>& arguments, Keywords& keywords) {
  const std::string& name = ast_.names[macro.name].text;
  if (arguments.size() > macro.parameters.size()) {
    return fail(fmt::format("macro '{}' takes not more than {} argument(s)", name, macro.parameters.size()));
  }
  // Every parameter is bound before the first default is evaluated, so that no default sees an outer variable instead.
  std::vector<const Macro::Parameter*> with_default;
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    const Macro::Parameter& parameter = macro.parameters[i];
    if (i < arguments.size()) {
      bind(parameter.name, std::move(arguments[i]));
      continue;
    }
    const auto keyword = std::find_if(keywords.begin(), keywords.end(), [this, &parameter](const auto& candidate) {
      return candidate.first == ast_.names[parameter.name].text;
    });
    if (keyword != keywords.end()) {
      bind(parameter.name, std::move(keyword->second));
      keywords.erase(keyword);
      continue;
    }
    bind(parameter.name, Value());
    if (parameter.fallback != kNoNode) with_default.push_back(&parameter);
  }
  if (!keywords.empty()) {
    return fail(fmt::format("macro '{}' takes no keyword argument '{}'", name, keywords.front().first));
  }
  for (const Macro::Parameter* parameter : with_default) {
    Value value;
    if (!eval(parameter->fallback, value)) return false;
    bind(parameter->name, std::move(value));
  }
  return true;
}

namespace {

void set_entry(Map& entries, const std::string& key, const Value& value) {
  for (auto& [name, content] : entries) {
    if (name == key) {
      content = value;
      return;
    }
  }
  entries.emplace_back(key, value);
}

}  // namespace

bool Renderer::call_namespace(std::vector<Value>& arguments, Keywords& keywords, Value& out) {
  if (arguments.size() > 1) {
    return fail(fmt::format("namespace expected at most 1 argument, got {}", arguments.size()));
  }
  Map entries;
  if (arguments.size() == 1 && arguments[0].is_map() && !arguments[0].is_namespace()) {
    entries = arguments[0].as_map();
  } else if (arguments.size() == 1 && arguments[0].is_list()) {
    for (const Value& pair : arguments[0].as_list()) {
      if (!pair.is_list() || pair.as_list().size() != 2) {
        return fail("namespace expected an object or an iterable of [key, value] pairs");
      }
      if (!pair.as_list()[0].is_string()) return fail("namespace keys must be strings");
      if (!spend(entries.size() / 16)) return false;
      set_entry(entries, pair.as_list()[0].as_string(), pair.as_list()[1]);
    }
  } else if (arguments.size() == 1) {
    return fail(fmt::format("'{}' object is not iterable", arguments[0].type_name()));
  }
  for (const auto& [key, value] : keywords) {
    if (!spend(1 + entries.size() / 16)) return false;
    set_entry(entries, key, value);
  }
  if (!spend(entries.size())) return false;
  out = Value::namespace_map(std::move(entries));
  namespaces_.push_back(out);
  return true;
}

}  // namespace wgk::jinja
