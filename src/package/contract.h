// The contract of a package for people and programs.
#pragma once

#include <string>

#include "package/model.h"

namespace wgk::package {

/// Source text of a formula: the expression, or JSON-like text of a literal.
std::string formula_text(const Formula& formula);
std::string contract_json(const LoadedPackage& loaded);
std::string contract_markdown(const LoadedPackage& loaded);

}  // namespace wgk::package
