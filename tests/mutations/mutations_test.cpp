// Random changes of every package and of the published manifests, through load and plan: each either works or fails
// with an error that names a place. tests/runtime/mutated_run_test.cpp runs some.
//
// WGK_MUTATIONS sets the number per package (default 200), WGK_SEED the seed.
#include <iostream>

#include <gtest/gtest.h>

#include <wgk/package.hpp>

#include "mutations/subjects.h"

namespace wgk::test {
namespace {

struct Tally {
  std::uint64_t refused = 0, unplanned = 0, planned = 0;
};

void check_error(const Error& error, const char* step) {
  EXPECT_TRUE(names_a_place(error.message)) << step << ": " << error.message.substr(0, 400);
}

Tally mutate(const Subject& subject, std::uint64_t count, std::uint64_t seed) {
  Tally tally;
  Mutator mutator(seed);
  const auto manifest = Mutator::Json::parse(subject.files.at("manifest.json"));
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.features.insert("shader-f16");
  for (std::uint64_t i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(subject.name + ", mutation " + std::to_string(i) + " of seed " + std::to_string(seed));
    const auto package = Package::from_memory(mutator.mutate(subject.files, manifest), "mutated");
    if (!package) {
      ++tally.refused;
      check_error(package.error(), "load");
      continue;
    }
    static_cast<void>(package->contract_markdown());
    const Call& call = subject.calls[mutator.below(subject.calls.size())];
    const auto plan = package->plan(call.plan_request(), profile);
    if (!plan) {
      ++tally.unplanned;
      check_error(plan.error(), "plan");
      continue;
    }
    ++tally.planned;
    static_cast<void>(plan->to_json());
  }
  return tally;
}

class Mutations : public ::testing::TestWithParam<std::string> {};

TEST_P(Mutations, WorkOrFailWithAPlace) {
  const Subject subject = make_subject(GetParam());
  ASSERT_FALSE(subject.calls.empty());
  const std::uint64_t count = number_from("WGK_MUTATIONS", 200);
  const std::uint64_t seed = number_from("WGK_SEED", 1);
  const Tally tally = mutate(subject, count, seed);
  std::cout << subject.name << ": " << count << " mutations of seed " << seed << ": " << tally.refused
            << " refused by load, " << tally.unplanned << " by plan, " << tally.planned << " planned\n";
  if (count >= 100) {
    EXPECT_GT(tally.planned, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Mutations, ::testing::ValuesIn(subject_names()),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace wgk::test
