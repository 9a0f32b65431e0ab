// A place in manifest.json, and what reading it needs to word its errors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <wgk/status.hpp>

#include "jinja/expression.h"
#include "package/formula.h"
#include "package/place.h"
#include "package/tree.h"

namespace wgk::package {

using base::Json;

/// State of one manifest being read.
struct ReadContext {
  explicit ReadContext(TreeArena& memory) : arena(memory) {}

  TreeArena& arena;  ///< of the trees that are read; holds the places and what families make, too
  std::string op;    ///< domain + "." + name as soon as they are known
  std::vector<std::string>* warnings = nullptr;
  /// While a variant is read: where the first expression that does not parse is reported (package-format 6.8). Null at
  /// manifest level, where such an expression fails the load.
  std::string* unusable = nullptr;
  /// Formulas, bindings and fields made so far. Sets and families let a small file describe a huge model; this bounds
  /// it.
  std::uint64_t items = 0;
  /// Every text parsed so far: variants repeat most of their expressions.
  std::unordered_map<std::string_view, Result<jinja::Expression>> expressions;
  /// Every expression read so far by the address of its text, which the variants of a family share: with its place.
  std::unordered_map<const char*, Formula> formulas;
};

/// Text made safe for one line of a message: control characters escaped, long texts cut.
std::string printable(std::string_view text, std::size_t max_bytes = 200);

/// A value with its place. Cheap to make and to copy; the arena, the tree and the context must outlive it.
class Node {
 public:
  Node(const Tree& tree, const Place* place, ReadContext& context) : tree_(&tree), place_(place), context_(&context) {}

  const Tree& tree() const { return *tree_; }
  const Place* place() const { return place_; }
  std::string pointer() const { return pointer_text(place_); }
  ReadContext& context() const { return *context_; }

  bool has(std::string_view key) const { return tree_->find(key) != nullptr; }
  /// The member, which must exist.
  Node at(std::string_view key) const { return member(*tree_->find(key)); }
  Node at(std::size_t index) const {
    return {tree_->items()[index], context_->arena.make(Place{place_, {}, index}), *context_};
  }
  /// A member of this map.
  Node member(const Tree::Member& member) const {
    return {member.value, context_->arena.make(Place{place_, member.key, 0}), *context_};
  }
  std::size_t size() const { return tree_->size(); }

  /// An error here: the text followed by " (manifest.json: <pointer>)".
  Error fail(std::string_view text) const;
  /// The same, starting with "WebGPU manifest <op>: <last part of the pointer> ".
  Error fail_here(std::string_view text) const;

  Status require_object() const;
  Status require_array() const;
  Status require_non_empty_array() const;
  Result<std::string> string() const;
  Result<std::string> non_empty_string() const;
  Result<bool> boolean() const;
  Result<double> number() const;  ///< finite
  /// An integer in [0, max]; 3.0 is 3.
  Result<std::uint64_t> unsigned_integer(std::uint64_t max) const;
  Result<std::vector<std::string>> string_list() const;

  // Members with a default.
  Result<std::string> string_or(std::string_view key, std::string fallback) const;
  Result<bool> boolean_or(std::string_view key, bool fallback) const;

  /// Every key must be among `known`; the error is "<where> has unknown key "k"" with a suggestion.
  Status known_keys(std::string_view where, std::span<const std::string_view> known) const;
  /// Unknown keys become warnings.
  void warn_unknown_keys(std::span<const std::string_view> known) const;

  /// "<where>: too many <things> (<n>; the limit is <max>)" when n > max.
  Status limit(std::string_view where, std::string_view things, std::uint64_t n, std::uint64_t max) const;
  /// Counts `n` model items against the budget of the manifest.
  Status charge(std::uint64_t n) const;

 private:
  const Tree* tree_;
  const Place* place_;
  ReadContext* context_;
};

/// A short JSON text of a value for messages; "undefined" for null pointers.
std::string json_text(const Tree* tree);
std::string json_text(const Json* json);

/// `; did you mean "x"?` or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

/// Walks the members of an object in order.
template <typename Visit>
Status for_each_member(const Node& object, Visit&& visit) {
  for (const Tree::Member& member : object.tree().members()) {
    Status status = visit(member.key, object.member(member));
    if (!status.ok()) return status;
  }
  return {};
}

/// Walks the items of a list in order.
template <typename Visit>
Status for_each_item(const Node& list, Visit&& visit) {
  for (std::size_t index = 0; index < list.size(); ++index) {
    Status status = visit(index, list.at(index));
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace wgk::package
