// Planning with the tuning of the device.
#pragma once

#include <string_view>
#include <utility>

#include <wgk/device.hpp>
#include <wgk/package.hpp>
#include <wgk/tuning.hpp>

#include "runtime/device_impl.h"

namespace wgk::runtime {

/// What `make` plans of the request with what the device's tuning says of it; of the request alone where it says
/// nothing or the package does not take it. A tuning never makes a call fail.
template <typename Make>
auto plan_tuned(const Device& device, std::string_view op, const PlanRequest& request, Make&& make) {
  if (const Tuning* tuning = device.impl()->tuning.get()) {
    PlanRequest tuned = request;
    if (tuning->apply(TuningAdapter::of(device.profile()), op, tuned)) {
      auto plan = make(tuned);
      if (plan) return plan;
    }
  }
  return make(request);
}

}  // namespace wgk::runtime
