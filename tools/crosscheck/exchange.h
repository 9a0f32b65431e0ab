// The files between this program and the JavaScript that runs plans: one JSON object a line (docs/crosscheck.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <wgk/status.hpp>

#include "planned_case.h"

namespace wgk::crosscheck {

/// {"id": …, "plan": the JSON of `wgk explain`, "inputs": {key: hexadecimal bytes}}, and a line feed.
std::string case_line(const std::string& id, const PlannedCase& planned);

/// What became of a plan: bytes by bind key, or why there are none.
struct PlanOutcome {
  std::map<std::string, std::vector<std::byte>> outputs;
  std::string error;  ///< empty when it ran
};

/// Reads lines {"id": …, "outputs": {key: hexadecimal bytes}} or {"id": …, "error": …}. Error: kUsage, with the line.
Result<std::map<std::string, PlanOutcome>> read_outcomes(const std::string& text);

}  // namespace wgk::crosscheck
