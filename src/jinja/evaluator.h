// Evaluates expression nodes; the template renderer builds on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/ast.h"
#include "jinja/function.h"
#include "jinja/limits.h"
#include "jinja/value.h"

namespace wgk::jinja {

/// Keyword arguments of a call, in order, without duplicates.
using Keywords = std::vector<std::pair<std::string, Value>>;

/// Functions return false after the first error; reason() and offset() tell it, and the evaluator is of no use then.
class Evaluator {
 public:
  /// `slots` holds a value for each name of `ast`. All three must outlive the evaluator.
  Evaluator(const Ast& ast, const std::vector<Value>& slots, Budget& budget)
      : ast_(ast), slots_(slots), budget_(budget) {}
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  bool eval(NodeId id, Value& out);

  const std::string& reason() const { return reason_; }
  std::uint32_t offset() const { return offset_; }

 protected:
  /// Calls what only templates have: macros and namespace().
  virtual bool call_special(const Value::Function& function, std::vector<Value>& arguments, Keywords& keywords,
                            Value& out);

  /// Counts levels of evaluation, so that deep nesting inside deep macro calls cannot exhaust the stack.
  class Level;

  bool fail(std::string reason);
  bool fail_at(std::uint32_t offset, std::string reason) {
    offset_ = offset;
    return fail(std::move(reason));
  }
  bool spend(std::uint64_t steps = 1) { return budget_.spend(steps) || out_of_steps(); }
  /// Charges for work that grows with the length of a text.
  bool spend_bytes(std::size_t bytes) { return spend(bytes / kBytesPerStep); }
  /// Whether evaluation may go on with this value: not too deep, too large or too long.
  bool accept(const Value& value);
  bool set_string(std::string text, Value& out);
  bool set_list(List items, Value& out);

  const Ast& ast_;
  const std::vector<Value>& slots_;
  Budget& budget_;
  std::uint32_t offset_ = 0;  ///< of the node at work, for messages

 private:
  static constexpr std::size_t kBytesPerStep = 256;

  bool out_of_steps();

  bool eval_chain(NodeId id, Value& out);
  bool eval_list(const Node& node, Value& out);
  bool eval_map(const Node& node, Value& out);
  bool eval_unary(const Node& node, Value& out);

  bool binary(BinaryOp op, const Value& left, const Value& right, Value& out);
  bool arithmetic(BinaryOp op, const Value& left, const Value& right, Value& out);
  bool power(const Value& left, const Value& right, Value& out);
  bool concat(BinaryOp op, const Value& left, const Value& right, Value& out);
  bool contains(BinaryOp op, const Value& left, const Value& right, Value& out);
  bool spend_search(std::size_t text, std::size_t pattern);
  bool equal(const Value& left, const Value& right, bool& out);
  bool unknown_operator(BinaryOp op, const Value& left, const Value& right);

  bool test(Test test, const Value& value, bool& out);

  bool filter(const Node& node, const Value& operand, Value& out);
  bool list_filter(Filter filter, const Value& operand, std::span<const Value> arguments, Value& out);
  bool string_filter(Filter filter, const Value& operand, std::span<const Value> arguments, Value& out);
  bool number_filter(Filter filter, const Value& operand, Value& out);
  bool bool_filter(Filter filter, const Value& operand, Value& out);
  bool map_filter(Filter filter, const Value& operand, Value& out);
  bool wrong_filter(Filter filter, const Value& operand);
  bool default_filter(const Value& operand, std::span<const Value> arguments, Value& out);
  bool output_string(const Value& operand, Value& out);
  bool join(const List& items, const Value* separator, Value& out);
  bool sort(const List& items, Value& out);
  bool unique(const List& items, Value& out);

  /// Sets `found` to the member, or to null if there is none.
  bool member(const Value& object, const std::string& name, const Value*& found, Value& scratch);
  bool index(const Value& object, const Value& key, const Value*& found, Value& scratch);
  bool character_at(const std::string& text, double at, Value& out, bool& found);
  bool slice(const Value& object, std::uint32_t parts, Value& out);
  bool slice_string(const std::string& text, const double* start, const double* stop, double step, Value& out);

  bool call(const Node& node, const Value& callee, Value& out);
  bool eval_arguments(const Node& node, std::vector<Value>& arguments, Keywords& keywords);
  bool call_method(Method method, const Value& object, std::span<const Value> arguments, Value& out);
  bool string_method(Method method, const std::string& text, std::span<const Value> arguments, Value& out);
  bool map_method(Method method, const Value& object, std::span<const Value> arguments, Value& out);
  bool split(const std::string& text, std::span<const Value> arguments, Value& out);
  bool replace(const std::string& text, const Value& from, const Value& to, Value& out);

  std::vector<NodeId> chain_;  ///< stack of eval_chain
  int level_ = 0;
  std::string reason_;
};

class Evaluator::Level {
 public:
  explicit Level(Evaluator& evaluator) : evaluator_(evaluator) { ++evaluator_.level_; }
  ~Level() { --evaluator_.level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  bool ok();

 private:
  Evaluator& evaluator_;
};

}  // namespace wgk::jinja
