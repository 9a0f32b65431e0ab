// Properties that every rotation has, on shapes and data that RapidCheck draws and shrinks.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "ops/rotary_oracle.h"

namespace wgk::ops::testing {
namespace {

RotaryShape draw_shape(bool multimodal) {
  RotaryShape shape;
  shape.multimodal = multimodal;
  shape.rank3 = *rc::gen::arbitrary<bool>();
  shape.interleaved = *rc::gen::arbitrary<bool>();
  shape.striped = multimodal && *rc::gen::arbitrary<bool>();
  shape.batch = *rc::gen::inRange(1, 4);
  shape.sequence = *rc::gen::inRange(1, 5);
  shape.heads = *rc::gen::inRange(1, 4);
  shape.rotary_dim = 2 * *rc::gen::inRange(1, 8);
  shape.head_size = shape.rotary_dim + 2 * *rc::gen::inRange(0, 3);
  shape.rows = *rc::gen::inRange(1, 6);
  shape.sections[0] = *rc::gen::inRange<std::int64_t>(0, shape.half() + 1);
  shape.sections[1] = *rc::gen::inRange<std::int64_t>(0, shape.half() - shape.sections[0] + 1);
  shape.sections[2] = shape.half() - shape.sections[0] - shape.sections[1];
  return shape;
}

/// Data between -100 and 100, caches of true angles, random rows.
OwnedCall draw_call(const RotaryShape& shape) {
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  std::uniform_real_distribution<float> number(-100, 100);
  const auto draw = [&](const Shape& tensor_shape) {
    std::vector<float> data(static_cast<std::size_t>(element_count(tensor_shape).value()));
    for (float& value : data) value = number(random);
    return floats(tensor_shape, data);
  };
  OwnedCall call = make_call(shape, random, draw);
  std::vector<float> cos = values(call.tensors.at("cos"));
  std::vector<float> sin = cos;
  for (float& value : cos) value = std::cos(value);
  for (float& value : sin) value = std::sin(value);
  call.tensors.at("cos") = floats(shape.cache_shape(), cos);
  call.tensors.at("sin") = floats(shape.cache_shape(), sin);
  return call;
}

bool draw_multimodal() { return *rc::gen::arbitrary<bool>(); }

TEST(RotaryProperty, EveryPairKeepsItsLength) {
  EXPECT_TRUE(rc::check("length of a pair", [] {
    const RotaryShape shape = draw_shape(draw_multimodal());
    const OwnedCall call = draw_call(shape);
    const auto x = values(call.tensors.at("x"));
    const auto y = values(run(shape.id(), call));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const ElementSource from = source_of(shape, call, i);
      if (from.copied) continue;
      const float before = std::hypot(x[from.x0], x[from.x1]);
      const float after = std::hypot(y[from.x0], y[from.x1]);
      // cos and sin are off by 2^-25 each and the results by 2^-24 of the length.
      RC_ASSERT(std::abs(after - before) <= before * 0x1p-21f);
    }
  }));
}

TEST(RotaryProperty, TheOppositeAngleGoesBack) {
  EXPECT_TRUE(rc::check("there and back", [] {
    const RotaryShape shape = draw_shape(draw_multimodal());
    OwnedCall call = draw_call(shape);
    const auto x = values(call.tensors.at("x"));
    call.tensors.at("x") = run(shape.id(), call);
    auto sin = values(call.tensors.at("sin"));
    for (float& value : sin) value = -value;
    call.tensors.at("sin") = floats(shape.cache_shape(), sin);
    const auto back = values(run(shape.id(), call));
    for (std::size_t i = 0; i < back.size(); ++i) {
      const ElementSource from = source_of(shape, call, i);
      const float length = from.copied ? 0.0f : std::hypot(x[from.x0], x[from.x1]);
      RC_ASSERT(std::abs(back[i] - x[i]) <= length * 0x1p-20f);
    }
  }));
}

TEST(RotaryProperty, AHeadOfATokenAloneGivesTheSameBits) {
  EXPECT_TRUE(rc::check("splitting batch, sequence and heads", [] {
    const RotaryShape shape = draw_shape(draw_multimodal());
    const OwnedCall call = draw_call(shape);
    const auto y = bits32(run(shape.id(), call));
    const auto x = bits32(call.tensors.at("x"));
    const auto ids = call.tensors.at("positionIds").as<std::int64_t>();
    RotaryShape one = shape;
    one.batch = one.sequence = one.heads = 1;
    const auto size = static_cast<std::size_t>(shape.head_size);
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t s = 0; s < shape.sequence; ++s) {
        std::vector<std::int64_t> own_ids;
        for (std::int64_t stream = 0; stream < (shape.multimodal ? 3 : 1); ++stream) {
          own_ids.push_back(ids[static_cast<std::size_t>((stream * shape.batch + b) * shape.sequence + s)]);
        }
        for (std::int64_t n = 0; n < shape.heads; ++n) {
          const std::int64_t row =
              shape.rank3 ? (b * shape.sequence + s) * shape.heads + n : (b * shape.heads + n) * shape.sequence + s;
          const std::size_t start = static_cast<std::size_t>(row) * size;
          const auto slice = [&](const std::vector<std::uint32_t>& all) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(start);
            return std::vector<std::uint32_t>(first, first + static_cast<std::ptrdiff_t>(size));
          };
          OwnedCall alone = call;
          alone.options.attributes.insert_or_assign("num_heads", 1);
          alone.tensors.at("x") = float_bits(one.x_shape(), slice(x));
          alone.tensors.at("positionIds") = positions(shape.multimodal ? Shape{3, 1, 1} : Shape{1, 1}, own_ids);
          RC_ASSERT(bits32(run(shape.id(), alone)) == slice(y));
        }
      }
    }
  }));
}

TEST(RotaryProperty, EqualStreamsGiveTheStandardRotation) {
  EXPECT_TRUE(rc::check("equal streams", [] {
    const RotaryShape shape = draw_shape(true);
    OwnedCall multimodal = draw_call(shape);
    const auto all = multimodal.tensors.at("positionIds").as<std::int64_t>();
    const std::vector<std::int64_t> ids(all.begin(), all.begin() + shape.batch * shape.sequence);
    std::vector<std::int64_t> tripled;
    for (int stream = 0; stream < 3; ++stream) tripled.insert(tripled.end(), ids.begin(), ids.end());
    multimodal.tensors.at("positionIds") = positions({3, shape.batch, shape.sequence}, tripled);

    OwnedCall standard = multimodal;
    standard.tensors.at("positionIds") = positions({shape.batch, shape.sequence}, ids);
    for (const char* name : {"mrope_section", "mrope_layout", "scale"}) standard.options.attributes.erase(name);
    RC_ASSERT(bits32(run(kMultimodalId, multimodal)) == bits32(run(kStandardId, standard)));
  }));
}

TEST(RotaryProperty, InterleavedIsHalfSplitOfPermutedElements) {
  EXPECT_TRUE(rc::check("pairing is a permutation", [] {
    RotaryShape shape = draw_shape(draw_multimodal());
    shape.interleaved = true;
    OwnedCall call = draw_call(shape);
    const auto size = static_cast<std::size_t>(shape.head_size);
    const auto half = static_cast<std::size_t>(shape.half());
    const auto split = [&](const std::vector<std::uint32_t>& interleaved) {
      std::vector<std::uint32_t> result = interleaved;
      for (std::size_t head = 0; head < result.size(); head += size) {
        for (std::size_t p = 0; p < half; ++p) {
          result[head + p] = interleaved[head + 2 * p];
          result[head + p + half] = interleaved[head + 2 * p + 1];
        }
      }
      return result;
    };
    const auto expected = split(bits32(run(shape.id(), call)));
    call.tensors.at("x") = float_bits(shape.x_shape(), split(bits32(call.tensors.at("x"))));
    call.options.attributes.insert_or_assign("interleaved", 0);
    RC_ASSERT(bits32(run(shape.id(), call)) == expected);
  }));
}

}  // namespace
}  // namespace wgk::ops::testing
