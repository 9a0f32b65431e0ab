// The names that expressions and templates of one call see (package-format 6.8).
#pragma once

#include <string_view>

#include <wgk/device_profile.hpp>

#include "jinja/scope.h"
#include "package/model.h"
#include "plan/bind_request.h"

namespace wgk::plan {

/// The three outer tables of every scope: functions, then namespaces, then derives. Lookup goes the other way round, so
/// a derive of an old manifest may hide a function. The profile must outlive it.
class Environment {
 public:
  Environment(const DeviceProfile& profile, bool legacy_functions);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  /// Sets shapes, ranks, tensorDtypes, dtypes, logicalDtypes and present from what is bound so far.
  void bind_tensors(const package::Manifest& manifest, const BoundRequest& bound);

  /// Sets or replaces a namespace.
  void set_namespace(std::string_view name, jinja::Value value) { namespaces_.set(name, std::move(value)); }

  const jinja::Scope& namespaces() const { return namespaces_; }
  jinja::Scope& derives() { return derives_; }
  const jinja::Scope& derives() const { return derives_; }
  const jinja::Value& device() const { return device_; }

 private:
  jinja::Scope functions_;
  jinja::Scope namespaces_;
  jinja::Scope derives_;
  jinja::Value device_;
};

/// A scope's own names as a map, for `derive`, `constants` and `source`.
jinja::Value as_namespace(const jinja::Scope& scope);

}  // namespace wgk::plan
