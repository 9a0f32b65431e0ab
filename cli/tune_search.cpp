// Coordinate descent: tunables of these kernels hardly depend on each other, and a full grid would cost minutes.
#include "tune_search.h"

#include <algorithm>
#include <utility>

namespace wgk::cli {
namespace {

constexpr std::int64_t kLargestGuess = 1024;  // beyond it no device has workgroups
constexpr std::size_t kVariantsToRefine = 2;

class Search {
 public:
  Search(double margin, const TuneSearch& ways) : margin_(margin), ways_(ways) {}

  Result<TuneOutcome> run(const std::vector<std::string>& variants,
                          const std::map<std::string, TuneTunables>& tunables_by_variant) {
    std::vector<std::pair<double, std::string>> times;
    for (const std::string& variant : variants) {
      if (!times.empty() && stop()) return outcome_;
      const auto time = try_one({variant, {}});
      if (!time) return time.error();
      if (*time) times.emplace_back(**time, variant);
    }
    std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (times.size() > kVariantsToRefine) times.resize(kVariantsToRefine);
    for (const auto& [time, variant] : times) {
      const auto tunables = tunables_by_variant.find(variant);
      if (tunables == tunables_by_variant.end()) continue;
      if (Status status = refine({variant, {}}, time, tunables->second); !status) return status.error();
    }
    return outcome_;
  }

 private:
  bool stop() {
    if (!ways_.out_of_time()) return false;
    outcome_.complete = false;
    return true;
  }

  Result<std::optional<double>> try_one(const TuneCandidate& candidate) {
    const auto time = ways_.time(candidate);
    if (!time) return time;
    ++outcome_.tried;
    if (!*time) return time;
    if (outcome_.tried == 1) {
      outcome_.candidate = candidate;
      outcome_.default_ns = outcome_.best_ns = **time;
    } else if (outcome_.best_ns == 0 || **time < outcome_.best_ns * (1 - margin_)) {
      outcome_.candidate = candidate;
      outcome_.best_ns = **time;
    }
    return time;
  }

  /// Goes from one candidate to better ones.
  Status refine(TuneCandidate at, double at_ns, const TuneTunables& tunables) {
    for (bool better = true; better;) {
      better = false;
      for (const auto& [name, tunable] : tunables) {
        TuneCandidate best = at;
        for (const AttributeValue& value : tunable.values) {
          TuneCandidate next = at;
          next.tunables.erase(name);
          if (!(value == tunable.given)) next.tunables.emplace(name, value);
          if (next == at || next.tunables.empty() || known(next)) continue;
          if (stop()) return {};
          const auto time = try_one(next);
          if (!time) return time.error();
          tried_.push_back(next);
          if (!*time || **time >= at_ns * (1 - margin_)) continue;
          at_ns = **time;
          best = next;
        }
        better = better || !(best == at);
        at = best;
      }
    }
    return {};
  }

  bool known(const TuneCandidate& candidate) const {
    return std::find(tried_.begin(), tried_.end(), candidate) != tried_.end();
  }

  double margin_;
  const TuneSearch& ways_;
  TuneOutcome outcome_;
  std::vector<TuneCandidate> tried_;
};

}  // namespace

std::vector<AttributeValue> guessed_values(const AttributeValue& value) {
  if (std::holds_alternative<bool>(value.get())) return {false, true};
  const auto* integer = std::get_if<std::int64_t>(&value.get());
  if (integer == nullptr || *integer < 1) return {};
  const std::int64_t most = *integer <= kLargestGuess ? kLargestGuess : *integer * 8;
  std::vector<AttributeValue> values;
  for (std::int64_t factor = 8; factor >= 1; factor /= 2) {
    if (*integer / factor >= 1 && *integer % factor == 0) values.emplace_back(*integer / factor);
  }
  for (std::int64_t factor = 2; factor <= 8; factor *= 2) {
    if (*integer <= most / factor) values.emplace_back(*integer * factor);
  }
  return values;
}

Result<TuneOutcome> search(const std::vector<std::string>& variants,
                           const std::map<std::string, TuneTunables>& tunables_by_variant, double margin,
                           const TuneSearch& ways) {
  return Search(margin, ways).run(variants, tunables_by_variant);
}

}  // namespace wgk::cli
