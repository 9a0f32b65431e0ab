// The functions below have the names, the order and the statements of gemma-trig.wgsl.jinja; the reasons for the
// constants and shifts stand there once.
#include "gemma_trig.h"

#include <algorithm>
#include <bit>

namespace wgk::verify_trig {
namespace {

using u32 = std::uint32_t;

/// A 64-bit word, as the kernel has it: vec2<u32>(low, high).
struct Wide {
  u32 x = 0;
  u32 y = 0;
};

struct Window {
  u32 x = 0;
  u32 y = 0;
  u32 z = 0;
  u32 w = 0;
};

inline u32 mul_high(u32 a, u32 b) {
  const u32 al = a & 0xffffu;
  const u32 ah = a >> 16u;
  const u32 bl = b & 0xffffu;
  const u32 bh = b >> 16u;
  const u32 mid = ah * bl + ((al * bl) >> 16u);
  const u32 carry = al * bh + (mid & 0xffffu);
  return ah * bh + (mid >> 16u) + (carry >> 16u);
}

inline Wide add_wide(Wide a, u32 low) {
  const u32 x = a.x + low;
  return {x, a.y + (x < low ? 1u : 0u)};
}

inline Wide sub_wide(Wide a, Wide b) { return {a.x - b.x, a.y - b.y - (a.x < b.x ? 1u : 0u)}; }

inline Wide mul_wide_high(Wide a, Wide b) {
  const Wide top = {a.y * b.y, mul_high(a.y, b.y)};
  return add_wide(add_wide(top, mul_high(a.y, b.x)), mul_high(a.x, b.y));
}

inline Window two_over_pi(u32 word) {
  switch (word) {
    case 0u:
      return {0x00000000u, 0x0a2f9836u, 0xe4e44152u, 0x9fc2757du};
    case 1u:
      return {0x0a2f9836u, 0xe4e44152u, 0x9fc2757du, 0x1f534ddcu};
    case 2u:
      return {0xe4e44152u, 0x9fc2757du, 0x1f534ddcu, 0x0db62959u};
    case 3u:
      return {0x9fc2757du, 0x1f534ddcu, 0x0db62959u, 0x93c43904u};
    default:
      return {0x1f534ddcu, 0x0db62959u, 0x93c43904u, 0x1fe5163au};
  }
}

inline Wide quarter_turns(u32 magnitude) {
  const u32 offset = (magnitude >> 23u) - 116u;
  const u32 significand = (magnitude & 0x007fffffu) | 0x00800000u;
  const Window t = two_over_pi(offset >> 5u);
  const u32 left = offset & 31u;
  const u32 right = 31u - left;
  const u32 w2 = (t.x << left) | ((t.y >> 1u) >> right);
  const u32 w1 = (t.y << left) | ((t.z >> 1u) >> right);
  const u32 w0 = (t.z << left) | ((t.w >> 1u) >> right);
  const Wide product = {significand * w1, mul_high(significand, w1) + significand * w2};
  return add_wide(product, mul_high(significand, w0));
}

inline Wide cosine_of_quarter(Wide z) {
  u32 t = 0xdb7127a2u - (mul_high(z.y, 0x90631618u) >> 6u);
  t = 0xfce9c51cu - (mul_high(z.y, t) >> 6u);
  t = 0xd368f951u - (mul_high(z.y, t) >> 6u);
  t = mul_high(z.y, t);
  Wide sum = sub_wide({0x6891babbu, 0x001e1f50u}, {t << 16u, t >> 16u});
  sum = sub_wide({0xc797ff40u, 0x02aba78fu}, mul_wide_high(z, sum));
  sum = sub_wide({0x36b58767u, 0x20783e10u}, mul_wide_high(z, sum));
  sum = sub_wide({0xf22ef2d2u, 0x9de9e64du}, mul_wide_high(z, sum));
  return sub_wide({0x00000000u, 0x80000000u}, mul_wide_high(z, sum));
}

inline Wide sine_of_quarter(Wide x, Wide z) {
  u32 t = 0xf47a1a68u - (mul_high(z.y, 0xb7d6dcf9u) >> 6u);
  t = 0xf183a7efu - (mul_high(z.y, t) >> 6u);
  t = 0xa83c1a44u - (mul_high(z.y, t) >> 6u);
  t = mul_high(z.y, t);
  Wide sum = sub_wide({0x7315ec2eu, 0x00996966u}, {t << 19u, t >> 13u});
  sum = sub_wide({0xbad570e9u, 0x0a335e33u}, mul_wide_high(z, sum));
  sum = sub_wide({0x96f94afbu, 0x52aef398u}, mul_wide_high(z, sum));
  sum = sub_wide({0x2168c235u, 0xc90fdaa2u}, mul_wide_high(z, sum));
  return mul_wide_high(x, sum);
}

inline u32 round_to_half(Wide value) {
  const u32 zeros = std::min(static_cast<u32>(std::countl_zero(value.y)), 14u);
  const u32 drop = 21u - zeros;
  const u32 sticky = value.y | (value.x != 0u ? 1u : 0u);
  const u32 odd = (value.y >> drop) & 1u;
  const u32 kept = (sticky + ((1u << (drop - 1u)) - 1u) + odd) >> drop;
  return std::min(((14u - zeros) << 10u) + kept, 0x3c00u);
}

inline u32 small_sine(u32 magnitude) {
  if (magnitude >= 0x38800000u) {
    return ((magnitude + 0x0fffu) >> 13u) - 0x1c000u;
  }
  const u32 drop = std::min(126u - (magnitude >> 23u), 25u);
  const u32 significand = (magnitude & 0x007fffffu) | 0x00800000u;
  return (significand + ((1u << (drop - 1u)) - 1u)) >> drop;
}

struct Values {
  float cosine;
  float sine;
};

inline Values near_values(Wide x) {
  const u32 shift = static_cast<u32>(std::countl_zero(x.y));
  const u32 top = (x.y << shift) | ((x.x >> 1u) >> (31u - shift));
  const float scale = std::bit_cast<float>((103u - shift) << 23u);
  const float length = static_cast<float>((top >> 8u) + ((top >> 7u) & 1u)) * scale;
  const float square = length * length;
  const float c = ((0.00090674125f * square - 0.020861529f) * square + 0.2536694f) * square - 1.2337005f;
  const float s = ((-0.004602163f * square + 0.07968022f) * square - 0.6459635f) * square + 1.5707964f;
  return {1.0f + square * c, length * s};
}

inline bool is_clear(u32 bits) { return ((bits & 0x1fffu) - 0x0ff9u) > 14u; }

inline u32 nearest_half(u32 bits) { return ((bits + 0x1000u) >> 13u) - 0x1c000u; }

inline SinCosHalf halves_of_quarter(Wide x) {
  if (x.y >= 0x40000u) {
    const Values values = near_values(x);
    const u32 c = std::bit_cast<u32>(values.cosine);
    const u32 s = std::bit_cast<u32>(values.sine);
    if (is_clear(c) && is_clear(s)) return {nearest_half(c), nearest_half(s)};
  }
  const Wide z = mul_wide_high(x, x);
  return {round_to_half(cosine_of_quarter(z)), round_to_half(sine_of_quarter(x, z))};
}

}  // namespace

SinCosHalf gemma_sin_cos(u32 angle_bits) {
  const u32 magnitude = angle_bits & 0x7fffffffu;
  const u32 sign = (angle_bits >> 16u) & 0x8000u;
  if (magnitude >= 0x7f800000u) {
    return {0x7e00u, 0x7e00u};
  }
  if (magnitude < 0x3a000000u) {
    return {0x3c00u, small_sine(magnitude) | sign};
  }
  const Wide turns = quarter_turns(magnitude);
  const u32 quadrant = (turns.y + 0x20000000u) >> 30u;
  const u32 flip = (turns.y & 0x20000000u) != 0u ? 0xffffffffu : 0u;
  const u32 low = turns.x ^ flip;
  const u32 high = turns.y ^ flip;
  const Wide x = {low << 2u, (high << 2u) | (low >> 30u)};
  const SinCosHalf halves = halves_of_quarter(x);
  const u32 c = halves.cosine;
  const u32 s = halves.sine | (flip & 0x8000u);
  const bool swap = (quadrant & 1u) != 0u;
  const u32 cosine = (swap ? s : c) ^ (((quadrant + 1u) & 2u) << 14u);
  const u32 sine = (swap ? c : s) ^ ((quadrant & 2u) << 14u);
  return {cosine, sine ^ sign};
}

}  // namespace wgk::verify_trig
