// The contract of a package for a terminal.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace wgk::cli {

/// `contract` is what Package::contract_json() gives.
std::string contract_text(const nlohmann::ordered_json& contract);

}  // namespace wgk::cli
