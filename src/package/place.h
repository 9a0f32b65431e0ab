// Where a value stands in manifest.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.h"

namespace wgk::package {

/// One step down from `parent`: to a member, or to an item where the key has no text at all. Null is the document.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;
  std::size_t index = 0;

  bool is_item() const { return key.data() == nullptr; }
};

/// As a JSON pointer. Made only where it is told: most values are read without an error.
inline std::string pointer_text(const Place* place) {
  if (place == nullptr) return {};
  const std::string parent = pointer_text(place->parent);
  return place->is_item() ? base::pointer_child(parent, place->index) : base::pointer_child(parent, place->key);
}

}  // namespace wgk::package
