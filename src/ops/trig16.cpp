// No finite float32 has a cosine, or from 2^-11 on a sine, within 2^-48 of a value midway between two float16 numbers
// (found by exhaustive search). A double result that is off by less than that therefore rounds to the right float16,
// and the C libraries in use reduce even the largest angles exactly: their error is below one unit in the last place,
// at most 2^-53 here. Rounding through float would round twice and is wrong for about one angle in 30,000.
#include "ops/trig16.h"

#include <cmath>

#include "base/float16.h"

namespace wgk::ops {
namespace {

constexpr Float16 kQuietNan{0x7e00};

}  // namespace

Float16 cos_float16(float angle) {
  if (!std::isfinite(angle)) return kQuietNan;
  return base::double_to_float16(std::cos(static_cast<double>(angle)));
}

Float16 sin_float16(float angle) {
  if (!std::isfinite(angle)) return kQuietNan;
  const double exact = static_cast<double>(angle);
  if (angle == 0 || std::abs(angle) >= 0x1p-11f) return base::double_to_float16(std::sin(exact));
  // The sine lies just below the angle, by less than any float16 boundary can notice, except that an angle midway
  // between two float16 numbers has its sine on the side of zero. One step of a double says that.
  return base::double_to_float16(std::nextafter(exact, 0.0));
}

}  // namespace wgk::ops
