// binary16 conversions against a method that knows nothing of bit tricks: exact values and the nearest of them.
#include "base/float16.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace wgk {
namespace {

constexpr std::uint16_t kInfinity = 0x7c00;

/// The value of a magnitude from the definition of the format; infinity counts as 2^16, the next step of the grid.
double value_of(std::uint16_t magnitude) {
  const int exponent = magnitude >> 10;
  const int mantissa = magnitude & 0x3ff;
  if (exponent == 0) return std::ldexp(mantissa, -24);
  return std::ldexp(1024 + mantissa, exponent - 25);
}

/// Nearest magnitude by bisection over the ordered magnitudes; on a tie the even one.
std::uint16_t nearest_magnitude(double value) {
  if (value >= value_of(kInfinity)) return kInfinity;
  std::uint16_t low = 0;
  std::uint16_t high = kInfinity;
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (value_of(middle) <= value ? low : high) = middle;
  }
  const double down = value - value_of(low);
  const double up = value_of(high) - value;
  if (down != up) return down < up ? low : high;
  return low % 2 == 0 ? low : high;
}

bool is_nan_bits(std::uint16_t bits) { return (bits & 0x7fff) > kInfinity; }

TEST(Float16, WidensEveryValueExactly) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const float wide = float16_to_float(half);
    const auto magnitude = static_cast<std::uint16_t>(bits & 0x7fff);
    EXPECT_EQ(std::signbit(wide), (bits & 0x8000) != 0) << bits;
    if (is_nan_bits(half.bits)) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
    } else if (magnitude == kInfinity) {
      EXPECT_TRUE(std::isinf(wide)) << bits;
    } else {
      EXPECT_EQ(std::abs(static_cast<double>(wide)), value_of(magnitude)) << bits;
    }
  }
}

TEST(Float16, EveryValueComesBackAndSignallingNansTurnQuiet) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const std::uint32_t expected = is_nan_bits(half.bits) ? (bits | 0x0200) : bits;
    EXPECT_EQ(float_to_float16(float16_to_float(half)).bits, expected);
    if (!is_nan_bits(half.bits)) {
      EXPECT_EQ(base::double_to_float16(static_cast<double>(float16_to_float(half))).bits, expected);
    }
  }
}

TEST(Float16, MidpointsAndTheirNeighboursRoundToNearestEven) {
  for (std::uint16_t low = 0; low < kInfinity; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double middle = (value_of(low) + value_of(high)) / 2;
    const float single = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(single), middle);
    const std::uint16_t even = low % 2 == 0 ? low : high;

    EXPECT_EQ(float_to_float16(single).bits, even) << low;
    EXPECT_EQ(float_to_float16(-single).bits, even | 0x8000) << low;
    EXPECT_EQ(float_to_float16(std::nextafter(single, 0.0f)).bits, low);
    EXPECT_EQ(float_to_float16(std::nextafter(single, 1e30f)).bits, high);

    EXPECT_EQ(base::double_to_float16(middle).bits, even) << low;
    EXPECT_EQ(base::double_to_float16(-middle).bits, even | 0x8000) << low;
    EXPECT_EQ(base::double_to_float16(std::nextafter(middle, 0.0)).bits, low);
    EXPECT_EQ(base::double_to_float16(std::nextafter(middle, 1e300)).bits, high);
  }
}

TEST(Float16, RandomFloatsAgreeWithTheNearestValue) {
  std::mt19937 random(1);
  for (int i = 0; i < 300'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    const auto magnitude = nearest_magnitude(std::abs(static_cast<double>(value)));
    const auto expected = static_cast<std::uint16_t>(magnitude | (std::signbit(value) ? 0x8000 : 0));
    ASSERT_EQ(float_to_float16(value).bits, expected) << value;
  }
}

TEST(Float16, RandomDoublesAgreeWithTheNearestValue) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-30, 18);
  for (int i = 0; i < 300'000; ++i) {
    const double value = std::exp2(exponent(random));
    ASSERT_EQ(base::double_to_float16(value).bits, nearest_magnitude(value)) << value;
  }
}

TEST(Float16, KnownValues) {
  struct Case {
    float value;
    std::uint16_t bits;
  };
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const Case& c :
       {Case{0.0f, 0x0000}, Case{-0.0f, 0x8000}, Case{1.0f, 0x3c00}, Case{-2.0f, 0xc000}, Case{65504.0f, 0x7bff},
        Case{65519.996f, 0x7bff}, Case{65520.0f, 0x7c00}, Case{1e30f, 0x7c00}, Case{kInf, 0x7c00}, Case{-kInf, 0xfc00},
        Case{0x1p-14f, 0x0400}, Case{0x1p-24f, 0x0001}, Case{0x1p-25f, 0x0000}, Case{0x1.8p-25f, 0x0001},
        Case{-0x1p-149f, 0x8000}, Case{0x1.ff8p-15f, 0x03ff}, Case{0.1f, 0x2e66}, Case{0.6f, 0x38cd}}) {
    EXPECT_EQ(float_to_float16(c.value).bits, c.bits) << c.value;
    EXPECT_EQ(base::double_to_float16(static_cast<double>(c.value)).bits, c.bits) << c.value;
  }
  EXPECT_EQ(base::double_to_float16(std::numeric_limits<double>::max()).bits, 0x7c00);
  EXPECT_EQ(base::double_to_float16(-std::numeric_limits<double>::denorm_min()).bits, 0x8000);
}

TEST(Float16, NansStayNansWithTheirUpperPayloadAndBecomeQuiet) {
  EXPECT_EQ(float_to_float16(std::bit_cast<float>(0x7fc00000u)).bits, 0x7e00);
  EXPECT_EQ(float_to_float16(std::bit_cast<float>(0xffc02000u)).bits, 0xfe01);
  EXPECT_EQ(float_to_float16(std::bit_cast<float>(0x7f800001u)).bits, 0x7e00);  // the payload is all in lost bits
  EXPECT_EQ(float_to_float16(std::bit_cast<float>(0x7fffffffu)).bits, 0x7fff);
  EXPECT_EQ(float_to_float16(float16_to_float(Float16{0x7d01})).bits, 0x7f01);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(float16_to_float(Float16{0x7e01})), 0x7fc02000u);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(float16_to_float(Float16{0x7d01})), 0x7fe02000u);
  EXPECT_EQ(base::double_to_float16(std::bit_cast<double>(0x7ff8000000000000u)).bits, 0x7e00);
  EXPECT_EQ(base::double_to_float16(std::bit_cast<double>(0xfff0000000000001u)).bits, 0xfe00);
}

TEST(Float16, DoubleIsRoundedOnceNotThroughFloat) {
  const double just_above = 1.0 + 0x1p-11 + 0x1p-40;  // float drops the last term and leaves a tie, which goes to even
  EXPECT_EQ(base::double_to_float16(just_above).bits, 0x3c01);
  EXPECT_EQ(float_to_float16(static_cast<float>(just_above)).bits, 0x3c00);
}

}  // namespace
}  // namespace wgk
