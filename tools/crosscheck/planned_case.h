// A test case, planned for a device that another program drives.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/test_cases.hpp>

#include "suite.h"

namespace wgk::crosscheck {

struct PlannedCase {
  /// Set when nothing has to run: the case is skipped, is about an error, or has empty outputs.
  std::optional<CaseResult> verdict;
  Plan plan;
  std::map<std::string, std::vector<std::byte>> inputs;  ///< storage bytes by bind key
};

/// A verdict that this program gives itself.
CaseResult failed_case(const std::string& variant, const std::string& message);

PlannedCase plan_case(const Suite& suite, std::size_t index);

/// Judges what came back: storage bytes of the plan's outputs by bind key.
CaseResult judge_case(const Suite& suite, std::size_t index, const Plan& plan,
                      const std::map<std::string, std::vector<std::byte>>& outputs);

}  // namespace wgk::crosscheck
