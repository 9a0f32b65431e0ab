// Plans, renders and compiles every test case. Devices differ in which variants they reach, so that every case is
// planned for the device at hand, for a plain one, and for one that has whatever the variants ask for; a variant that
// none of them reaches is tried on a device made for it.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/gpu_device.h"
#include "gpu/pipeline_cache.h"
#include "package/node.h"
#include "runtime/bound_call.h"
#include "runtime/device_impl.h"
#include "runtime/verify_mentions.h"
#include "runtime/verify_parts.h"

namespace wgk::runtime {
namespace {

using package::TestCase;
using package::Variant;
using Outcome = VariantDecision::Outcome;

/// Cases for which a variant is planned although another one is selected: its templates are soon known.
constexpr std::size_t kMaxExtraPlans = 64;

struct Target {
  std::string name;
  DeviceProfile profile;
  bool here = false;  ///< the device that can compile
};

DeviceProfile plain_profile() {
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.features.insert("shader-f16");
  return profile;
}

void raise(DeviceProfile& profile, const std::string& limit, std::uint64_t value) {
  std::uint64_t& current = profile.limits[limit];
  current = std::max(current, value);
}

/// A device with every feature of the format, the limits of a large GPU, and more where a variant asks for it.
DeviceProfile roomy_profile(const package::Manifest& manifest) {
  DeviceProfile profile = plain_profile();
  for (const char* feature : {"subgroups", "subgroup-size-control", "chromium-experimental-subgroup-matrix",
                              "timestamp-query", "texture-formats-tier1", "texture-formats-tier2"}) {
    profile.features.insert(feature);
  }
  for (const char* feature : {"packed_4x8_integer_dot_product", "unrestricted_pointer_parameters",
                              "pointer_composite_access", "subgroup_id", "uniform_buffer_standard_layout"}) {
    profile.wgsl_language_features.insert(feature);
  }
  raise(profile, "maxBufferSize", std::uint64_t{1} << 32);
  raise(profile, "maxStorageBufferBindingSize", (std::uint64_t{1} << 32) - 4);
  raise(profile, "maxStorageBuffersPerShaderStage", 16);
  raise(profile, "maxComputeWorkgroupStorageSize", 65536);
  raise(profile, "maxComputeInvocationsPerWorkgroup", 1024);
  raise(profile, "maxComputeWorkgroupSizeX", 1024);
  raise(profile, "maxComputeWorkgroupSizeY", 1024);
  std::uint32_t subgroup = 32;
  for (const Variant& variant : manifest.variants) {
    for (const std::string& feature : variant.requires_.features) profile.features.insert(feature);
    for (const auto& [limit, value] : variant.requires_.limits) raise(profile, limit, value);
    subgroup = std::max(subgroup, variant.requires_.subgroup_min_size.value_or(0));
  }
  profile.adapter.subgroup_min_size = subgroup;
  profile.adapter.subgroup_max_size = subgroup;
  return profile;
}

/// The plainest devices on which a variant's requirements hold, so that no variant that asks for more comes before it.
std::vector<DeviceProfile> own_profiles(const Variant& variant) {
  DeviceProfile profile = plain_profile();
  const package::Requires& needs = variant.requires_;
  profile.features.insert(needs.features.begin(), needs.features.end());
  for (const auto& [limit, value] : needs.limits) raise(profile, limit, value);
  if (needs.subgroup_min_size) {
    profile.adapter.subgroup_min_size = needs.subgroup_min_size;
    profile.adapter.subgroup_max_size = needs.subgroup_min_size;
  }
  DeviceProfile without_half = profile;
  without_half.features.erase("shader-f16");
  return {std::move(profile), std::move(without_half)};
}

/// What is known of one variant over all cases and devices.
struct Reach {
  bool selected = false;
  std::size_t extra_plans = 0;
  std::map<std::string, std::size_t> taken_by;  ///< cases it would also do, by the variant that was selected
  std::map<std::string, std::size_t> reasons;   ///< why it was rejected
};

/// A binding of a pass: whether any rendering uses its name.
using BindingUses = std::map<std::pair<std::string, std::string>, bool>;

class Cases {
 public:
  Cases(const Package& package, const Device* device, VerifyReport& report, Findings& findings)
      : package_(package), manifest_(package.impl()->manifest), device_(device), report_(report), findings_(findings) {
    if (has_adapter()) targets_.push_back({"this device", device->profile(), true});
    targets_.push_back({"a device without further features", plain_profile(), false});
    targets_.push_back({"a device with every feature", roomy_profile(manifest_), false});
  }

  void run(const package::TestFile& tests, const std::function<void()>& progress) {
    for (const TestCase& test : tests.cases) {
      if (progress) progress();
      run_case(test);
    }
    if (report_.cases == 0) return;
    for (const Variant& variant : manifest_.variants) {
      if (!reach_[variant.id].selected && variant.unusable.empty()) try_own_devices(variant, tests, progress);
    }
    report_unreached();
    for (const auto& [binding, used] : binding_uses_) {
      if (used) continue;
      findings_.warning("unused", fmt::format("binding \"{}\" of {} is used by none of the rendered shaders",
                                              binding.second, binding.first));
    }
  }

 private:
  bool has_adapter() const { return device_ != nullptr && device_->kind() != DeviceKind::kCpu; }

  void run_case(const TestCase& test) {
    if (!test.error.empty()) {
      findings_.error("test", fmt::format("case \"{}\": {}", test.name, test.error));
      return;
    }
    const auto call = bind(test);
    if (!call) {
      if (test.expect_error.empty())
        findings_.error("test", fmt::format("case \"{}\": {}", test.name, call.error().message));
      return;
    }
    ++report_.cases;
    std::optional<Error> refused;
    bool planned = false;
    for (const Target& target : targets_) {
      auto plan = make_plan(test, call->plan_request, target);
      if (plan) {
        planned = true;
        if (test.expect_error.empty()) note_decisions(test, call->plan_request, target, *plan);
      } else if (!refused) {
        refused = plan.error();
      }
    }
    const bool may_fail = !test.expect_error.empty() || !test.skip_gpu_reason.empty();
    if (!planned && refused && refused->code == ErrorCode::kRequest && !may_fail) {
      findings_.error("test", fmt::format("case \"{}\": {}", test.name, refused->message));
    }
  }

  Result<BoundCall> bind(const TestCase& test) const {
    RunOptions options;
    options.attrs = test.attrs;
    options.args = test.args;
    for (const auto& [key, want] : test.outputs) options.outputs.push_back(key);
    return bind_call(package_, TensorMap(test.inputs.begin(), test.inputs.end()), options);
  }

  /// For a variant that no device reached so far: those that have what it asks for, and nothing else.
  void try_own_devices(const Variant& variant, const package::TestFile& tests, const std::function<void()>& progress) {
    for (const DeviceProfile& profile : own_profiles(variant)) {
      const Target target{fmt::format("a device made for variant {}", variant.id), profile, false};
      for (const TestCase& test : tests.cases) {
        if (!test.error.empty() || !test.expect_error.empty()) continue;
        if (progress) progress();
        const auto call = bind(test);
        const auto plan = call ? make_plan(test, call->plan_request, target) : Result<Plan>(call.error());
        if (!plan || plan->variant != variant.id) continue;
        reach_[variant.id].selected = true;
        return;
      }
    }
  }

  /// One plan with its shaders. A failure of the package itself is reported once, however many cases meet it.
  Result<Plan> make_plan(const TestCase& test, const PlanRequest& request, const Target& target) {
    auto plan = package_.plan(request, target.profile);
    ++report_.plans;
    if (!plan) {
      const bool expected =
          !test.expect_error.empty() && plan.error().message.find(test.expect_error) != std::string::npos;
      if (plan.error().code == ErrorCode::kPackage && !expected && failures_.insert(plan.error().message).second) {
        findings_.error("render", fmt::format("case \"{}\" on {}: {}", test.name, target.name, plan.error().message));
      }
      return plan;
    }
    for (const PlanPass& pass : plan->passes) {
      note_bindings(*plan, pass);
      if (target.here) compile(test, *plan, pass);
    }
    return plan;
  }

  void note_decisions(const TestCase& test, const PlanRequest& request, const Target& target, const Plan& plan) {
    reach_[plan.variant].selected = true;
    for (const VariantDecision& decision : plan.decisions) {
      Reach& reach = reach_[decision.id];
      if (decision.outcome == Outcome::kRejected) ++reach.reasons[decision.reason];
      if (decision.outcome != Outcome::kEligible && decision.outcome != Outcome::kDemoted) continue;
      ++reach.taken_by[plan.variant];
      // It would run if it were asked for by name, so its shaders have to be right as well.
      if (reach.extra_plans++ >= kMaxExtraPlans) continue;
      PlanRequest pinned = request;
      pinned.variant = decision.id;
      static_cast<void>(make_plan(test, pinned, target));
    }
  }

  void note_bindings(const Plan& plan, const PlanPass& pass) {
    if (!seen_wgsl_.insert(plan.variant + '\n' + pass.wgsl).second) return;
    std::map<std::string, std::size_t> counts;
    for (std::string& word : words_of_wgsl(pass.wgsl)) ++counts[std::move(word)];
    // "group[2].main" is the pass "main" of a repeat group.
    const std::string where = fmt::format("variant {} pass {}", plan.variant, pass.id.substr(pass.id.rfind('.') + 1));
    for (const PlanBinding& binding : pass.bindings) {
      const auto found = counts.find(binding.name);
      binding_uses_[{where, binding.name}] |= found != counts.end() && found->second > 1;  // one is its declaration
    }
  }

  void compile(const TestCase& test, const Plan& plan, const PlanPass& pass) {
    if (!compiled_.insert(gpu::pipeline_key(pass)).second) return;
    ++report_.shaders;
    gpu::GpuDevice& gpu = *device_->impl()->gpu;
    const auto pipeline = gpu.pipelines().get(gpu.context(), pass);
    if (pipeline) return;
    findings_.error("compile", fmt::format("{}, variant {} pass {}, case \"{}\": {}", pass.shader, plan.variant,
                                           pass.id, test.name, pipeline.error().message));
  }

  void report_unreached() {
    for (const Variant& variant : manifest_.variants) {
      const Reach& reach = reach_[variant.id];
      if (reach.selected || !variant.unusable.empty()) continue;
      std::string message = fmt::format("variant {} is never selected: ", variant.id);
      if (!reach.taken_by.empty()) {
        message += "wherever it could be, an earlier one is taken (";
        std::string separator;
        for (const auto& [id, count] : reach.taken_by) {
          message += fmt::format("{}{}", separator, id);
          separator = ", ";
        }
        message += ")";
      } else if (!reach.reasons.empty()) {
        const auto most = std::max_element(reach.reasons.begin(), reach.reasons.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        message += fmt::format("no test case reaches it; most often: {}", most->first);
      } else {
        continue;  // no case could be planned at all, and that is an error already
      }
      findings_.warning("variant", message);
    }
  }

  const Package& package_;
  const package::Manifest& manifest_;
  const Device* device_;
  VerifyReport& report_;
  Findings& findings_;
  std::vector<Target> targets_;
  std::map<std::string, Reach> reach_;  ///< by variant
  BindingUses binding_uses_;
  std::set<std::string> seen_wgsl_;
  std::set<std::string> compiled_;  ///< pipeline keys
  std::set<std::string> failures_;
};

}  // namespace

void verify_cases(const Package& package, const package::TestFile& tests, const Device* device,
                  const std::function<void()>& progress, VerifyReport& report, Findings& findings) {
  Cases(package, device, report, findings).run(tests, progress);
}

}  // namespace wgk::runtime
