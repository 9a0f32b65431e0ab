// The software adapter that tests run on.
#pragma once

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include <wgk/device.hpp>

namespace wgk::test {

/// The adapter, opened once; nullopt where there is none. Prints its name, so that a log says what was tested.
/// WGK_TEST_DEVICE=gpu takes the machine's GPU instead, to run the same tests there.
inline const std::optional<Device>& software_device() {
  static const std::optional<Device> kDevice = []() -> std::optional<Device> {
    const char* wanted = std::getenv("WGK_TEST_DEVICE");
    const bool gpu = wanted != nullptr && std::string_view(wanted) == "gpu";
    auto device = Device::open({.kind = gpu ? DeviceKind::kGpu : DeviceKind::kSoftware});
    if (!device) {
      std::cout << "no software adapter: " << device.error().message << "\n";
      return std::nullopt;
    }
    const AdapterInfo& adapter = device->profile().adapter;
    std::cout << "adapter: " << adapter.device << " (" << adapter.backend << ", " << adapter.description << ")\n";
    return *std::move(device);
  }();
  return kDevice;
}

/// Skips the test where there is no software adapter, and fails it where there must be one.
#define WGK_NEEDS_SOFTWARE_DEVICE()                                                           \
  if (!::wgk::test::software_device()) {                                                      \
    if (std::getenv("WGK_REQUIRE_ADAPTER") != nullptr) FAIL() << "no software adapter found"; \
    GTEST_SKIP() << "no software adapter";                                                    \
  }                                                                                           \
  static_assert(true)

}  // namespace wgk::test
