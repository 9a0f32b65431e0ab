// GemmaRotaryEmbedding: output1 = q * cos(emb) + q_rot * sin(emb) and the same of k, every step rounded to float16.
#include "ops/gemma.h"

#include <array>
#include <span>

#include "base/try.h"
#include "ops/call_reader.h"
#include "ops/mismatch.h"
#include "ops/trig16.h"

namespace wgk::ops {
namespace {

constexpr std::array<std::string_view, 5> kInputs = {"embT", "qT", "qRotT", "kT", "kRotT"};
constexpr std::array<std::string_view, 2> kOutputs = {"output1T", "output2T"};
constexpr Signature kSignature = {
    "com.microsoft.GemmaRotaryEmbedding", "GemmaRotaryEmbedding", kInputs, {}, kOutputs, {}, {}};

Status check_dtypes(const CallReader& read) {
  WGK_CHECK(read.check_dtype("embT", DType::kFloat32, ""));
  WGK_CHECK(read.check_dtype("qT", DType::kFloat16, ""));
  for (const std::string_view key : {"qRotT", "kT", "kRotT"}) WGK_CHECK(read.check_dtype(key, DType::kFloat16, "qT"));
  return {};
}

Status check_shapes(const CallReader& read) {
  const Shape& q = read.input("qT")->shape;
  const Shape& emb = read.input("embT")->shape;
  if (q.size() != 4) return read.fail("qT", "rank {} must be 4", q.size());
  if (emb.size() != 3) return read.fail("embT", "rank {} must be 3", emb.size());
  for (const std::string_view key : {"qRotT", "kT", "kRotT"}) {
    const Shape& shape = read.input(key)->shape;
    if (shape != q) return read.fail(key, "shape {} must be qT shape = {}", to_string(shape), to_string(q));
  }
  struct Axis {
    std::size_t of_emb, of_q;
    std::string_view name;
  };
  for (const Axis& axis : {Axis{0, 0, "batch"}, Axis{1, 2, "sequence length"}, Axis{2, 3, "head size"}}) {
    if (emb[axis.of_emb] == q[axis.of_q]) continue;
    return read.fail("embT", "dimension {} is {}, must be {} = {}", axis.of_emb, emb[axis.of_emb], axis.name,
                     q[axis.of_q]);
  }
  return {};
}

/// cos and sin of the angles of one token, as float for the products.
struct TokenFactors {
  std::vector<float> cos;
  std::vector<float> sin;

  void read(std::span<const float> angles) {
    cos.resize(angles.size());
    sin.resize(angles.size());
    for (std::size_t d = 0; d < angles.size(); ++d) {
      cos[d] = float16_to_float(cos_float16(angles[d]));
      sin[d] = float16_to_float(sin_float16(angles[d]));
    }
  }
};

/// The product is exact in float, so this is one rounding.
float float16_product(Float16 a, float b) { return float16_to_float(float_to_float16(float16_to_float(a) * b)); }

void rotate_row(const TokenFactors& factors, const Float16* value, const Float16* rotated, Float16* out) {
  constexpr Float16 kQuietNan{0x7e00};
  for (std::size_t d = 0; d < factors.cos.size(); ++d) {
    // Adding two float16 numbers in float and rounding again gives the correctly rounded sum.
    const Float16 sum =
        float_to_float16(float16_product(value[d], factors.cos[d]) + float16_product(rotated[d], factors.sin[d]));
    out[d] = is_nan(sum) ? kQuietNan : sum;  // hosts differ in the NaN that they make
  }
}

}  // namespace

Status gemma_check(const OpCall& call, const DeviceProfile* profile) {
  const CallReader read(kSignature, call);
  WGK_CHECK(read.check_names());
  WGK_CHECK(check_dtypes(read));
  if (profile != nullptr && !profile->has_feature("shader-f16") && !call.extensions.float16_without_feature) {
    return read.fail("qT", "float16 needs the device feature shader-f16");
  }
  WGK_CHECK(check_shapes(read));
  const HostTensor& q = *read.input("qT");
  WGK_CHECK(read.check_given_outputs("qT", q));
  return read.check_sizes(q, profile);
}

Result<OpOutputs> gemma_reference(const OpCall& call) {
  OpCall host_call = call;
  host_call.host_data = true;
  WGK_CHECK(gemma_check(host_call, nullptr));
  const CallReader read(kSignature, host_call);
  const HostTensor& q = *read.input("qT");
  OpOutputs outputs;
  for (const std::string_view key : kOutputs) {
    outputs.emplace_back(key, HostTensor{q.dtype, q.shape, std::vector<std::byte>(q.data.size())});
  }
  if (q.data.empty()) return outputs;

  const auto half_floats = [&](std::string_view key) { return read.input(key)->as<Float16>().data(); };
  const Float16* q_in = half_floats("qT");
  const Float16* q_rot = half_floats("qRotT");
  const Float16* k_in = half_floats("kT");
  const Float16* k_rot = half_floats("kRotT");
  Float16* output1 = reinterpret_cast<Float16*>(outputs[0].second.data.data());
  Float16* output2 = reinterpret_cast<Float16*>(outputs[1].second.data.data());
  const auto emb = read.input("embT")->as<float>();

  const auto batch = static_cast<std::size_t>(q.shape[0]);
  const auto heads = static_cast<std::size_t>(q.shape[1]);
  const auto sequence = static_cast<std::size_t>(q.shape[2]);
  const auto size = static_cast<std::size_t>(q.shape[3]);
  TokenFactors factors;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t s = 0; s < sequence; ++s) {
      factors.read(emb.subspan((b * sequence + s) * size, size));
      for (std::size_t n = 0; n < heads; ++n) {
        const std::size_t row = ((b * heads + n) * sequence + s) * size;
        rotate_row(factors, q_in + row, q_rot + row, output1 + row);
        rotate_row(factors, k_in + row, k_rot + row, output2 + row);
      }
    }
  }
  return outputs;
}

std::vector<Mismatch> gemma_compare(const OpCall& call, const OpOutputs& expected, const OpOutputs& got) {
  Mismatches mismatches;
  OpCall host_call = call;
  host_call.host_data = true;
  if (const Status valid = gemma_check(host_call, nullptr); !valid.ok()) {
    mismatches.add(valid.error().message);
    return mismatches.take();
  }
  const HostTensor& q = *call.inputs.find("qT")->second;
  for (const std::string_view key : kOutputs) {
    const HostTensor* want_tensor = find_comparable(key, q, expected, mismatches);
    const HostTensor* got_tensor = find_comparable(key, q, got, mismatches);
    if (want_tensor == nullptr || got_tensor == nullptr) continue;
    const auto want = want_tensor->as<Float16>();
    const auto have = got_tensor->as<Float16>();
    for (std::size_t i = 0; i < want.size() && !mismatches.full(); ++i) {
      if (want[i] == have[i] || (is_nan(want[i]) && is_nan(have[i]))) continue;
      mismatches.add_element(key, q.shape, i, show(have[i]), show(want[i]));
    }
  }
  return mismatches.take();
}

}  // namespace wgk::ops
