// The search of `wgk tune`: which variant with which tunables is fastest. Knows nothing of devices.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/status.hpp>

namespace wgk::cli {

/// A way to run a call.
struct TuneCandidate {
  std::string variant;
  Attributes tunables;  ///< that differ from the package's own

  friend bool operator==(const TuneCandidate&, const TuneCandidate&) = default;
};

/// A tunable: the value that the package gives, and what else to try.
struct TuneTunable {
  AttributeValue given;
  std::vector<AttributeValue> values;
};
using TuneTunables = std::map<std::string, TuneTunable>;

/// What else may suit a tunable of this value: integers halved and doubled up to 8 times smaller and larger (but not
/// below 1, nor beyond 1024 for what can be workgroup sizes), both of a bool; nothing else can be guessed.
std::vector<AttributeValue> guessed_values(const AttributeValue& value);

struct TuneSearch {
  /// Time of a call in nanoseconds; absent where the candidate cannot run, or gives other results. Error: the search
  /// ends with it.
  std::function<Result<std::optional<double>>(const TuneCandidate&)> time;
  /// True once no further candidate is to be tried.
  std::function<bool()> out_of_time;
};

struct TuneOutcome {
  TuneCandidate candidate;  ///< the first variant without tunables where nothing is faster
  double default_ns = 0;
  double best_ns = 0;
  std::size_t tried = 0;
  bool complete = true;  ///< false: time ran out
};

/// Times every variant as it is, then, beginning with the fastest, changes one tunable at a time for as long as that
/// helps. `variants` begins with the one that runs by default. A candidate must be faster than the best so far by more
/// than `margin` (0.02 for 2 %) to replace it, so that noise changes nothing.
Result<TuneOutcome> search(const std::vector<std::string>& variants,
                           const std::map<std::string, TuneTunables>& tunables_by_variant, double margin,
                           const TuneSearch& ways);

}  // namespace wgk::cli
