// Entries of a tuning: which one fits a call.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>
#include <wgk/tuning.hpp>

#include "package/model.h"
#include "runtime/prepared_impl.h"

namespace wgk::inline v0 {
namespace {

using Specs = std::map<std::string, TensorSpec, std::less<>>;

/// Position ids are int64 on the host and uint32 in buffers; the kernel is the same.
bool same_dtype(DType a, DType b) { return default_storage(a).storage == default_storage(b).storage; }

template <typename SameShape>
bool same_inputs(const Specs& a, const Specs& b, SameShape&& same_shape) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.first == y.first && same_dtype(x.second.dtype, y.second.dtype) &&
           same_shape(x.second.shape, y.second.shape);
  });
}

bool equal(const Specs& a, const Specs& b) {
  return same_inputs(a, b, [](const Shape& x, const Shape& y) { return x == y; });
}

/// Calls farther apart than this, in doublings of the largest input, tell nothing about each other.
constexpr double kFarthest = 2;

double largest(const Specs& inputs) {
  double most = 1;
  for (const auto& [key, spec] : inputs) {
    most = std::max(most, static_cast<double>(element_count(spec.shape).value_or(0)));
  }
  return most;
}

bool alike(const Specs& a, const Specs& b) {
  return same_inputs(
      a, b, [](const Shape& x, const Shape& y) { return x.size() == y.size() && (x.empty() || x.back() == y.back()); });
}

bool same_rest(const TuningEntry& entry, const TuningAdapter& adapter, std::string_view op,
               const PlanRequest& request) {
  return entry.op == op && entry.adapter == adapter && entry.attributes == request.attributes &&
         entry.args == request.args;
}

}  // namespace

void Tuning::set(TuningEntry entry) {
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const TuningEntry& old) {
    return old.adapter == entry.adapter && old.op == entry.op && equal(old.inputs, entry.inputs) &&
           old.attributes == entry.attributes && old.args == entry.args;
  });
  if (same == entries_.end()) {
    entries_.push_back(std::move(entry));
  } else {
    *same = std::move(entry);
  }
}

const TuningEntry* Tuning::find(const TuningAdapter& adapter, std::string_view op, const PlanRequest& request) const {
  const TuningEntry* best = nullptr;
  double nearest = std::numeric_limits<double>::max();
  for (const TuningEntry& entry : entries_) {
    if (!same_rest(entry, adapter, op, request)) continue;
    if (equal(entry.inputs, request.inputs)) return &entry;
    if (!alike(entry.inputs, request.inputs)) continue;
    const double distance = std::abs(std::log2(largest(entry.inputs) / largest(request.inputs)));
    if (distance > kFarthest || distance >= nearest) continue;
    nearest = distance;
    best = &entry;
  }
  return best;
}

bool Tuning::apply(const TuningAdapter& adapter, std::string_view op, PlanRequest& request) const {
  if (!request.variant.empty() || !request.tunables.empty()) return false;
  const TuningEntry* entry = find(adapter, op, request);
  if (entry == nullptr || (entry->variant.empty() && entry->tunables.empty())) return false;
  request.variant = entry->variant;
  request.tunables = entry->tunables;
  return true;
}

namespace {

/// Tunables are scalars; other kinds of values cannot be written into a manifest.
std::optional<AttributeValue> value_of(const jinja::Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_string()) return value.as_string();
  if (!value.is_number()) return std::nullopt;
  const double number = value.as_number();
  if (number == std::floor(number) && std::abs(number) <= static_cast<double>(limits::kMaxExactInteger)) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

const package::Variant* find_variant(const package::Manifest& manifest, std::string_view id) {
  const auto found = std::find_if(manifest.variants.begin(), manifest.variants.end(),
                                  [&](const package::Variant& variant) { return variant.id == id; });
  return found == manifest.variants.end() ? nullptr : &*found;
}

bool declares_tunable(const package::Manifest& manifest, std::string_view name) {
  const auto in = [&](const std::vector<package::Tunable>& tunables) {
    return std::any_of(tunables.begin(), tunables.end(), [&](const auto& tunable) { return tunable.name == name; });
  };
  return in(manifest.tunables) || std::any_of(manifest.variants.begin(), manifest.variants.end(),
                                              [&](const auto& variant) { return in(variant.tunables); });
}

}  // namespace

Attributes variant_tunables(const Package& package, std::string_view variant) {
  Attributes result;
  const package::Manifest& manifest = package.impl()->manifest;
  const package::Variant* chosen = find_variant(manifest, variant);
  if (chosen == nullptr) return result;
  for (const auto* tunables : {&manifest.tunables, &chosen->tunables}) {
    for (const package::Tunable& tunable : *tunables) {
      if (const auto value = value_of(tunable.value)) result.insert_or_assign(tunable.name, *value);
    }
  }
  return result;
}

TuningEntry tuning_entry(const Kernel& kernel, const CallSpec& call) {
  TuningEntry entry;
  entry.adapter = TuningAdapter::of(kernel.device().profile());
  entry.op = kernel.package().op();
  const package::Manifest& manifest = kernel.package().impl()->manifest;
  for (const auto& [name, spec] : call.inputs) entry.inputs.emplace(runtime::port_key(manifest, name), spec);
  entry.attributes = call.attrs;
  entry.args = call.args;
  return entry;
}

std::vector<std::string> Tuning::stale(const Package& package) const {
  std::vector<std::string> remarks;
  const package::Manifest& manifest = package.impl()->manifest;
  const auto remark = [&](const char* kind, const std::string& name) {
    std::string text =
        fmt::format("tuning: {} has no {} \"{}\"; entries that name it are passed over", manifest.op, kind, name);
    if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) remarks.push_back(std::move(text));
  };
  for (const TuningEntry& entry : entries_) {
    if (entry.op != manifest.op) continue;
    if (!entry.variant.empty() && find_variant(manifest, entry.variant) == nullptr) remark("variant", entry.variant);
    for (const auto& [name, value] : entry.tunables) {
      if (!declares_tunable(manifest, name)) remark("tunable", name);
    }
  }
  return remarks;
}

}  // namespace wgk::inline v0
