// A count of workgroups is folded onto axes, since one axis holds at most 65,535.
#include "plan/dispatch.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/try.h"
#include "plan/brief_text.h"
#include "plan/device_limits.h"
#include "plan/evaluate.h"

namespace wgk::plan {
namespace {

using jinja::Value;
using package::Dispatch;
using package::Formula;

/// A numeric argument as the functions of the language read it; nullopt for strings, lists and maps.
std::optional<double> as_count(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kUndefined:
    case Value::Kind::kNone:
      return std::numeric_limits<double>::quiet_NaN();
    case Value::Kind::kBool:
      return value.as_bool() ? 1.0 : 0.0;
    case Value::Kind::kInt:
    case Value::Kind::kFloat:
      return value.as_number();
    default:
      return std::nullopt;
  }
}

class DispatchEvaluation {
 public:
  DispatchEvaluation(const Dispatch& dispatch, const DispatchLimits& limits, std::string_view op,
                     std::string_view pass_id, const jinja::Scope& scope, jinja::Budget& budget)
      : dispatch_(dispatch), limits_(limits), op_(op), pass_id_(pass_id), scope_(scope), budget_(budget) {}

  Result<std::array<std::uint32_t, 3>> run() {
    WGK_TRY(const auto axes, evaluate_axes());
    std::array<std::uint32_t, 3> workgroups{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      WGK_TRY(workgroups[axis], check_axis(axis, axes[axis]));
    }
    return workgroups;
  }

 private:
  using Axes = std::array<Value, 3>;

  const std::optional<Formula>& given(std::size_t axis) const {
    return axis == 0 ? dispatch_.x : axis == 1 ? dispatch_.y : dispatch_.z;
  }

  Result<Axes> evaluate_axes() {
    Axes axes{Value::number(1), Value::number(1), Value::number(1)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!given(axis)) continue;
      WGK_TRY(axes[axis], evaluate_or_fail(*given(axis), op_, scope_, budget_));
    }
    if (dispatch_.form == Dispatch::Form::kAxes) return axes;
    WGK_TRY(const double groups, evaluate_groups());
    place(groups, axes);
    return axes;
  }

  /// n of section 13: workgroups before folding.
  Result<double> evaluate_groups() {
    WGK_TRY(const double count, evaluate_count(dispatch_.count));
    if (!dispatch_.workgroup_size) return count;
    WGK_TRY(const double size, evaluate_count(dispatch_.workgroup_size));
    return std::ceil(count / size);
  }

  Result<double> evaluate_count(const std::optional<Formula>& formula) {
    if (!formula) return std::numeric_limits<double>::quiet_NaN();
    WGK_TRY(const Value value, evaluate_or_fail(*formula, op_, scope_, budget_));
    if (const auto count = as_count(value)) return *count;
    return not_a_count(0, value);
  }

  void place(double groups, Axes& axes) const {
    const auto width = static_cast<double>(limits_.fold_width);
    const double first = groups > width ? width : groups;
    std::vector<std::size_t> free;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!given(axis)) free.push_back(axis);
    }
    if (!free.empty()) axes[free[0]] = Value::number(first);
    if (free.size() > 1 && dispatch_.form != Dispatch::Form::kGridStride) {
      axes[free[1]] = Value::number(std::ceil(groups / width));
    }
  }

  Result<std::uint32_t> check_axis(std::size_t axis, const Value& value) const {
    if (!value.is_number()) return not_a_count(axis, value);
    const double count = value.as_number();
    if (!(count >= 0) || std::floor(count) != count || std::isinf(count)) return not_a_count(axis, value);
    if (count > static_cast<double>(limits_.per_axis)) {
      return Error{ErrorCode::kRequest,
                   fmt::format("WebGPU pass {} dispatch axis {} = {} exceeds maxComputeWorkgroupsPerDimension ({})",
                               pass_id_, axis, brief_text(value), limits_.per_axis)};
    }
    return static_cast<std::uint32_t>(count);
  }

  Error not_a_count(std::size_t axis, const Value& value) const {
    return Error{ErrorCode::kPackage,
                 fmt::format("WebGPU pass {} dispatch axis {} must resolve to a nonnegative integer, got {}", pass_id_,
                             axis, brief_text(value))};
  }

  const Dispatch& dispatch_;
  const DispatchLimits& limits_;
  std::string_view op_;
  std::string_view pass_id_;
  const jinja::Scope& scope_;
  jinja::Budget& budget_;
};

}  // namespace

DispatchLimits dispatch_limits(const package::Manifest& manifest, const DeviceProfile& profile) {
  const std::uint64_t device = device_limit_or_default(profile, "maxComputeWorkgroupsPerDimension");
  return DispatchLimits{manifest.fold_by_device_limit ? device : limits::kMaxWorkgroupsPerDimension, device};
}

Result<std::array<std::uint32_t, 3>> evaluate_dispatch(const Dispatch& dispatch, const DispatchLimits& limits,
                                                       std::string_view op, std::string_view pass_id,
                                                       const jinja::Scope& scope, jinja::Budget& budget) {
  return DispatchEvaluation(dispatch, limits, op, pass_id, scope, budget).run();
}

}  // namespace wgk::plan
