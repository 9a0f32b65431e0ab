// The rotary reference against the oracle, on random shapes and data.
#include "ops/rotary_oracle.h"

#include <limits>

#include <gtest/gtest.h>

namespace wgk::ops::testing {
namespace {

TEST(RotaryOracle, Float32IsTheRoundedExactValue) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> number(-4, 4);
  const auto make = [&](const Shape& shape) {
    std::vector<float> data(static_cast<std::size_t>(element_count(shape).value()));
    for (float& value : data) value = number(random);
    return floats(shape, data);
  };
  for (int round = 0; round < 300; ++round) {
    const RotaryShape shape = random_shape(random);
    const OwnedCall call = make_call(shape, random, make);
    ASSERT_EQ(complaint(shape.id(), call), "");
    const auto y = values(run(shape.id(), call));
    const auto x = values(call.tensors.at("x"));
    const auto cos = values(call.tensors.at("cos"));
    const auto sin = values(call.tensors.at("sin"));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const ElementSource from = source_of(shape, call, i);
      if (from.copied) {
        ASSERT_EQ(y[i], x[i]);
        continue;
      }
      const auto wide = [](float value) { return static_cast<long double>(value); };
      const long double exact =
          from.second ? wide(x[from.x0]) * wide(sin[from.cache]) + wide(x[from.x1]) * wide(cos[from.cache])
                      : wide(x[from.x0]) * wide(cos[from.cache]) - wide(x[from.x1]) * wide(sin[from.cache]);
      // Half a spacing of float32 at magnitudes up to 32, and at most one part in 2^24 of the value.
      ASSERT_LE(std::fabs(wide(y[i]) - exact), std::fabs(exact) * 0x1.001p-24L + 0x1p-140L) << i;
    }
  }
}

__extension__ typedef __int128 Wide;

/// A finite float16 as a multiple of 2^-24.
std::int64_t units(std::uint16_t bits) {
  const std::int64_t mantissa = bits & 0x3ff;
  const int exponent = (bits >> 10) & 0x1f;
  const std::int64_t magnitude = exponent == 0 ? mantissa : (mantissa + 1024) << (exponent - 1);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

int bit_length(Wide value) {
  int length = 0;
  for (; value != 0; value >>= 1) ++length;
  return length;
}

/// A magnitude rounded, ties to even, to a multiple of 2^shift.
Wide round_to(Wide magnitude, int shift) {
  if (shift <= 0) return magnitude;
  const Wide step = Wide{1} << shift;
  const Wide rest = magnitude % step;
  const Wide down = magnitude - rest;
  const bool odd = (down >> shift) % 2 == 1;
  return rest > step / 2 || (rest == step / 2 && odd) ? down + step : down;
}

/// What the contract makes of an exact sum, given as a multiple of 2^-48: float first, then float16.
std::uint16_t contract_float16(Wide sum) {
  const Wide magnitude = sum < 0 ? -sum : sum;
  const Wide single = round_to(magnitude, bit_length(magnitude) - 24);
  // float16 keeps 11 digits, and no multiple smaller than 2^-24, which is 2^24 of these units.
  const Wide half = round_to(single, std::max(bit_length(single) - 11, 24)) >> 24;
  const auto sign = static_cast<std::uint16_t>(sum < 0 ? 0x8000 : 0);
  if (half >= (Wide{1} << 40)) return static_cast<std::uint16_t>(sign | 0x7c00);
  auto small = static_cast<std::uint64_t>(half);
  std::uint64_t exponent = small >= 1024 ? 1 : 0;
  for (; small >= 2048; small >>= 1) ++exponent;
  return static_cast<std::uint16_t>(sign | (exponent << 10) | (small & 0x3ff));
}

TEST(RotaryOracle, Float16HasTheBitsOfTheContract) {
  std::mt19937 random(6);
  for (int round = 0; round < 3000; ++round) {
    const RotaryShape shape = random_shape(random);
    // Every third call draws all finite bit patterns, the others magnitudes near one, where sums are rounded twice.
    const bool any_bits = round % 3 == 0;
    const auto make = [&](const Shape& tensor_shape) {
      std::vector<std::uint16_t> data(static_cast<std::size_t>(element_count(tensor_shape).value()));
      for (auto& bits : data) {
        do {
          const auto drawn = static_cast<std::uint16_t>(random());
          bits = static_cast<std::uint16_t>(any_bits ? drawn : (0x2c00 + drawn % 0x1800) | (drawn & 0x8000));
        } while ((bits & 0x7c00) == 0x7c00);
      }
      return half_bits(tensor_shape, data);
    };
    const OwnedCall call = make_call(shape, random, make);
    ASSERT_EQ(complaint(shape.id(), call), "");
    const auto y = bits16(run(shape.id(), call));
    const auto x = bits16(call.tensors.at("x"));
    const auto cos = bits16(call.tensors.at("cos"));
    const auto sin = bits16(call.tensors.at("sin"));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const ElementSource from = source_of(shape, call, i);
      if (from.copied) {
        ASSERT_EQ(y[i], x[i]);
        continue;
      }
      const Wide x0 = units(x[from.x0]);
      const Wide x1 = units(x[from.x1]);
      const Wide c = units(cos[from.cache]);
      const Wide s = units(sin[from.cache]);
      const Wide sum = from.second ? x0 * s + x1 * c : x0 * c - x1 * s;
      const std::uint16_t want = contract_float16(sum);
      // The oracle knows no sign of a zero that comes from cancellation.
      ASSERT_TRUE(y[i] == want || (sum == 0 && (y[i] & 0x7fff) == 0)) << i << ": " << y[i] << ", want " << want;
    }
  }
}

}  // namespace
}  // namespace wgk::ops::testing
