// The numerical contract of RotaryEmbedding and MRotaryEmbedding: 16-bit results from caches of their own type agree in
// their bits, other results lie within a bound of the exact value, and elements that do not rotate are copies.
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ops/mismatch.h"
#include "ops/rotary.h"
#include "ops/rotary_rows.h"

namespace wgk::ops {
namespace {

/// A binary floating-point format.
struct Format {
  int digits;             ///< of the significand, with the hidden one
  int smallest_exponent;  ///< of a normal number
  double overflow;        ///< magnitudes from here on round to infinity

  /// Distance of neighbours in the binade of a magnitude.
  double spacing(double magnitude) const {
    const bool normal = magnitude > std::ldexp(1.0, smallest_exponent);
    return std::ldexp(1.0, (normal ? std::ilogb(magnitude) : smallest_exponent) - (digits - 1));
  }
};

constexpr Format kFloat32Format = {24, -126, 0x1.ffffffp127};
constexpr Format kFloat16Format = {11, -14, 65520};
constexpr Format kBfloat16Format = {8, -126, 0x1.ffp127};
constexpr double kSmallestNormal = 0x1p-126;

template <typename T>
constexpr const Format& format_of() {
  if constexpr (std::is_same_v<T, Float16>) return kFloat16Format;
  if constexpr (std::is_same_v<T, Bfloat16>) return kBfloat16Format;
  return kFloat32Format;
}

bool is_subnormal(double value) { return value != 0 && std::abs(value) < kSmallestNormal; }

/// One output element: first_a * first_b + second_a * second_b, in double, where the products are exact.
struct ExactSum {
  double first_a, first_b, second_a, second_b;

  double first() const { return first_a * first_b; }
  double second() const { return second_a * second_b; }
  double value() const { return first() + second(); }
  double larger_product() const { return std::fmax(std::abs(first()), std::abs(second())); }

  /// Whether a product of finite numbers is infinite in float32.
  bool overflows() const {
    const auto leaves = [](double product) {
      return std::isfinite(product) && std::abs(product) >= kFloat32Format.overflow;
    };
    return leaves(first()) || leaves(second());
  }

  /// What a device may lose by reading a subnormal operand as zero.
  double flushed() const {
    const double a = is_subnormal(first_a) || is_subnormal(first_b) ? std::abs(first()) : 0;
    const double b = is_subnormal(second_a) || is_subnormal(second_b) ? std::abs(second()) : 0;
    return a + b;
  }

  /// Whether float32 arithmetic meets neither subnormals nor overflow, so that exact products give one result.
  bool stays_normal() const {
    const auto normal = [](double v) { return v == 0 || (std::abs(v) >= kSmallestNormal && std::abs(v) < 0x1p128); };
    return normal(first()) && normal(second()) && normal(value());
  }
};

/// How far float32 arithmetic may be from the exact value; NaN or infinity when that is not finite.
double float32_bound(const ExactSum& sum, bool scaled) {
  return (scaled ? 4 : 2) * kFloat32Format.spacing(sum.larger_product()) + 3 * kSmallestNormal + sum.flushed();
}

/// `bound` is for the arithmetic; rounding to a narrower format adds half of its spacing.
bool agrees(double got, const ExactSum& sum, double bound, const Format& format) {
  const double exact = sum.value();
  if (std::isnan(exact)) return std::isnan(got);
  // An infinite operand, and beside it a product that overflows to the other infinity, are NaN together.
  if (std::isinf(exact)) return got == exact || (std::isnan(got) && sum.overflows());
  if (std::isfinite(got)) {
    const double rounding = format.digits < kFloat32Format.digits ? format.spacing(std::abs(exact)) / 2 : 0;
    return std::abs(got - exact) <= bound + rounding;
  }
  // An operand was finite everywhere, yet the result is not: right only where float32 or the format itself overflows. A
  // product that overflows alone may end as NaN or as either infinity; a sum keeps its sign.
  if (sum.larger_product() >= kFloat32Format.overflow) return true;
  return std::isinf(got) && std::abs(exact) + bound >= format.overflow && std::signbit(got) == std::signbit(exact);
}

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
template <typename T>
bool same_bits(T a, T b) {
  return a == b;
}

/// Equal but for the payload of NaN and the sign of zero, which float arithmetic on a device does not preserve.
template <typename T>
bool same_number(T a, T b) {
  const bool zeros = (a.bits & 0x7fff) == 0 && (b.bits & 0x7fff) == 0;
  return a == b || zeros || (is_nan(a) && is_nan(b));
}

template <typename Math>
class RotaryComparison {
 public:
  using Storage = typename Math::Storage;

  RotaryComparison(RotaryOperator op, const RotaryCall& call, const HostTensor& want, const HostTensor& got,
                   Mismatches& mismatches)
      : op_(op),
        call_(call),
        x_(elements_of<Storage>(*call.x).data()),
        want_(elements_of<Storage>(want).data()),
        got_(elements_of<Storage>(got).data()),
        mismatches_(mismatches) {}

  template <bool kInterleaved>
  void run() {
    const auto half = static_cast<std::size_t>(call_.half());
    const auto head_size = static_cast<std::size_t>(call_.head_size);
    for_each_head<Math>(op_.kind, call_, [&](const RotaryRow<Math>& row, std::size_t head) {
      for (std::size_t p = 0; p < half; ++p) {
        const auto [first, second] = elements_of_pair<kInterleaved>(p, half);
        if (row.rotates[p] != 0) {
          check_pair(head + first, head + second, row.cos[p], row.sin[p]);
        } else {
          check_copy(head + first);
          check_copy(head + second);
        }
      }
      for (std::size_t i = 2 * half; i < head_size; ++i) check_copy(head + i);
      return !mismatches_.full();
    });
  }

 private:
  void check_copy(std::size_t i) {
    // Against x, not the reference: a copy is defined by its source.
    if (same_bits(got_[i], x_[i])) return;
    report(i, show(got_[i]), show(x_[i]) + ", the bits of x");
  }

  void check_pair(std::size_t first, std::size_t second, typename Math::Wide c, typename Math::Wide s) {
    const double x0 = Math::widen(x_[first]);
    const double x1 = Math::widen(x_[second]);
    check_sum(first, ExactSum{x0, c, -x1, s});
    check_sum(second, ExactSum{x0, s, x1, c});
  }

  /// Products of two 16-bit elements are exact in float32, so that every device rounds the same sum. Those of float16
  /// cannot leave its range either.
  static bool has_one_result(const ExactSum& sum) {
    if constexpr (std::is_same_v<Math, Float16Math>) return true;
    if constexpr (std::is_same_v<Math, Bfloat16Math>) return sum.stays_normal();
    return false;
  }

  void check_sum(std::size_t i, const ExactSum& sum) {
    if (has_one_result(sum)) {
      if constexpr (sizeof(Storage) == 2) {
        if (!same_number(got_[i], want_[i])) report(i, show(got_[i]), show(want_[i]));
      }
      return;
    }
    const double bound = float32_bound(sum, call_.scale != 1.0f);
    const float got = to_float(got_[i]);
    if (agrees(static_cast<double>(got), sum, bound, format_of<Storage>())) return;
    report(i, fmt::format("{}", got), fmt::format("{} (bound {:.3g})", sum.value(), bound));
  }

  void report(std::size_t i, std::string_view got, std::string_view want) {
    mismatches_.add_element(op_.output(), call_.shape, i, got, want);
  }

  RotaryOperator op_;
  const RotaryCall& call_;
  const Storage* x_;
  const Storage* want_;
  const Storage* got_;
  Mismatches& mismatches_;
};

}  // namespace

std::vector<Mismatch> rotary_compare(RotaryOperator op, const OpCall& call, const OpOutputs& expected,
                                     const OpOutputs& got) {
  Mismatches mismatches;
  OpCall trusted_values = call;
  trusted_values.check_values = false;
  trusted_values.host_data = true;
  const Result<RotaryCall> rotary = resolve_rotary(op, trusted_values, nullptr);
  if (!rotary.ok()) {
    mismatches.add(rotary.error().message);
    return mismatches.take();
  }
  const HostTensor* want_y = find_comparable(op.output(), *rotary->x, expected, mismatches);
  const HostTensor* got_y = find_comparable(op.output(), *rotary->x, got, mismatches);
  if (want_y == nullptr || got_y == nullptr || rotary->empty()) return mismatches.take();
  with_math(*rotary, [&](auto math) {
    RotaryComparison<decltype(math)> comparison(op, *rotary, *want_y, *got_y, mismatches);
    rotary->interleaved ? comparison.template run<true>() : comparison.template run<false>();
  });
  return mismatches.take();
}

}  // namespace wgk::ops
