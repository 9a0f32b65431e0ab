// What to print about the verdicts of a cross-check.
#pragma once

#include <cstddef>
#include <string>

#include <wgk/test_cases.hpp>

namespace wgk::crosscheck {

/// Verdicts of one package, or of all.
struct Tally {
  std::size_t ran = 0;      ///< passed, with work done by the device under test
  std::size_t decided = 0;  ///< passed without: an expected error, or empty outputs
  std::size_t failed = 0;
  std::size_t skipped = 0;
  std::size_t left_out = 0;  ///< not chosen: its shaders and its variant run in other cases

  void add(const CaseResult& verdict, bool was_run);
  void add(const Tally& other);
  /// "51 ran, 4 needed no device, 0 failed, 20 skipped".
  std::string text() const;
};

}  // namespace wgk::crosscheck
