// Values of the expression and template language (package-format 6.3).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <wgk/status.hpp>

namespace wgk::jinja {

class Value;
class Budget;
using List = std::vector<Value>;
/// Insertion-ordered; small, so members are found by a linear walk.
using Map = std::vector<std::pair<std::string, Value>>;

/// A function of the language. Gets positional arguments; keyword arguments are refused before the call. The evaluator
/// applies the boundary rule to what it returns. The budget is charged for lists it produces.
using Callable = std::function<Result<Value>(std::span<const Value> args, Budget& budget)>;

/// An immutable value; copies share lists, maps and strings. Only a map made by namespace() changes, through `set
/// ns.a`.
class Value {
 public:
  enum class Kind : std::uint8_t { kUndefined, kNone, kBool, kInt, kFloat, kString, kList, kMap, kFunction };
  struct Function;

  Value() = default;  ///< Undefined
  static Value none();
  static Value boolean(bool value);
  static Value integer(double value);   ///< kind Int; the value is a double all the same
  static Value floating(double value);  ///< kind Float
  /// The boundary rule: integral -> Int, else Float (NaN and infinities are Float, as in JavaScript's
  /// Number.isInteger).
  static Value number(double value);
  static Value string(std::string value);
  static Value list(List value);
  static Value map(Map value);
  static Value namespace_map(Map value);  ///< the mutable map of namespace()
  static Value function(std::string name, Callable callable);
  static Value function(Function function);

  Kind kind() const;
  bool is_undefined() const { return data_.index() == 0; }
  bool is_none() const { return data_.index() == 1; }
  bool is_bool() const { return data_.index() == 2; }
  bool is_number() const { return data_.index() == 3; }
  bool is_string() const { return data_.index() == 4; }
  bool is_list() const { return data_.index() == 5; }
  bool is_map() const { return data_.index() == 6; }  ///< maps of namespace() too
  bool is_function() const { return data_.index() == 7; }
  bool is_int() const { return is_number() && std::get_if<Number>(&data_)->is_int; }

  bool as_bool() const;                  ///< kBool only
  double as_number() const;              ///< kInt and kFloat only
  const std::string& as_string() const;  ///< kString only
  const List& as_list() const;           ///< kList only
  const Map& as_map() const;             ///< kMap only
  const Callable& as_callable() const;   ///< kFunction only
  const Function& as_function() const;   ///< kFunction only

  /// The member of a map, or nullptr.
  const Value* member(std::string_view key) const;
  bool truthy() const;  ///< package-format 6.5
  bool is_namespace() const;
  void set_namespace_member(std::string_view key, Value value);  ///< is_namespace() only
  void clear_namespace();                                        ///< is_namespace() only; breaks reference cycles

  /// Sets the kind of every number again from its value, inside lists and maps too (package-format 6.3, boundary rule).
  Value at_boundary() const;

  /// Both are the same object, or equal scalars of one kind (numbers by value): `x in list` and `unique`.
  bool same_as(const Value& other) const;

  /// Levels of lists and maps in it: 0 for a scalar. A namespace counts as one level whatever it holds.
  std::uint32_t depth() const;
  /// Values in it, itself included, each counted as often as it is reachable; saturates. Namespaces count as one.
  std::uint64_t weight() const;
  /// Address of the shared object behind a list, map or function, else nullptr.
  const void* identity() const;

  /// "ArrayValue", "UndefinedValue", …: the names used in error texts.
  static std::string_view kind_name(Kind kind);
  /// kind_name(kind()), and "NamespaceValue" for what namespace() made.
  std::string_view type_name() const;

 private:
  struct Number {
    double value;
    bool is_int;
  };
  struct None {};
  struct ListBox;
  struct MapBox;

  /// at_boundary() would give the same value.
  bool at_boundary_is_identity() const;

  std::variant<std::monostate, None, bool, Number, std::shared_ptr<const std::string>, std::shared_ptr<const ListBox>,
               std::shared_ptr<MapBox>, std::shared_ptr<const Function>>
      data_;
};

/// Limits that keep every walk over a value short and every destructor's recursion shallow.

/// Output text of {{ value }} (package-format 7.4). Printing a function is an error.
Result<std::string> output_text(const Value& value);

/// Plain text (package-format 6.4) appended to `out`: strings, numbers without ".0", Bools. False for other kinds.
bool append_plain_text(const Value& value, std::string& out);

/// JSON-like text for messages and explain: strings quoted, `undefined`, `null`, numbers without ".0".
std::string display_text(const Value& value);

}  // namespace wgk::jinja
