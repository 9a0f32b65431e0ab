// Scope: look-up by hash first, text second.
#include "jinja/scope.h"

namespace wgk::jinja {

std::size_t Scope::index_of(std::string_view name, std::uint32_t hash) const {
  const std::size_t count = hashes_.size();
  if (!marks_.test(hash % kMarks)) return count;
  for (std::size_t i = 0; i < count; ++i) {
    if (hashes_[i] == hash && entries_[i].first == name) return i;
  }
  return count;
}

void Scope::reserve(std::size_t more) {
  entries_.reserve(entries_.size() + more);
  hashes_.reserve(hashes_.size() + more);
}

void Scope::set(std::string_view name, Value value) {
  const std::uint32_t hash = name_hash(name);
  const std::size_t index = index_of(name, hash);
  if (index < entries_.size()) {
    entries_[index].second = std::move(value);
    return;
  }
  entries_.emplace_back(std::string(name), std::move(value));
  hashes_.push_back(hash);
  marks_.set(hash % kMarks);
}

const Value* Scope::find(std::string_view name, std::uint32_t hash) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    const std::size_t index = scope->index_of(name, hash);
    if (index < scope->entries_.size()) return &scope->entries_[index].second;
  }
  return nullptr;
}

}  // namespace wgk::jinja
