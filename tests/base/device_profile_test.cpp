// JSON form and defaults of device profiles.
#include <gtest/gtest.h>

#include <wgk/device_profile.hpp>

namespace wgk {
namespace {

TEST(DeviceProfile, DefaultsOfTheSpecification) {
  const DeviceProfile profile = DeviceProfile::webgpu_defaults();
  EXPECT_TRUE(profile.features.empty());
  EXPECT_EQ(profile.limit("maxStorageBufferBindingSize"), 134217728U);
  EXPECT_EQ(profile.limit("maxBufferSize"), 268435456U);
  EXPECT_EQ(profile.limit("minStorageBufferOffsetAlignment"), 256U);
  EXPECT_EQ(profile.limit("maxComputeWorkgroupsPerDimension"), 65535U);
  EXPECT_EQ(profile.limit("maxStorageBuffersPerShaderStage"), 8U);
  EXPECT_EQ(profile.limits.size(), 31U);
}

TEST(DeviceProfile, JsonRoundTrip) {
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.adapter = {"nvidia", "hopper", "NVIDIA \"H200\"", "driver 1", "vulkan", 32U, 64U, true};
  profile.features = {"shader-f16", "subgroups"};
  profile.wgsl_language_features = {"pointer_composite_access"};
  profile.limits["maxBufferSize"] = 9007199254740991U;
  const auto again = DeviceProfile::from_json(profile.to_json());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, profile);
}

TEST(DeviceProfile, AbsentMembersKeepTheDefaults) {
  const auto profile = DeviceProfile::from_json(R"({"limits": {"maxBufferSize": 7}})");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  DeviceProfile expected = DeviceProfile::webgpu_defaults();
  expected.limits["maxBufferSize"] = 7;
  EXPECT_EQ(*profile, expected);
}

struct BadProfile {
  const char* json;
  const char* message;
};

class BadProfiles : public ::testing::TestWithParam<BadProfile> {};

TEST_P(BadProfiles, NameTheirPlace) {
  const auto profile = DeviceProfile::from_json(GetParam().json);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kUsage);
  EXPECT_EQ(profile.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadProfiles,
    ::testing::Values(BadProfile{"[]", "device profile: /: expected an object"},
                      BadProfile{R"({"feature": []})",
                                 "device profile: /feature: unknown member; did you mean \"features\"?"},
                      BadProfile{R"({"features": {}})", "device profile: /features: expected a list of strings"},
                      BadProfile{R"({"features": ["a", 1]})", "device profile: /features/1: expected a string"},
                      BadProfile{R"({"features": ["a", "a"]})", "device profile: /features/1: \"a\" is listed twice"},
                      BadProfile{R"({"limits": {"a/b": -1}})",
                                 "device profile: /limits/a~1b: expected an integer in [0, 9007199254740991]"},
                      BadProfile{R"({"limits": {"x": 1.5}})",
                                 "device profile: /limits/x: expected an integer in [0, 9007199254740991]"},
                      BadProfile{R"({"limits": {"x": 9007199254740992}})",
                                 "device profile: /limits/x: expected an integer in [0, 9007199254740991]"},
                      BadProfile{R"({"adapter": {"vendor": 1}})", "device profile: /adapter/vendor: expected a string"},
                      BadProfile{R"({"adapter": {"isFallbackAdapter": 1}})",
                                 "device profile: /adapter/isFallbackAdapter: expected true or false"},
                      BadProfile{R"({"adapter": {"subgroupMinSize": 4294967296}})",
                                 "device profile: /adapter/subgroupMinSize: expected an integer in [0, 4294967295]"}));

}  // namespace
}  // namespace wgk
