// A place in manifest.json: typed access with errors that name the place.
#include "package/node.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/try.h"
#include "base/visible.h"

namespace wgk::package {
namespace {

constexpr std::size_t kMaxPointerText = 300;
constexpr std::size_t kMaxShownValues = 16;

std::string place_text(const std::string& pointer) {
  return pointer.empty() ? "manifest.json" : "manifest.json: " + printable(pointer, kMaxPointerText);
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) { return base::visible(text, max_bytes); }

// Only scalars and small containers are printed: dumping megabytes to cut them again would be wasteful.
std::string json_text(const Json* json) {
  if (json == nullptr) return "undefined";
  if (json->is_structured() && json->size() > kMaxShownValues) return json->is_array() ? "[...]" : "{...}";
  return printable(json->dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string json_text(const Tree* tree) {
  if (tree == nullptr) return "undefined";
  if (tree->size() > kMaxShownValues) return tree->is_list() ? "[...]" : "{...}";
  const Json json = to_json(*tree);
  return json_text(&json);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = base::nearest(word, candidates);
  return near.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", printable(near, 80));
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  return suggestion(word, std::vector<std::string>(candidates.begin(), candidates.end()));
}

Error Node::fail(std::string_view text) const {
  return Error{ErrorCode::kPackage, fmt::format("{} ({})", printable(text, 2000), place_text(pointer()))};
}

Error Node::fail_here(std::string_view text) const {
  const std::string here = pointer();
  const auto slash = here.rfind('/');
  const std::string name = slash == std::string::npos ? "the manifest" : printable(here.substr(slash + 1), 80);
  const std::string op = context_->op.empty() ? "" : " " + context_->op;
  return fail(fmt::format("WebGPU manifest{}: {} {}", op, name, text));
}

Status Node::require_object() const {
  if (tree_->is_map()) return {};
  return fail_here(fmt::format("must be an object, got {}", json_text(tree_)));
}

Status Node::require_array() const {
  if (tree_->is_list()) return {};
  return fail_here(fmt::format("must be a list, got {}", json_text(tree_)));
}

Status Node::require_non_empty_array() const {
  if (tree_->is_list() && !tree_->empty()) return {};
  return fail_here(fmt::format("must be a non-empty list, got {}", json_text(tree_)));
}

Result<std::string> Node::string() const {
  if (tree_->is_string()) return std::string(tree_->text());
  return fail_here(fmt::format("must be a string, got {}", json_text(tree_)));
}

Result<std::string> Node::non_empty_string() const {
  if (tree_->is_string() && !tree_->text().empty()) return string();
  return fail_here(fmt::format("must be a non-empty string, got {}", json_text(tree_)));
}

Result<bool> Node::boolean() const {
  if (tree_->is_boolean()) return tree_->as_boolean();
  return fail_here(fmt::format("must be true or false, got {}", json_text(tree_)));
}

Result<double> Node::number() const {
  if (tree_->is_number() && std::isfinite(tree_->as_number())) return tree_->as_number();
  return fail_here(fmt::format("must be a finite number, got {}", json_text(tree_)));
}

Result<std::uint64_t> Node::unsigned_integer(std::uint64_t max) const {
  if (tree_->kind() == Tree::Kind::kUnsigned) {
    if (const std::uint64_t value = tree_->as_unsigned(); value <= max) return value;
  } else if (tree_->kind() == Tree::Kind::kFloat) {
    const double value = tree_->as_number();
    // 2^63 bounds the cast; larger values exceed every limit used here.
    if (value >= 0 && value < 9223372036854775808.0 && std::trunc(value) == value) {
      if (const auto whole = static_cast<std::uint64_t>(value); whole <= max) return whole;
    }
  }
  return fail_here(fmt::format("must be an integer in [0, {}], got {}", max, json_text(tree_)));
}

Result<std::vector<std::string>> Node::string_list() const {
  WGK_CHECK(require_array());
  std::vector<std::string> list;
  list.reserve(size());
  for (std::size_t index = 0; index < size(); ++index) {
    WGK_TRY(std::string item, at(index).string());
    list.push_back(std::move(item));
  }
  return list;
}

Result<std::string> Node::string_or(std::string_view key, std::string fallback) const {
  if (!has(key)) return fallback;
  return at(key).string();
}

Result<bool> Node::boolean_or(std::string_view key, bool fallback) const {
  if (!has(key)) return fallback;
  return at(key).boolean();
}

Status Node::known_keys(std::string_view where, std::span<const std::string_view> known) const {
  WGK_CHECK(require_object());
  for (const Tree::Member& one : tree_->members()) {
    if (std::find(known.begin(), known.end(), one.key) != known.end()) continue;
    return member(one).fail(
        fmt::format("{} has unknown key \"{}\"{}", where, printable(one.key), suggestion(one.key, known)));
  }
  return {};
}

void Node::warn_unknown_keys(std::span<const std::string_view> known) const {
  for (const auto& [key, value] : tree_->members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (context_->warnings->size() >= limits::kMaxWarnings) return;
    context_->warnings->push_back(fmt::format("{}: unknown key \"{}\" is ignored{}", place_text(pointer()),
                                              printable(key), suggestion(key, known)));
  }
}

Status Node::limit(std::string_view where, std::string_view things, std::uint64_t n, std::uint64_t max) const {
  if (n <= max) return {};
  return fail(fmt::format("{}: too many {} ({}; the limit is {})", where, things, n, max));
}

Status Node::charge(std::uint64_t n) const {
  context_->items += n;
  if (context_->items <= limits::kMaxModelItems) return {};
  return limit(fmt::format("WebGPU manifest {}", context_->op), "model items", context_->items, limits::kMaxModelItems);
}

}  // namespace wgk::package
