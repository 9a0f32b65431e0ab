// What was measured to be fastest for calls on an adapter, and using it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/device_profile.hpp>
#include <wgk/export.hpp>
#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/prepared.hpp>
#include <wgk/status.hpp>

namespace wgk::inline v0 {

/// Whose times they are. All four must be equal for an entry to count: a new driver compiles other code.
struct TuningAdapter {
  std::string vendor;
  std::string device;
  std::string backend;
  std::string driver;

  static TuningAdapter of(const DeviceProfile& profile) {
    const AdapterInfo& adapter = profile.adapter;
    return {adapter.vendor, adapter.device, adapter.backend, adapter.description};
  }
  friend bool operator==(const TuningAdapter&, const TuningAdapter&) = default;
};

/// The best way found for one call.
struct TuningEntry {
  TuningAdapter adapter;
  std::string op;
  std::map<std::string, TensorSpec, std::less<>> inputs;  ///< by bind key
  Attributes attributes;
  Attributes args;
  std::string variant;                                            ///< empty: as selected
  std::map<std::string, AttributeValue, std::less<>> tunables{};  ///< those that differ from the package's
  double default_ns = 0;                                          ///< time of a call as the package would run it
  double tuned_ns = 0;
};

/// Adapter, operator, inputs (by bind key), attributes and arguments of an entry for this call.
WGK_API TuningEntry tuning_entry(const Kernel& kernel, const CallSpec& call);

/// The tunables that a variant of the package runs with when nothing overrides them; empty for an unknown variant.
WGK_API Attributes variant_tunables(const Package& package, std::string_view variant);

/// A list of entries, at most one for a call on an adapter. A value: copies are independent.
class WGK_API Tuning {
 public:
  /// Reads the text of a tuning file (docs/benchmarks.md, "Tuning files"). Error: kUsage with the JSON pointer.
  static Result<Tuning> from_json(std::string_view text);
  std::string to_json() const;
  /// Reads a file. Error: kUsage, naming it.
  static Result<Tuning> load(const std::string& path);

  /// Adds an entry, in the place of one for the same call on the same adapter.
  void set(TuningEntry entry);
  const std::vector<TuningEntry>& entries() const { return entries_; }

  /// The entry for this call (int64 and the uint32 it is stored as are the same); else the one for the nearest call
  /// that is alike: same dtypes, ranks, last dimensions, attributes and arguments, and a size of the largest input at
  /// most 4 times larger or smaller. nullptr: none.
  const TuningEntry* find(const TuningAdapter& adapter, std::string_view op, const PlanRequest& request) const;

  /// What entries name that the package does not have, one remark each: such entries are passed over.
  std::vector<std::string> stale(const Package& package) const;

  /// Fills variant and tunables of a request that pins neither. False when there is nothing to fill.
  bool apply(const TuningAdapter& adapter, std::string_view op, PlanRequest& request) const;

 private:
  std::vector<TuningEntry> entries_;
};

}  // namespace wgk::inline v0
