// The fast rotary operators against the references of src/ops, on every instruction set.
#include <hwy/highway.h>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#if HWY_ARCH_X86
#include <xmmintrin.h>
#endif

#include "cpu/instruction_sets.h"
#include "cpu/run_fast.h"
#include "ops/rotary_oracle.h"

namespace wgk::cpu::testing {
namespace {

using namespace ops::testing;  // NOLINT(google-build-using-namespace): the vocabulary of its tests

/// Shapes whose rows need full vectors, their remainders, and both.
RotaryShape sweep_shape(std::mt19937& random) {
  RotaryShape shape = random_shape(random);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t tail = shape.head_size - shape.rotary_dim;
  shape.rotary_dim = 2 * pick(1, 70);
  shape.head_size = shape.rotary_dim + tail;
  shape.sections[0] = pick(0, shape.half());
  shape.sections[1] = pick(0, shape.half() - shape.sections[0]);
  shape.sections[2] = shape.half() - shape.sections[0] - shape.sections[1];
  shape.sequence = pick(1, 9);
  constexpr double kScales[] = {1, 1, 0.1, 0, -1, 2};
  shape.scale = kScales[pick(0, 5)];
  return shape;
}

/// Some positions outside the caches, also such whose low 32 bits are a valid row.
void spoil_positions(OwnedCall& call, std::int64_t rows, std::mt19937& random) {
  const auto found = call.tensors.find("positionIds");
  if (found == call.tensors.end()) return;
  const auto valid = found->second.as<std::int64_t>();
  std::vector<std::int64_t> ids(valid.begin(), valid.end());
  const std::int64_t bad[] = {-1, rows, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1, -(std::int64_t{1} << 32)};
  for (std::int64_t& id : ids) {
    const std::size_t draw = random() % 20;
    if (draw < std::size(bad)) id = bad[draw];
  }
  found->second = positions(found->second.shape, ids);
}

bool is_copied(const RotaryShape& shape, const OwnedCall& call, std::size_t i) {
  const ElementSource source = source_of(shape, call, i);
  const std::int64_t rows = shape.cache_per_token ? shape.batch * shape.sequence : shape.rows;
  return source.copied || source.cache >= static_cast<std::size_t>(rows * shape.half());
}

/// Any bits: numbers of all sizes, and often infinities, NaNs, subnormals and zeros.
HostTensor any_float16(const Shape& shape, std::mt19937& random) {
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(element_count(shape).value()));
  for (std::uint16_t& b : bits) {
    const auto draw = static_cast<std::uint32_t>(random());
    b = static_cast<std::uint16_t>(draw);
    if (draw >> 28 == 0) b = static_cast<std::uint16_t>(b & 0x83ff);             // zero exponent
    if (draw >> 28 == 1) b = static_cast<std::uint16_t>(b | 0x7c00);             // NaN, as a rule
    if (draw >> 28 == 2) b = static_cast<std::uint16_t>((b & 0x8000) | 0x7c00);  // infinity
  }
  return half_bits(shape, bits);
}

TEST(FastRotary, Float16HasTheBitsOfTheReference) {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    const RotaryShape shape = sweep_shape(random);
    OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float16(s, random); });
    call.options.check_values = false;
    spoil_positions(call, shape.rows, random);
    const auto want = bits16(run(shape.id(), call));
    const auto x = bits16(call.tensors.at("x"));
    std::vector<std::uint16_t> first;
    on_every_instruction_set([&] {
      const auto got = bits16(run_fast(shape.id(), call.view()).at(0).second);
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (is_copied(shape, call, i)) {
          ASSERT_EQ(got[i], x[i]) << "round " << round << ", element " << i;
        } else if (is_float16_nan(want[i])) {
          ASSERT_EQ(got[i], 0x7e00) << "round " << round << ", element " << i;
        } else {
          ASSERT_EQ(got[i], want[i]) << "round " << round << ", element " << i;
        }
      }
      if (first.empty()) first = got;
      EXPECT_EQ(got, first) << "differs between instruction sets";
    });
  }
}

#if HWY_ARCH_X86
/// While it lives, this thread reads and writes subnormal float32 numbers as zero.
class FlushSubnormals {
 public:
  FlushSubnormals() { _mm_setcsr(before_ | 0x8040); }
  ~FlushSubnormals() { _mm_setcsr(before_); }

 private:
  unsigned before_ = _mm_getcsr();
};

TEST(FastRotary, Float16DoesNotDependOnAModeThatFlushesSubnormals) {
  std::mt19937 random(17);
  for (int round = 0; round < 20; ++round) {
    RotaryShape shape = sweep_shape(random);
    OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float16(s, random); });
    on_every_instruction_set([&] {
      const auto want = run_fast(shape.id(), call.view());
      const FlushSubnormals flush;
      EXPECT_EQ(run_fast(shape.id(), call.view()), want);
    });
  }
}
#endif

HostTensor any_float32(const Shape& shape, std::mt19937& random) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(element_count(shape).value()));
  for (std::uint32_t& b : bits) {
    b = static_cast<std::uint32_t>(random());
    const std::size_t draw = random() % 8;
    if (draw == 0) b &= 0x807fffff;                   // zero exponent
    if (draw == 1) b |= 0x7f800000;                   // NaN, as a rule
    if (draw > 2) b = (b & 0x87ffffff) | 0x38000000;  // of similar size, where roundings show
  }
  return float_bits(shape, bits);
}

TEST(FastRotary, Float32IsTwoRoundedProductsAndARoundedSum) {
  std::mt19937 random(12);
  for (int round = 0; round < 150; ++round) {
    const RotaryShape shape = sweep_shape(random);
    OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float32(s, random); });
    call.options.check_values = false;
    spoil_positions(call, shape.rows, random);
    const auto x = values(call.tensors.at("x"));
    const auto cos = values(call.tensors.at("cos"));
    const auto sin = values(call.tensors.at("sin"));
    const auto scale = static_cast<float>(shape.multimodal ? shape.scale : 1);
    const auto expected = ops::testing::op(shape.id()).reference(call.view()).value();
    on_every_instruction_set([&] {
      const auto outputs = run_fast(shape.id(), call.view());
      for (const auto& mismatch : ops::testing::op(shape.id()).compare(call.view(), expected, outputs)) {
        ADD_FAILURE() << "round " << round << ": " << mismatch.message;
      }
      const auto got = bits32(outputs.at(0).second);
      for (std::size_t i = 0; i < got.size(); ++i) {
        float want = x[i];
        if (!is_copied(shape, call, i)) {
          const ElementSource from = source_of(shape, call, i);
          const float c = scale == 1 ? cos[from.cache] : cos[from.cache] * scale;
          const float s = scale == 1 ? sin[from.cache] : sin[from.cache] * scale;
          want = from.second ? x[from.x0] * s + x[from.x1] * c : x[from.x0] * c - x[from.x1] * s;
          if (std::isnan(want)) want = std::numeric_limits<float>::quiet_NaN();
        }
        ASSERT_EQ(got[i], std::bit_cast<std::uint32_t>(want)) << "round " << round << ", element " << i;
      }
    });
  }
}

TEST(FastRotary, RowsLongerThanABlock) {
  std::mt19937 random(13);
  for (const bool interleaved : {false, true}) {
    for (const bool striped : {false, true}) {
      RotaryShape shape;
      shape.multimodal = true;
      shape.rank3 = striped;
      shape.interleaved = interleaved;
      shape.striped = striped;
      shape.sequence = 3;
      shape.heads = 2;
      shape.rotary_dim = 10006;  // blocks of 2048 pairs, which three streams do not divide
      shape.head_size = 10009;
      shape.sections = {2001, 1500, 1502};
      OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float16(s, random); });
      call.options.check_values = false;
      call.tensors.at("positionIds") = positions({3, 1, 3}, {0, 9, 2, 1, 1, 9, 3, -1, 9});
      const auto want = bits16(run(shape.id(), call));
      const auto got = bits16(run_fast(shape.id(), call.view()).at(0).second);
      for (std::size_t i = 0; i < want.size(); ++i) {
        if (is_float16_nan(want[i]) && is_float16_nan(got[i]) && !is_copied(shape, call, i)) continue;
        ASSERT_EQ(got[i], want[i]) << i;
      }
    }
  }
}

TEST(FastRotary, PositionsInTheirUint32Form) {
  std::mt19937 random(14);
  OwnedCall call = standard_call();
  call.options.check_values = false;
  call.tensors.at("x") = any_float32({1, 3, 8}, random);
  call.tensors.at("cos") = any_float32({8, 2}, random);
  call.tensors.at("sin") = any_float32({8, 2}, random);
  call.tensors.at("positionIds") = positions({1, 3}, {7, -1, 3});
  const auto want = run_fast(kStandardId, call.view());
  const std::vector<std::uint32_t> narrow = {7, 0xffffffff, 3};
  call.tensors.at("positionIds") = HostTensor::from({1, 3}, narrow);
  EXPECT_EQ(run_fast(kStandardId, call.view()), want);
}

/// The bytes of a tensor as words, for bfloat16.
HostTensor words(std::int64_t elements, std::mt19937& random) {
  std::vector<std::uint32_t> data(static_cast<std::size_t>(elements / 2 + elements % 2));
  for (std::uint32_t& word : data) word = static_cast<std::uint32_t>(random());
  const auto count = static_cast<std::int64_t>(data.size());
  return HostTensor::from({count}, data);
}

void expect_same_bfloat16(const HostTensor& got, const HostTensor& want) {
  for (std::size_t i = 0; i < want.data.size() / 2; ++i) {
    std::uint16_t a = 0;
    std::uint16_t b = 0;
    std::memcpy(&a, got.data.data() + 2 * i, 2);
    std::memcpy(&b, want.data.data() + 2 * i, 2);
    const bool both_nan = (a & 0x7fff) > 0x7f80 && (b & 0x7fff) > 0x7f80;
    if (both_nan) continue;
    ASSERT_EQ(a, b) << i;
  }
}

TEST(FastRotary, ExtendedTypesKeepTheirContract) {
  std::mt19937 random(15);
  for (int round = 0; round < 60; ++round) {
    RotaryShape shape = sweep_shape(random);
    for (const bool words_of_bfloat16 : {false, true}) {
      for (const bool wide_cache : {false, true}) {
        OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float16(s, random); });
        const auto as_list = [](const Shape& s) { return AttributeValue::List(s.begin(), s.end()); };
        if (words_of_bfloat16) {
          call.tensors.at("x") = words(element_count(shape.x_shape()).value(), random);
          call.options.attributes.emplace("x_shape", as_list(shape.x_shape()));
        }
        for (const char* cache : {"cos", "sin"}) {
          if (wide_cache) {
            call.tensors.at(cache) = any_float32(shape.cache_shape(), random);
          } else if (words_of_bfloat16) {
            call.tensors.at(cache) = words(element_count(shape.cache_shape()).value(), random);
          }
        }
        if (words_of_bfloat16 && !wide_cache) {
          call.options.attributes.emplace("cache_shape", as_list(shape.cache_shape()));
        }
        call.options.check_values = false;
        spoil_positions(call, shape.rows, random);
        for (const std::string_view form : {"Ext", "InPlace"}) {
          const std::string id =
              std::string(shape.multimodal ? "wgk.MRotaryEmbedding" : "wgk.RotaryEmbedding") + std::string(form);
          const auto expected = ops::testing::op(id).reference(call.view()).value();
          const auto& want = expected.at(0).second.data;
          on_every_instruction_set([&] {
            const auto outputs = run_fast(id, call.view());
            EXPECT_EQ(outputs.at(0).first, form == "Ext" ? "y" : "x");
            for (const auto& mismatch : ops::testing::op(id).compare(call.view(), expected, outputs)) {
              ADD_FAILURE() << id << ", round " << round << ": " << mismatch.message;
            }
            if (words_of_bfloat16 && !wide_cache) expect_same_bfloat16(outputs.at(0).second, expected.at(0).second);
            // The half word that pads an odd count is a copy.
            const auto& got = outputs.at(0).second.data;
            ASSERT_EQ(got.size(), want.size());
            if (words_of_bfloat16 && element_count(shape.x_shape()).value() % 2 != 0) {
              EXPECT_TRUE(std::equal(got.end() - 2, got.end(), want.end() - 2));
            }
          });
        }
      }
    }
  }
}

TEST(FastRotary, AnyNumberOfThreadsGivesTheSameBits) {
  std::mt19937 random(16);
  for (const bool rank3 : {false, true}) {
    for (const std::int64_t sequence : {3, 200}) {  // few tokens: heads are split as well
      RotaryShape shape;
      shape.multimodal = true;
      shape.rank3 = rank3;
      shape.batch = 2;
      shape.sequence = sequence;
      shape.heads = sequence == 3 ? 1200 : 17;
      shape.head_size = shape.rotary_dim = 128;
      shape.sections = {24, 20, 20};
      shape.rows = 300;
      OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float16(s, random); });
      const auto want = run_fast(shape.id(), call.view());
      for (const unsigned count : {2U, 3U, 7U}) {
        ThreadPool threads(count);
        EXPECT_EQ(run_fast(shape.id(), call.view(), threads), want) << count;
        EXPECT_EQ(threads.started(), count - 1);
      }
    }
  }
}

TEST(FastRotary, OutputsBeyondTheCachesAreTheSame) {
  // 25 MiB in heads of 100 elements, of which 90 rotate: rows, and units, begin at any alignment.
  std::mt19937 random(19);
  for (const bool rank3 : {false, true}) {
    for (const bool interleaved : {false, true}) {
      RotaryShape shape;
      shape.multimodal = true;
      shape.rank3 = rank3;
      shape.interleaved = interleaved;
      shape.sequence = 1311;
      shape.heads = 100;
      shape.head_size = 100;
      shape.rotary_dim = 90;
      shape.rows = 50;
      shape.sections = {20, 15, 10};
      OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float16(s, random); });
      call.options.check_values = false;
      spoil_positions(call, shape.rows, random);
      const auto want = bits16(run(shape.id(), call));
      on_every_instruction_set([&] {
        ThreadPool threads(3);
        const auto got = bits16(run_fast(shape.id(), call.view(), threads).at(0).second);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
          const bool both_nan = is_float16_nan(want[i]) && is_float16_nan(got[i]);
          wrong += got[i] != want[i] && !(both_nan && !is_copied(shape, call, i)) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0u);
      });
    }
  }
}

TEST(FastRotary, CallersOnSeveralThreadsShareThePool) {
  std::mt19937 random(18);
  RotaryShape shape;
  shape.sequence = 64;
  shape.heads = 64;
  shape.head_size = shape.rotary_dim = 128;
  shape.rows = 64;
  const OwnedCall call = make_call(shape, random, [&](const Shape& s) { return any_float16(s, random); });
  const auto want = run_fast(shape.id(), call.view());
  ThreadPool threads(3);
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 5; ++k) EXPECT_EQ(run_fast(shape.id(), call.view(), threads), want);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(FastRotary, ZerosInAnyDimension) {
  for (const bool multimodal : {false, true}) {
    for (int zero = 0; zero < 4; ++zero) {
      Shape x = {2, 3, 4, 8};
      x[static_cast<std::size_t>(zero)] = 0;
      const std::int64_t half = x[3] / 2;
      OwnedCall call;
      const Shape ids = multimodal ? Shape{3, x[0], x[2]} : Shape{x[0], x[2]};
      call.tensors = {{"x", zeros(DType::kFloat16, x)},
                      {"cos", zeros(DType::kFloat16, {5, half})},
                      {"sin", zeros(DType::kFloat16, {5, half})},
                      {"positionIds", zeros(DType::kInt64, ids)}};
      if (multimodal) call.options.attributes = {{"mrope_section", sections(half, 0, 0)}};
      const auto outputs = run_fast(multimodal ? kMultimodalId : kStandardId, call.view());
      EXPECT_EQ(outputs.at(0).second, (HostTensor{DType::kFloat16, x, {}}));
    }
  }
}

}  // namespace
}  // namespace wgk::cpu::testing
