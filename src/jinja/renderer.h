// Executes the statements of a template.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jinja/ast.h"
#include "jinja/evaluator.h"

namespace wgk::jinja {

/// Variables are bound dynamically: a macro sees the names visible where it is called. So one slot per name is enough;
/// leaving a loop or a macro puts back what its own bindings hid.
class Renderer : public Evaluator {
 public:
  /// `slots` holds the value of each name of `tree` at the start; the renderer changes it.
  Renderer(const TemplateNode& tree, std::vector<Value>& slots, Budget& budget)
      : Evaluator(tree.ast, slots, budget), tree_(tree), variables_(slots), owners_(slots.size(), 0) {}
  ~Renderer() override;
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  bool render();
  std::string take_output() && { return std::move(out_); }

 private:
  /// How a block ended.
  enum class Flow : std::uint8_t { kNormal, kBreak, kContinue };

  struct Hidden {
    std::uint32_t name;
    std::uint32_t owner;
    Value value;
  };

  class Frame;

  bool call_special(const Value::Function& function, std::vector<Value>& arguments, Keywords& keywords,
                    Value& out) override;
  bool call_macro(const Macro& macro, std::vector<Value>& arguments, Keywords& keywords, Value& out);
  bool bind_parameters(const Macro& macro, std::vector<Value>& arguments, Keywords& keywords);
  bool call_namespace(std::vector<Value>& arguments, Keywords& keywords, Value& out);

  bool run_block(BlockId block, Flow& flow);
  bool run(const Statement& statement, Flow& flow);
  bool run_output(const Statement& statement);
  bool run_if(const Statement& statement, Flow& flow);
  bool run_for(const Statement& statement, Flow& flow);
  bool run_iterations(const Statement& statement, const Loop& loop, const List& items, Flow& flow);
  bool run_set(const Statement& statement, Flow& flow);
  bool assign(const Statement& statement, Value value);
  bool loop_items(const Statement& statement, const Loop& loop, const Value& iterable, List& items);
  bool check_targets(const Loop& loop, const Value& item);
  void bind_targets(const Loop& loop, const Value& item);
  /// Runs a block and takes away what it printed.
  bool capture(BlockId block, std::string& text, Flow& flow);
  bool print(std::string_view text);
  void bind(std::uint32_t name, Value value);

  const TemplateNode& tree_;
  std::vector<Value>& variables_;
  std::vector<std::uint32_t> owners_;  ///< per name, the frame that bound it
  std::vector<Hidden> hidden_;
  std::uint32_t frame_ = 0;
  std::uint32_t next_frame_ = 0;
  int macro_depth_ = 0;
  std::vector<Value> namespaces_;  ///< all that were made, so that cycles among them can be broken
  std::string out_;
};

/// Index of the name `loop` among the names of a template, or kNoNode when it does not occur.
std::uint32_t loop_name(const Ast& ast);

}  // namespace wgk::jinja
