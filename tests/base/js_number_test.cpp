// Numbers in the spelling of ECMAScript; the expected texts follow the steps of Number::toString by hand.
#include "base/js_number.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace wgk::base {
namespace {

TEST(JsNumber, KnownValues) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  struct Case {
    double value;
    const char* text;
  };
  for (const Case& c : {
           Case{0.0, "0"},
           Case{-0.0, "0"},
           Case{5.0, "5"},
           Case{-5.0, "-5"},
           Case{10.0, "10"},
           Case{123456.0, "123456"},
           Case{0.5, "0.5"},
           Case{-1.5, "-1.5"},
           Case{1234.5678, "1234.5678"},
           Case{0.1, "0.1"},
           Case{0.1 + 0.2, "0.30000000000000004"},
           Case{1.0 / 3.0, "0.3333333333333333"},
           Case{100.0 / 3.0, "33.333333333333336"},
           Case{0.000001, "0.000001"},
           Case{0.0000015, "0.0000015"},
           Case{0.0000001, "1e-7"},
           Case{0.00000012345, "1.2345e-7"},
           Case{1e20, "100000000000000000000"},
           Case{123456789012345680000.0, "123456789012345680000"},
           Case{999999999999999900000.0, "999999999999999900000"},
           Case{1e21, "1e+21"},
           Case{1.5e21, "1.5e+21"},
           Case{-1.25e300, "-1.25e+300"},
           Case{9007199254740992.0, "9007199254740992"},
           Case{9007199254740993.0, "9007199254740992"},
           Case{4294967296.0, "4294967296"},
           Case{5e-324, "5e-324"},
           Case{2.2250738585072014e-308, "2.2250738585072014e-308"},
           Case{1.7976931348623157e308, "1.7976931348623157e+308"},
           Case{static_cast<double>(0.1f), "0.10000000149011612"},
           Case{kInf, "Infinity"},
           Case{-kInf, "-Infinity"},
           Case{std::numeric_limits<double>::quiet_NaN(), "NaN"},
           Case{-std::numeric_limits<double>::quiet_NaN(), "NaN"},
       }) {
    EXPECT_EQ(js_number(c.value), c.text);
  }
}

TEST(JsNumber, EveryTextReadsBackToTheSameNumber) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (!std::isfinite(value)) continue;
    const std::string text = js_number(value);
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    ASSERT_LE(text.size(), 25u) << text;
  }
}

}  // namespace
}  // namespace wgk::base
