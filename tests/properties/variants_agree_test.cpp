// Whatever variant runs a request, the answer is the same: every accepting variant is pinned in turn and compared with
// the reference by the operator's numerical contract, which is equality of bits for float16.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include <wgk/kernel.hpp>

#include "ops/rotary_oracle.h"
#include "support/software_device.h"

namespace wgk::test {
namespace {

using namespace wgk::ops::testing;

Package first_party(std::string_view id) {
  return Package::load(std::string(WGK_SOURCE_DIR) + "/kernels/" + std::string(id)).value();
}

std::vector<std::string> variants_of(const Package& package) {
  std::vector<std::string> ids;
  const auto contract = nlohmann::json::parse(package.contract_json());
  for (const auto& variant : contract.at("variants")) ids.push_back(variant.at("id"));
  return ids;
}

/// Float16 where `half` says so: any finite bits, so that rounding, subnormals and overflow are met.
HostTensor draw_tensor(const Shape& shape, bool half, std::mt19937& random) {
  const auto count = static_cast<std::size_t>(element_count(shape).value());
  if (half) {
    std::vector<std::uint16_t> bits(count);
    std::uniform_int_distribution<unsigned> pick(0, 0xFFFF);
    for (auto& b : bits) {
      do b = static_cast<std::uint16_t>(pick(random));
      while ((b & 0x7C00) == 0x7C00);
    }
    return half_bits(shape, bits);
  }
  std::uniform_real_distribution<float> number(-2, 2);
  std::vector<float> data(count);
  for (float& value : data) value = number(random);
  return HostTensor::from(shape, data);
}

std::int64_t draw_multiple() { return *rc::gen::element<std::int64_t>(1, 2, 4, 4, 8, 8); }

/// Shapes whose alignments are as often good for the vector variants as not.
RotaryShape draw_shape(bool multimodal) {
  RotaryShape shape;
  shape.multimodal = multimodal;
  shape.rank3 = *rc::gen::arbitrary<bool>();
  shape.interleaved = *rc::gen::arbitrary<bool>();
  shape.striped = multimodal && *rc::gen::arbitrary<bool>();
  shape.cache_per_token = !multimodal && *rc::gen::arbitrary<bool>();
  shape.batch = *rc::gen::inRange(1, 4);
  shape.sequence = *rc::gen::inRange(1, 6);
  shape.heads = *rc::gen::inRange(1, 5);
  const std::int64_t step = 2 * draw_multiple();
  shape.rotary_dim = step * *rc::gen::inRange(1, 5);
  shape.head_size = shape.rotary_dim + step * *rc::gen::inRange(0, 3);
  shape.rows = *rc::gen::inRange(1, 6);
  shape.sections[0] = *rc::gen::inRange<std::int64_t>(0, shape.half() + 1);
  shape.sections[1] = *rc::gen::inRange<std::int64_t>(0, shape.half() - shape.sections[0] + 1);
  shape.sections[2] = shape.half() - shape.sections[0] - shape.sections[1];
  return shape;
}

OwnedCall draw_rotary(bool multimodal) {
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  const bool half = *rc::gen::arbitrary<bool>();
  const RotaryShape shape = draw_shape(multimodal);
  return make_call(shape, random, [&](const Shape& tensor) { return draw_tensor(tensor, half, random); });
}

OwnedCall draw_gemma() {
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  const std::int64_t batch = *rc::gen::inRange(1, 3);
  const std::int64_t heads = *rc::gen::inRange(1, 4);
  const std::int64_t sequence = *rc::gen::inRange(1, 5);
  const std::int64_t dim = draw_multiple() * *rc::gen::inRange(1, 6);
  OwnedCall call;
  std::vector<float> angles(static_cast<std::size_t>(batch * sequence * dim));
  std::uniform_real_distribution<float> angle(-4000, 4000);
  for (float& value : angles) value = angle(random);
  call.tensors.emplace("embT", HostTensor::from(Shape{batch, sequence, dim}, angles));
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) {
    call.tensors.emplace(key, draw_tensor({batch, heads, sequence, dim}, true, random));
  }
  return call;
}

/// Runs drawn calls on every variant that takes them.
class Agreement {
 public:
  Agreement(std::string_view id, const Device& device)
      : operator_(op(id)), kernel_(device, first_party(id)), variants_(variants_of(kernel_.package())) {}

  void check(const OwnedCall& call) {
    const TensorMap inputs(call.tensors.begin(), call.tensors.end());
    const ops::OpOutputs expected = operator_.reference(call.view()).value();
    std::size_t accepted = 0;
    for (const std::string& variant : variants_) {
      RunOptions options;
      options.attrs = call.options.attributes;
      options.variant = variant;
      if (!kernel_.plan(inputs, options).ok()) continue;
      const auto result = kernel_.run(inputs, options);
      if (!result.ok()) RC_FAIL(variant + ": " + result.error().message);
      RC_ASSERT(result->variant == variant);
      const auto mismatches = operator_.compare(call.view(), expected, result->outputs);
      if (!mismatches.empty()) RC_FAIL(variant + ": " + mismatches.front().message);
      ++accepted;
      ++runs_[variant];
    }
    if (accepted == 0) RC_FAIL("no variant takes the call");
    most_ = std::max(most_, accepted);
  }

  /// Every variant must have run, and some request must have had a choice; a check of nothing would pass, too.
  void expect_all_ran() const {
    for (const std::string& variant : variants_) {
      const auto found = runs_.find(variant);
      EXPECT_NE(found, runs_.end()) << variant << " never ran";
      if (found != runs_.end()) std::cout << variant << ": " << found->second << " calls\n";
    }
    EXPECT_GE(most_, 2u);
  }

 private:
  const ops::Operator& operator_;
  Kernel kernel_;
  std::vector<std::string> variants_;
  std::map<std::string, std::size_t> runs_;
  std::size_t most_ = 0;
};

TEST(VariantsAgree, RotaryEmbedding) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  Agreement agreement(kStandardId, *software_device());
  EXPECT_TRUE(rc::check("all variants agree", [&] { agreement.check(draw_rotary(false)); }));
  agreement.expect_all_ran();
}

TEST(VariantsAgree, MRotaryEmbedding) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  Agreement agreement(kMultimodalId, *software_device());
  EXPECT_TRUE(rc::check("all variants agree", [&] { agreement.check(draw_rotary(true)); }));
  agreement.expect_all_ran();
}

TEST(VariantsAgree, GemmaRotaryEmbedding) {
  WGK_NEEDS_SOFTWARE_DEVICE();
  Agreement agreement(kGemmaId, *software_device());
  EXPECT_TRUE(rc::check("all variants agree", [&] { agreement.check(draw_gemma()); }));
  agreement.expect_all_ran();
}

}  // namespace
}  // namespace wgk::test
