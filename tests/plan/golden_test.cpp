// Whole plans of the seeds as JSON, compared with tests/data/plans. WGK_UPDATE_GOLDEN=1 rewrites them.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "plan_fixture.h"

namespace wgk::plan {
namespace {

using namespace testing_support;

struct GoldenCase {
  std::string name;
  PackagePtr (*package)();
  PlanRequest (*request)();
  DeviceProfile (*profile)();
};

PlanRequest rotary_rank4() {
  PlanRequest request;
  request.inputs = {{"x", {DType::kFloat16, {2, 4, 3, 8}}},
                    {"cos", {DType::kFloat16, {2, 3, 4}}},
                    {"sin", {DType::kFloat16, {2, 3, 4}}}};
  request.attributes = {{"interleaved", 1}};
  return request;
}

PlanRequest mrotary_rank4() {
  PlanRequest request;
  request.inputs = {{"x", {DType::kFloat32, {2, 4, 3, 8}}},
                    {"positionIds", {DType::kInt64, {3, 2, 3}}},
                    {"cos", {DType::kFloat32, {16, 4}}},
                    {"sin", {DType::kFloat32, {16, 4}}}};
  request.attributes = {{"mrope_section", AttributeValue::List{2, 1, 1}}, {"scale", 0.5}};
  return request;
}

PlanRequest gemma_odd() {
  PlanRequest request;
  request.inputs["embT"] = {DType::kFloat32, {1, 3, 6}};
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) request.inputs[key] = {DType::kFloat16, {1, 2, 3, 6}};
  return request;
}

PlanRequest gemma_empty() {
  PlanRequest request;
  request.inputs["embT"] = {DType::kFloat32, {1, 0, 8}};
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) request.inputs[key] = {DType::kFloat16, {1, 2, 0, 8}};
  return request;
}

/// The first line in which the texts differ, from both.
std::string first_difference(const std::string& want, const std::string& got) {
  std::istringstream wanted(want), given(got);
  std::string want_line, got_line;
  for (int line = 1;; ++line) {
    const bool more_wanted = static_cast<bool>(std::getline(wanted, want_line));
    const bool more_given = static_cast<bool>(std::getline(given, got_line));
    if (!more_wanted && !more_given) return "no difference";
    if (more_wanted != more_given || want_line != got_line) {
      return "line " + std::to_string(line) + "\n- " + (more_wanted ? want_line : "<end>") + "\n+ " +
             (more_given ? got_line : "<end>");
    }
  }
}

class GoldenPlan : public testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenPlan, Matches) {
  const PackagePtr package = GetParam().package();
  if (package == nullptr) GTEST_SKIP() << "the seeds are not there";
  const auto plan = make_plan(*package, GetParam().request(), GetParam().profile());
  const std::string text = (plan.ok() ? plan->to_json() : "error: " + plan.error().message) + "\n";
  const std::filesystem::path path = std::filesystem::path(WGK_TEST_DATA_DIR) / "plans" / (GetParam().name + ".json");
  if (std::getenv("WGK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string golden((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_TRUE(golden == text) << path << " differs at " << first_difference(golden, text)
                              << "\nIf the change is meant: WGK_UPDATE_GOLDEN=1 wgk_plan_tests "
                                 "--gtest_filter='*GoldenPlan*'";
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, GoldenPlan,
    testing::Values(GoldenCase{"rotary_rank3_pos_defaults", rotary, rotary_request, DeviceProfile::webgpu_defaults},
                    GoldenCase{"rotary_rank3_pos_lavapipe", rotary, rotary_request, lavapipe_profile},
                    GoldenCase{"rotary_rank4_f16_f16", rotary, rotary_rank4, f16_profile},
                    GoldenCase{"rotary_rank4_f16_refused", rotary, rotary_rank4, DeviceProfile::webgpu_defaults},
                    GoldenCase{"mrotary_rank3_defaults", mrotary, mrotary_request, DeviceProfile::webgpu_defaults},
                    GoldenCase{"mrotary_rank4_lavapipe", mrotary, mrotary_rank4, lavapipe_profile},
                    GoldenCase{"gemma_vec4_f16", gemma, gemma_request, f16_profile},
                    GoldenCase{"gemma_scalar_lavapipe", gemma, gemma_odd, lavapipe_profile},
                    GoldenCase{"gemma_empty_f16", gemma, gemma_empty, f16_profile}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wgk::plan
