// The contract of a package for people and programs.
#pragma once

#include <optional>
#include <string>

#include "package/cases.h"
#include "package/model.h"

namespace wgk::package {

/// Source text of a formula: the expression, or JSON-like text of a literal.
std::string formula_text(const Formula& formula);
std::string contract_json(const LoadedPackage& loaded);

/// What a card shows beyond the manifest.
struct CardParts {
  std::string notes;                ///< Markdown sections of the author, card-notes.md
  std::optional<TestCase> example;  ///< a call with the shapes of this case
};
/// Reads them from the package folder. What is absent or unreadable is left out: a card is no check of a package.
CardParts read_card_parts(const LoadedPackage& loaded);
std::string contract_markdown(const LoadedPackage& loaded, const CardParts& parts = {});

}  // namespace wgk::package
