// Names visible to an evaluation: a chain of small tables, innermost first.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jinja/name.h"
#include "jinja/value.h"

namespace wgk::jinja {

/// One table of names with an optional outer scope, which must outlive it. Not thread-safe while being changed; const
/// use from any thread.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  /// Adds a name or replaces it in this table.
  void set(std::string_view name, Value value);
  /// Makes room for `more` names.
  void reserve(std::size_t more);
  /// The value of the innermost table that has the name, or nullptr.
  const Value* find(std::string_view name) const { return find(name, name_hash(name)); }
  /// The same, with name_hash(name) already known.
  const Value* find(std::string_view name, std::uint32_t hash) const;
  const Scope* outer() const { return outer_; }
  /// This table's own names, in the order they were first set.
  const std::vector<std::pair<std::string, Value>>& entries() const& { return entries_; }
  std::vector<std::pair<std::string, Value>> entries() && { return std::move(entries_); }

 private:
  static constexpr std::size_t kMarks = 256;

  std::size_t index_of(std::string_view name, std::uint32_t hash) const;

  const Scope* outer_;
  std::vector<std::pair<std::string, Value>> entries_;
  std::vector<std::uint32_t> hashes_;  ///< of entries_, apart so that a walk touches little memory
  std::bitset<kMarks> marks_;          ///< by the low bits of the hashes: most tables are passed with one look
};

}  // namespace wgk::jinja
