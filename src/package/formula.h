// A value of a manifest that may hold expressions: "expression or JSON" in package-format.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "jinja/expression.h"
#include "jinja/value.h"
#include "package/place.h"

namespace wgk::package {

/// A literal, an expression, or a list or map of formulas; evaluated element by element.
struct Formula {
  using List = std::vector<Formula>;
  struct Member;
  using Map = std::vector<Member>;
  /// An expression that did not parse inside a variant: that variant is permanently rejected (package-format 6.8).
  struct Broken {
    std::string text;
    std::string reason;
  };
  std::variant<jinja::Value, jinja::Expression, List, Map, Broken> node;
  const Place* place = nullptr;  ///< in manifest.json, for messages; lives as long as the Manifest

  std::string pointer() const { return pointer_text(place); }
};

/// Not a pair: a pair asks what Formula can do while Formula is being defined.
struct Formula::Member {
  std::string first;
  Formula second;
};

using NamedFormula = std::pair<std::string, Formula>;

}  // namespace wgk::package
