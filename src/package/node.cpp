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

std::string place(const std::string& pointer) {
  return pointer.empty() ? "manifest.json" : "manifest.json: " + printable(pointer, kMaxPointerText);
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) { return base::visible(text, max_bytes); }

std::string json_text(const Json* json) {
  if (json == nullptr) return "undefined";
  // Only scalars and small containers are printed: dumping megabytes to cut them again would be wasteful.
  if (json->is_structured() && json->size() > 16) return json->is_array() ? "[...]" : "{...}";
  return printable(json->dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = base::nearest(word, candidates);
  return near.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", printable(near, 80));
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  return suggestion(word, std::vector<std::string>(candidates.begin(), candidates.end()));
}

const Json* Node::find(std::string_view key) const {
  if (!json_->is_object()) return nullptr;
  for (const auto& member : json_->get_ref<const Json::object_t&>()) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Error Node::fail(std::string_view text) const {
  return Error{ErrorCode::kPackage, fmt::format("{} ({})", printable(text, 2000), place(pointer_))};
}

Error Node::fail_here(std::string_view text) const {
  const auto slash = pointer_.rfind('/');
  const std::string name = slash == std::string::npos ? "the manifest" : printable(pointer_.substr(slash + 1), 80);
  const std::string op = context_->op.empty() ? "" : " " + context_->op;
  return fail(fmt::format("WebGPU manifest{}: {} {}", op, name, text));
}

Status Node::require_object() const {
  if (json_->is_object()) return {};
  return fail_here(fmt::format("must be an object, got {}", json_text(json_)));
}

Status Node::require_array() const {
  if (json_->is_array()) return {};
  return fail_here(fmt::format("must be a list, got {}", json_text(json_)));
}

Status Node::require_non_empty_array() const {
  if (json_->is_array() && !json_->empty()) return {};
  return fail_here(fmt::format("must be a non-empty list, got {}", json_text(json_)));
}

Result<std::string> Node::string() const {
  if (json_->is_string()) return json_->get_ref<const std::string&>();
  return fail_here(fmt::format("must be a string, got {}", json_text(json_)));
}

Result<std::string> Node::non_empty_string() const {
  if (json_->is_string() && !json_->get_ref<const std::string&>().empty()) return string();
  return fail_here(fmt::format("must be a non-empty string, got {}", json_text(json_)));
}

Result<bool> Node::boolean() const {
  if (json_->is_boolean()) return json_->get<bool>();
  return fail_here(fmt::format("must be true or false, got {}", json_text(json_)));
}

Result<double> Node::number() const {
  if (json_->is_number() && std::isfinite(json_->get<double>())) return json_->get<double>();
  return fail_here(fmt::format("must be a finite number, got {}", json_text(json_)));
}

Result<std::uint64_t> Node::unsigned_integer(std::uint64_t max) const {
  if (json_->is_number_unsigned()) {
    if (const auto value = json_->get<std::uint64_t>(); value <= max) return value;
  } else if (json_->is_number_float()) {
    const double value = json_->get<double>();
    // 2^63 bounds the cast; larger values exceed every limit used here.
    if (value >= 0 && value < 9223372036854775808.0 && std::trunc(value) == value) {
      if (const auto whole = static_cast<std::uint64_t>(value); whole <= max) return whole;
    }
  }
  return fail_here(fmt::format("must be an integer in [0, {}], got {}", max, json_text(json_)));
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
  return for_each_member(*this, [&](const std::string& key, const Node& member) -> Status {
    for (const std::string_view name : known) {
      if (name == key) return {};
    }
    return member.fail(fmt::format("{} has unknown key \"{}\"{}", where, printable(key), suggestion(key, known)));
  });
}

void Node::warn_unknown_keys(std::span<const std::string_view> known) const {
  for (const auto& member : json_->get_ref<const Json::object_t&>()) {
    const std::string& key = member.first;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (context_->warnings->size() >= limits::kMaxWarnings) return;
    context_->warnings->push_back(
        fmt::format("{}: unknown key \"{}\" is ignored{}", place(pointer_), printable(key), suggestion(key, known)));
  }
}

Status Node::limit(std::string_view where, std::string_view things, std::uint64_t n, std::uint64_t max) const {
  if (n <= max) return {};
  return fail(fmt::format("{}: too many {} ({}; the limit is {})", where, things, n, max));
}

Status Node::charge(std::uint64_t n) const {
  context_->items += n;
  return limit(fmt::format("WebGPU manifest {}", context_->op), "model items", context_->items, limits::kMaxModelItems);
}

}  // namespace wgk::package
