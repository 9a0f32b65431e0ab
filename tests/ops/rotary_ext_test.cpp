// The wgk.* operators: bfloat16, float32 caches for 16-bit tensors, packed batching, and rotating in place.
#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "ops/bfloat16.h"
#include "ops/rotary_oracle.h"

namespace wgk::ops::testing {
namespace {

constexpr std::string_view kExt = "wgk.RotaryEmbeddingExt";
constexpr std::string_view kInPlace = "wgk.RotaryEmbeddingInPlace";
constexpr std::string_view kMultimodalExt = "wgk.MRotaryEmbeddingExt";
constexpr std::string_view kMultimodalInPlace = "wgk.MRotaryEmbeddingInPlace";

HostTensor words_of(const std::vector<std::uint16_t>& elements) {
  std::vector<std::uint32_t> words((elements.size() + 1) / 2);
  for (std::size_t i = 0; i < elements.size(); ++i) words[i / 2] |= std::uint32_t{elements[i]} << (16 * (i % 2));
  return HostTensor::from({static_cast<std::int64_t>(words.size())}, words);
}

std::uint16_t element(const HostTensor& tensor, std::size_t index) {
  return static_cast<std::uint16_t>(tensor.as<std::uint32_t>()[index / 2] >> (16 * (index % 2)));
}

AttributeValue list(const Shape& shape) {
  AttributeValue::List values;
  for (const std::int64_t dimension : shape) values.emplace_back(dimension);
  return values;
}

/// x [1,1,8] of bfloat16 with two heads, caches of bfloat16, eight rows.
OwnedCall bfloat16_call() {
  OwnedCall call;
  call.tensors = {{"x", zeros(DType::kUint32, {4})},
                  {"cos", zeros(DType::kUint32, {8})},
                  {"sin", zeros(DType::kUint32, {8})},
                  {"positionIds", positions({1, 1}, {0})}};
  call.options.attributes = {{"num_heads", 2}, {"x_shape", list({1, 1, 8})}, {"cache_shape", list({8, 2})}};
  return call;
}

void set_caches(OwnedCall& call, const HostTensor& tensor) {
  call.tensors.insert_or_assign("cos", tensor);
  call.tensors.insert_or_assign("sin", tensor);
}

TEST(Bfloat16, RoundsToNearestTiesToEven) {
  struct Row {
    std::uint32_t bits;
    std::uint16_t rounded;
  };
  constexpr Row kRows[] = {
      {0x3f808000, 0x3f80},                                              // 1 + 2^-8, a tie
      {0x3f818000, 0x3f82},                                              // 1 + 3 * 2^-8, a tie
      {0x3f808001, 0x3f81}, {0x3f807fff, 0x3f80}, {0x7f7fffff, 0x7f80},  // the largest float32
      {0x7f7f7fff, 0x7f7f}, {0xbdcccccd, 0xbdcd},                        // -0.1
      {0x80000000, 0x8000}, {0x00008000, 0x0000}, {0x00018000, 0x0002},
      {0xff800000, 0xff80}, {0x7f800001, 0x7fc0},  // NaN stays NaN, whatever its payload
      {0xffffffff, 0xffff}, {0x7fbfffff, 0x7fff},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(row.bits)).bits, row.rounded) << std::hex << row.bits;
  }
  EXPECT_EQ(bfloat16_to_float(Bfloat16{0xc049}), -3.140625f);
}

TEST(RotaryExt, TypesOfTheCaches) {
  struct Row {
    DType x, cos, sin;
    const char* complaint;
  };
  constexpr DType kF32 = DType::kFloat32;
  constexpr DType kF16 = DType::kFloat16;
  constexpr DType kWords = DType::kUint32;
  const Row rows[] = {
      {kF32, kF32, kF32, ""},
      {kF16, kF16, kF16, ""},
      {kF16, kF32, kF32, ""},
      {kWords, kWords, kWords, ""},
      {kWords, kF32, kF32, ""},
      {kF16, kF32, kF16, "sin: dtype float16 must be float32 as cos"},
      {kF16, kF16, kF32, "sin: dtype float32 must be float16 as cos"},
      {kF32, kF16, kF16, "cos: dtype float16 must be float32 as x"},
      {kF32, kWords, kWords, "cos: dtype uint32 must be float32 as x"},
      {kF16, kWords, kWords, "cos: dtype uint32 must be float16 as x, or float32"},
      {kWords, kF16, kF16, "cos: dtype float16 must be uint32 as x, or float32"},
      {DType::kInt32, kF32, kF32, "x: dtype int32 must be float32, float16 or uint32 (words of bfloat16)"},
  };
  for (const std::string_view id : {kExt, kInPlace}) {
    for (const Row& row : rows) {
      OwnedCall call = bfloat16_call();
      const auto cache = [](DType dtype) { return zeros(dtype, dtype == kWords ? Shape{8} : Shape{8, 2}); };
      if (row.x != kWords) {
        call.tensors.insert_or_assign("x", zeros(row.x, {1, 1, 8}));
        call.options.attributes.erase("x_shape");
      }
      call.tensors.insert_or_assign("cos", cache(row.cos));
      call.tensors.insert_or_assign("sin", cache(row.sin));
      if (row.cos != kWords) call.options.attributes.erase("cache_shape");
      EXPECT_EQ(complaint(id, call), row.complaint);
    }
  }
}

TEST(RotaryExt, ShapesOfWords) {
  struct Row {
    const char* complaint;
    std::function<void(OwnedCall&)> change;
  };
  const auto attribute = [](const char* name, AttributeValue value) {
    return [=](OwnedCall& call) { call.options.attributes.insert_or_assign(name, value); };
  };
  const auto without = [](const char* name) { return [=](OwnedCall& call) { call.options.attributes.erase(name); }; };
  const auto x = [](Shape shape) {
    return [=](OwnedCall& call) { call.tensors.insert_or_assign("x", zeros(DType::kUint32, shape)); };
  };
  const Row rows[] = {
      {"", [](OwnedCall&) {}},
      {"x_shape: missing, must be the shape of the bfloat16 x", without("x_shape")},
      {"cache_shape: missing, must be the shape of the bfloat16 cos", without("cache_shape")},
      {"x_shape: 8 must be a list of integers", attribute("x_shape", 8)},
      {"x_shape: dimension 1 is 0.5, must be an integer >= 0",
       attribute("x_shape", AttributeValue::List{AttributeValue(1), AttributeValue(0.5), AttributeValue(8)})},
      {"x_shape: dimension 0 is -1, must be an integer >= 0", attribute("x_shape", list({-1, 1, 8}))},
      {"x: shape [5] must be [4], the words of 8 bfloat16 elements", x({5})},
      {"x: shape [1,4] must be [4], the words of 8 bfloat16 elements", x({1, 4})},
      {"x: rank 2 must be 3 or 4", attribute("x_shape", list({1, 8}))},
      {"x_shape: 4294967296 elements must be < 4294967296", attribute("x_shape", list({65536, 65536, 1}))},
      {"x_shape: shape [4294967296,4294967296,4294967296] must have < 4294967296 elements",
       attribute("x_shape", list({4294967296, 4294967296, 4294967296}))},
      {"cos: width 1 must be rotary_dim / 2 = 2", attribute("cache_shape", list({16, 1}))},
      {"cos: shape [8] must be [7], the words of 14 bfloat16 elements", attribute("cache_shape", list({7, 2}))},
      {"sin: shape [9] must be cos shape = [8]",
       [](OwnedCall& call) { call.tensors.insert_or_assign("sin", zeros(DType::kUint32, {9})); }},
      {"cache_shape: must not be given, float32 cos has its own shape",
       [](OwnedCall& call) {
         set_caches(call, zeros(DType::kFloat32, {8, 2}));
       }},
      {"is_packed_batching: is not an attribute of RotaryEmbeddingExt", attribute("is_packed_batching", 0)},
  };
  for (const Row& row : rows) {
    OwnedCall call = bfloat16_call();
    row.change(call);
    EXPECT_EQ(complaint(kExt, call), row.complaint);
  }
}

TEST(RotaryExt, PublishedOperatorsKeepTheirContract) {
  EXPECT_EQ(complaint(kStandardId, bfloat16_call()), "cache_shape: is not an attribute of RotaryEmbedding");
  OwnedCall call = bfloat16_call();
  call.options.attributes = {{"num_heads", 2}};
  EXPECT_EQ(complaint(kStandardId, call), "x: dtype uint32 must be float32 or float16");
}

TEST(RotaryExt, Float16NeedsNoFeature) {
  OwnedCall call = standard_call();
  call.tensors.at("x") = zeros(DType::kFloat16, {1, 3, 8});
  const DeviceProfile profile;
  EXPECT_EQ(complaint(kExt, call, &profile), "");
  EXPECT_EQ(complaint(kInPlace, call, &profile), "");
}

TEST(RotaryExt, PackedBatchingChangesNothing) {
  // S 5, three rows, positions that restart.
  OwnedCall call;
  call.tensors = {{"x", floats({1, 5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})},
                  {"positionIds", positions({3, 1, 5}, {0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1})},
                  {"cos", floats({3, 1}, {1, 0, -1})},
                  {"sin", floats({3, 1}, {0, 1, 0})}};
  call.options.attributes = {{"num_heads", 1}, {"mrope_section", sections(1, 0, 0)}};
  const std::vector<float> rotated = {1, 2, -4, 3, -5, -6, 7, 8, -10, 9};
  for (const std::string_view id : {kMultimodalExt, kMultimodalInPlace}) {
    const std::string_view output = id == kMultimodalExt ? "y" : "x";
    for (const int packed : {0, 1}) {
      call.options.attributes.insert_or_assign("is_packed_batching", packed);
      EXPECT_EQ(complaint(id, call), "");
      EXPECT_EQ(values(run(id, call, output)), rotated);
    }
    call.options.attributes.insert_or_assign("is_packed_batching", 2);
    EXPECT_EQ(complaint(id, call), "is_packed_batching: 2 must be 0 or 1");
  }
}

TEST(RotaryInPlace, TheInputIsTheOutput) {
  OwnedCall call = standard_call();
  const ByteRange whole = {&call, 0, 96};
  call.options.ranges = {{"x", whole}, {"cos", {&call, 256, 64}}, {"sin", {&call, 512, 64}}};
  call.options.outputs = {{"x", {DType::kFloat32, {1, 3, 8}}}};
  EXPECT_EQ(complaint(kInPlace, call), "");
  call.options.ranges.at("cos").offset = 92;
  EXPECT_EQ(complaint(kInPlace, call), "x: overlaps cos at bytes [92, 96)");
  call.options.ranges.clear();
  call.options.outputs = {{"y", {DType::kFloat32, {1, 3, 8}}}};
  EXPECT_EQ(complaint(kInPlace, call), "y: is not an output of RotaryEmbeddingInPlace");
}

/// A call of random shape whose elements are finite 16-bit patterns of the type, or float32 numbers.
struct RandomCalls {
  std::mt19937 random{11};

  /// Elements of magnitude below 8.
  std::uint16_t bfloat16_bits() {
    std::uniform_real_distribution<float> number(-8, 8);
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number(random)) >> 16);
  }

  HostTensor tensor(DType dtype, const Shape& shape) {
    const auto count = static_cast<std::size_t>(element_count(shape).value());
    if (dtype == DType::kUint32) {
      std::vector<std::uint16_t> bits(count);
      for (auto& value : bits) value = bfloat16_bits();
      return words_of(bits);
    }
    std::uniform_real_distribution<float> number(-8, 8);
    std::vector<float> data(count);
    for (float& value : data) value = number(random);
    if (dtype == DType::kFloat32) return floats(shape, data);
    std::vector<Float16> halves;
    for (const float value : data) halves.push_back(float_to_float16(value));
    return HostTensor::from(shape, halves);
  }

  OwnedCall call(const RotaryShape& shape, DType x, DType cache) {
    OwnedCall made = make_call(shape, random, [&](const Shape& s) { return zeros(DType::kFloat32, s); });
    made.tensors.insert_or_assign("x", tensor(x, shape.x_shape()));
    made.tensors.insert_or_assign("cos", tensor(cache, shape.cache_shape()));
    made.tensors.insert_or_assign("sin", tensor(cache, shape.cache_shape()));
    if (x == DType::kUint32) made.options.attributes.emplace("x_shape", list(shape.x_shape()));
    if (cache == DType::kUint32) made.options.attributes.emplace("cache_shape", list(shape.cache_shape()));
    return made;
  }
};

/// Nearest multiple of the spacing of a format with that many digits, ties to even.
double rounded(double value, int digits) {
  if (value == 0) return 0;
  const double spacing = std::ldexp(1.0, std::ilogb(value) - (digits - 1));
  return std::nearbyint(value / spacing) * spacing;
}

TEST(RotaryExt, Bfloat16IsRoundedOnceFromTheFloat32Sum) {
  RandomCalls calls;
  for (int round = 0; round < 200; ++round) {
    const RotaryShape shape = random_shape(calls.random);
    const bool narrow = round % 2 == 0;
    const OwnedCall call = calls.call(shape, DType::kUint32, narrow ? DType::kUint32 : DType::kFloat32);
    const std::string_view id = shape.multimodal ? kMultimodalExt : kExt;
    ASSERT_EQ(complaint(id, call), "");
    const HostTensor& x = call.tensors.at("x");
    const HostTensor y = run(id, call);
    const auto number = [](std::uint16_t bits) {
      return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
    };
    const auto factor = [&](const char* key, std::size_t index) {
      const HostTensor& cache = call.tensors.at(key);
      return narrow ? number(element(cache, index)) : static_cast<double>(values(cache)[index]);
    };
    const auto count = static_cast<std::size_t>(element_count(shape.x_shape()).value());
    for (std::size_t i = 0; i < count; ++i) {
      const ElementSource from = source_of(shape, call, i);
      if (from.copied) {
        ASSERT_EQ(element(y, i), element(x, i));
        continue;
      }
      const double c = factor("cos", from.cache);
      const double s = factor("sin", from.cache);
      const double x0 = number(element(x, from.x0));
      const double x1 = number(element(x, from.x1));
      const double exact = from.second ? x0 * s + x1 * c : x0 * c - x1 * s;
      ASSERT_EQ(number(element(y, i)), rounded(rounded(exact, 24), 8)) << i;
    }
  }
}

TEST(RotaryExt, Float16WithAFloat32CacheIsRoundedOnceFromTheFloat32Sum) {
  OwnedCall call;
  call.tensors = {{"x", half_bits({1, 1, 1, 2}, {0x3c00, 0x0000})},
                  {"cos", floats({1, 1, 1}, {1 + 0x1p-11f + 0x1p-23f})},
                  {"sin", floats({1, 1, 1}, {1 + 0x1p-11f})}};
  EXPECT_EQ(bits16(run(kExt, call)), (std::vector<std::uint16_t>{0x3c01, 0x3c00}));
}

TEST(RotaryExt, ScaledFactorsAreRoundedToTheTypeOfTheCache) {
  OwnedCall call;
  call.tensors = {{"x", words_of({0x3f80, 0x0000})},
                  {"positionIds", positions({3, 1, 1}, {0, 0, 0})},
                  {"cos", words_of({0x3f81})},
                  {"sin", words_of({0x3f80})}};
  call.options.attributes = {{"x_shape", list({1, 1, 1, 2})},
                             {"cache_shape", list({1, 1})},
                             {"mrope_section", sections(1, 0, 0)},
                             {"scale", 1 + 0x1p-7}};
  // (1 + 2^-7)^2 = 1 + 2^-6 + 2^-14, which bfloat16 rounds to 1 + 2^-6.
  EXPECT_EQ(element(run(kMultimodalExt, call), 0), 0x3f82);
  call.tensors.insert_or_assign("x", words_of({0x4380, 0x4380}));  // 256: the lost 2^-14 would show in x0*c - x1*s
  call.tensors.insert_or_assign("sin", words_of({0x3f81}));
  EXPECT_EQ(element(run(kMultimodalExt, call), 0), 0x0000);
  set_caches(call, floats({1, 1}, {1 + 0x1p-7f}));
  call.options.attributes.erase("cache_shape");
  call.tensors.insert_or_assign("x", words_of({0x4700, 0xc700}));
  // A float32 factor keeps its digits: 2 * 32768 * (1 + 2^-6 + 2^-14) = 66564, in bfloat16 66560.
  EXPECT_EQ(element(run(kMultimodalExt, call), 0), 0x4782);
}

TEST(RotaryInPlace, GivesTheBitsOfTheOperatorThatCopies) {
  RandomCalls calls;
  constexpr std::pair<DType, DType> kTypes[] = {{DType::kFloat32, DType::kFloat32},
                                                {DType::kFloat16, DType::kFloat16},
                                                {DType::kFloat16, DType::kFloat32},
                                                {DType::kUint32, DType::kUint32},
                                                {DType::kUint32, DType::kFloat32}};
  for (int round = 0; round < 100; ++round) {
    const auto [x, cache] = kTypes[round % 5];
    const RotaryShape shape = random_shape(calls.random);
    const OwnedCall call = calls.call(shape, x, cache);
    const HostTensor copied = run(shape.multimodal ? kMultimodalExt : kExt, call);
    EXPECT_EQ(run(shape.multimodal ? kMultimodalInPlace : kInPlace, call, "x"), copied);
    if (round % 5 < 2) {
      EXPECT_EQ(run(shape.id(), call), copied);
    }
  }
}

/// Whether a result with `bits` in element `index` passes.
bool accepts(std::string_view id, const OwnedCall& call, std::size_t index, std::uint16_t bits) {
  const OpOutputs want = op(id).reference(call.view()).value();
  OpOutputs got = want;
  std::memcpy(got[0].second.data.data() + 2 * index, &bits, 2);
  return op(id).compare(call.view(), want, got).empty();
}

TEST(RotaryExtCompare, AFloat32CacheLeavesRoomOnlyNextToATie) {
  OwnedCall call;
  const auto with = [&](std::uint16_t x, float c) {
    call.tensors = {
        {"x", half_bits({1, 1, 1, 2}, {x, 0})}, {"cos", floats({1, 1, 1}, {c})}, {"sin", floats({1, 1, 1}, {0})}};
  };
  struct Row {
    std::uint16_t x;
    float c;
    std::uint16_t got;
    bool good;
  };
  const Row rows[] = {
      {0x3c00, 1 + 0x1p-11f, 0x3c00, true},  {0x3c00, 1 + 0x1p-11f, 0x3c01, true},
      {0x3c00, 1 + 0x1p-11f, 0x3c02, false}, {0x3c00, 1 + 0x1p-11f, 0x3bff, false},
      {0x3c00, 1 + 0x1p-12f, 0x3c01, false}, {0x3c00, 1 + 0x1p-12f, 0x3c00, true},
      {0x7bff, 1.0001f, 0x7bff, true},       {0x7bff, 1.0001f, 0x7c00, false},
      {0x7bff, 1.001f, 0x7c00, true},        {0x7bff, 1.001f, 0x7bff, false},
      {0x7bff, 1.001f, 0xfc00, false},       {0x0001, 0.5f, 0x0001, true},
      {0x0001, 0.5f, 0x0000, true},          {0x0001, 0.5f, 0x0002, false},
      {0x7c00, 1.0f, 0x7c00, true},          {0x7c00, 1.0f, 0x7bff, false},
  };
  for (const Row& row : rows) {
    with(row.x, row.c);
    EXPECT_EQ(accepts(kExt, call, 0, row.got), row.good) << std::hex << row.x << " " << row.c << " " << row.got;
  }
}

TEST(RotaryExtCompare, Bfloat16BitsAgreeUnlessFloat32WasLeft) {
  struct Row {
    std::uint16_t x, c, got;
    bool good;
  };
  constexpr Row kRows[] = {
      {0x3f80, 0x3f81, 0x3f81, true},  {0x3f80, 0x3f81, 0x3f82, false}, {0x3f80, 0x0000, 0x8000, true},
      {0x0080, 0x3f80, 0x0080, true},  {0x0080, 0x3f80, 0x0081, false},  // the smallest normal number
      {0x0080, 0x3f00, 0x0040, true},  {0x0080, 0x3f00, 0x0000, true},   // a subnormal product may be flushed
      {0x0080, 0x3f00, 0x3f80, false}, {0x7f00, 0x4080, 0x7f80, true},  {0x7f00, 0x4080, 0x3f80, false},
      {0x7fc0, 0x3f80, 0xffff, true},  {0x7fc0, 0x3f80, 0x7f80, false},
  };
  for (const Row& row : kRows) {
    OwnedCall call;
    call.tensors = {{"x", words_of({row.x, 0})}, {"cos", words_of({row.c})}, {"sin", words_of({0})}};
    call.options.attributes = {{"x_shape", list({1, 1, 1, 2})}, {"cache_shape", list({1, 1, 1})}};
    EXPECT_EQ(accepts(kExt, call, 0, row.got), row.good) << std::hex << row.x << " " << row.c << " " << row.got;
  }
}

TEST(RotaryExtCompare, CopiesAndPlacesAreThoseOfElements) {
  OwnedCall call;
  call.tensors = {{"x", words_of({0x3f80, 0x3f80, 0x7f92, 0x3f80, 0x3f80, 0xff81})},
                  {"positionIds", positions({3, 1, 1}, {0, 0, 0})},
                  {"cos", words_of({0x3f80})},
                  {"sin", words_of({0x0000})}};
  call.options.attributes = {{"x_shape", list({1, 2, 1, 3})},
                             {"cache_shape", list({1, 1})},
                             {"num_heads", 2},
                             {"rotary_embedding_dim", 2},
                             {"mrope_section", sections(1, 0, 0)}};
  EXPECT_TRUE(accepts(kMultimodalInPlace, call, 5, 0xff81));
  EXPECT_FALSE(accepts(kMultimodalInPlace, call, 5, 0xffc1));
  const OpOutputs want = op(kMultimodalInPlace).reference(call.view()).value();
  OpOutputs got = want;
  got[0].second.data[10] = std::byte{0};
  const auto mismatches = op(kMultimodalInPlace).compare(call.view(), want, got);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].message, "x[0,1,0,2]: got 0xff00 (-1.7014118e+38), want 0xff81 (-nan), the bits of x");
}

TEST(RotaryExt, AnOddCountLeavesHalfAWord) {
  OwnedCall call;
  call.tensors = {{"x", words_of({0x3f80, 0x4000, 0x7f92, 0xbeef})},
                  {"positionIds", positions({3, 1, 1}, {0, 0, 0})},
                  {"cos", words_of({0x0000})},
                  {"sin", words_of({0x3f80})}};
  call.options.attributes = {{"x_shape", list({1, 1, 1, 3})},
                             {"cache_shape", list({1, 1})},
                             {"num_heads", 1},
                             {"rotary_embedding_dim", 2},
                             {"mrope_section", sections(1, 0, 0)}};
  EXPECT_EQ(run(kMultimodalExt, call).as<std::uint32_t>()[0], 0x3f80c000u);
  EXPECT_EQ(element(run(kMultimodalExt, call), 2), 0x7f92);
  EXPECT_TRUE(accepts(kMultimodalExt, call, 3, 0x0000)) << "what pads the last word is nobody's";
}

}  // namespace
}  // namespace wgk::ops::testing
