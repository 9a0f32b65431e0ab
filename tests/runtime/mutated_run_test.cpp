// Random changes of every package, run on the software adapter: a call gives a result or an error with a place, and the
// device serves the next one. WGK_MUTATION_RUNS sets the number of runs per package (default 8), WGK_SEED the seed.
#include <chrono>
#include <iostream>
#include <optional>

#include <gtest/gtest.h>

#include <wgk/kernel.hpp>

#include "mutations/subjects.h"
#include "support/software_device.h"

namespace wgk::test {
namespace {

/// A device of its own, opened again when a mutated shader did not end: GPU work cannot be stopped.
class Runner {
 public:
  const Device* device() {
    if (device_ && !device_->lost()) return &*device_;
    auto opened = Device::open({.kind = DeviceKind::kSoftware, .timeout = std::chrono::seconds(20)});
    if (!opened) return nullptr;
    device_ = *std::move(opened);
    return &*device_;
  }

 private:
  std::optional<Device> device_;
};

class MutatedRuns : public ::testing::TestWithParam<std::string> {};

TEST_P(MutatedRuns, WorkOrFailWithAPlace) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  const Subject subject = make_subject(GetParam());
  const std::uint64_t wanted = number_from("WGK_MUTATION_RUNS", 8);
  const std::uint64_t seed = number_from("WGK_SEED", 1);
  Mutator mutator(seed);
  Runner runner;
  const auto manifest = Mutator::Json::parse(subject.files.at("manifest.json"));
  std::uint64_t ran = 0, failed = 0, mutations = 0;
  while (ran + failed < wanted && !HasFailure()) {
    SCOPED_TRACE(subject.name + ", mutation " + std::to_string(mutations) + " of seed " + std::to_string(seed));
    ++mutations;
    const auto package = Package::from_memory(mutator.mutate(subject.files, manifest), "mutated");
    if (!package) continue;
    const Call& call = subject.calls[mutator.below(subject.calls.size())];
    const Device* device = runner.device();
    ASSERT_NE(device, nullptr);
    if (!package->plan(call.plan_request(), device->profile())) continue;
    RunOptions options;
    options.attrs = call.attrs;
    options.args = call.args;
    const auto result = Kernel(*device, *package).run(TensorMap(call.inputs.begin(), call.inputs.end()), options);
    ++(result ? ran : failed);
    if (!result) {
      EXPECT_TRUE(names_a_place(result.error().message)) << result.error().message.substr(0, 400);
    }
  }
  std::cout << subject.name << ": " << mutations << " mutations of seed " << seed << ": " << ran << " ran, " << failed
            << " failed to run\n";
}

INSTANTIATE_TEST_SUITE_P(Each, MutatedRuns, ::testing::ValuesIn(subject_names()),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace wgk::test
