// The JSON of one manifest as its readers see it: immutable values in an arena, cheap to copy and to share.
//
// Families make many variants of one form. A copy of a Tree is three words and shares everything below it, so that what
// a form has in common with all its variants exists, and is read, once.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/status.hpp>

#include "base/json.h"

namespace wgk::package {

/// A value. Refers to memory of the arena it was made in.
class Tree {
 public:
  enum class Kind : std::uint8_t { kNull, kBoolean, kUnsigned, kInteger, kFloat, kString, kList, kMap };
  struct Member;

  Tree() = default;
  static Tree boolean(bool value);
  static Tree unsigned_integer(std::uint64_t value);
  static Tree integer(std::int64_t value);  ///< below zero
  static Tree number(double value);
  // The text and the children must outlive the tree.
  static Tree string(std::string_view text);
  static Tree list(std::span<Tree> items);
  static Tree map(std::span<Member> members);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_boolean() const { return kind_ == Kind::kBoolean; }
  bool is_number() const { return kind_ >= Kind::kUnsigned && kind_ <= Kind::kFloat; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_list() const { return kind_ == Kind::kList; }
  bool is_map() const { return kind_ == Kind::kMap; }
  bool is_structured() const { return kind_ >= Kind::kList; }
  /// Whether it is this text.
  bool is(std::string_view text) const { return is_string() && this->text() == text; }

  bool as_boolean() const { return boolean_; }
  std::uint64_t as_unsigned() const { return unsigned_; }  ///< kUnsigned only
  std::int64_t as_integer() const { return integer_; }     ///< kInteger only
  double as_number() const;                                ///< of every kind of number
  std::string_view text() const { return {text_, size_}; }
  std::span<const Tree> items() const { return {items_, size_}; }
  std::span<const Member> members() const;
  std::span<Tree> items() { return {items_, size_}; }
  std::span<Member> members();
  /// Items or members; 0 for a scalar.
  std::size_t size() const { return is_structured() ? size_ : 0; }
  bool empty() const { return size() == 0; }
  /// The member of a map, or null.
  const Member* find(std::string_view key) const;

  /// Whether a "{" stands in any text or key of it. What has none is no template: families share it as it is.
  bool braced() const { return braced_; }
  /// Values in it, itself included, and the bytes of their texts and keys.
  std::uint32_t values() const { return values_; }
  std::uint32_t bytes() const { return bytes_; }

 private:
  Kind kind_ = Kind::kNull;
  bool braced_ = false;
  std::uint32_t size_ = 0;
  std::uint32_t values_ = 1;
  std::uint32_t bytes_ = 0;
  union {
    bool boolean_;
    std::uint64_t unsigned_ = 0;
    std::int64_t integer_;
    double number_;
    const char* text_;
    Tree* items_;
    Member* members_;
  };
};

struct Tree::Member {
  std::string_view key;
  Tree value;
};

inline std::span<const Tree::Member> Tree::members() const { return {members_, size_}; }
inline std::span<Tree::Member> Tree::members() { return {members_, size_}; }

/// Memory of trees and of what is made while they are read. Freed as a whole.
class TreeArena {
 public:
  template <typename T>
  std::span<T> copy(std::span<const T> values) {
    if (values.empty()) return {};
    T* made = static_cast<T*>(memory_.allocate(values.size_bytes(), alignof(T)));
    return {made, static_cast<std::size_t>(std::uninitialized_copy(values.begin(), values.end(), made) - made)};
  }
  std::string_view copy(std::string_view text);
  /// A tree that shares nothing with `tree`.
  Tree copy(const Tree& tree);
  template <typename T>
  const T* make(T value) {
    return copy(std::span<const T>(&value, 1)).data();
  }

 private:
  std::pmr::monotonic_buffer_resource memory_{16u << 10};
};

/// A parsed manifest. Movable; trees stay where they are.
struct Document {
  std::shared_ptr<TreeArena> arena;
  Tree root;
};

/// base::parse_json into a Document.
Result<Document> parse_document(std::string_view text);
/// Removes every `$comment`; each must be a string.
Status remove_comments(Document& document);
/// The same value as JSON, for messages.
base::Json to_json(const Tree& tree);

}  // namespace wgk::package
