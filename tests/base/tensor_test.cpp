// Dtypes, shapes and host tensors.
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <wgk/tensor.hpp>

namespace wgk {
namespace {

TEST(DType, NamesAndSizes) {
  struct Case {
    DType dtype;
    std::string_view name;
    std::size_t size;
  };
  for (const Case& c :
       {Case{DType::kFloat32, "float32", 4}, Case{DType::kFloat16, "float16", 2}, Case{DType::kInt8, "int8", 1},
        Case{DType::kInt16, "int16", 2}, Case{DType::kInt32, "int32", 4}, Case{DType::kInt64, "int64", 8},
        Case{DType::kUint8, "uint8", 1}, Case{DType::kUint32, "uint32", 4}, Case{DType::kBool, "bool", 1}}) {
    EXPECT_EQ(dtype_name(c.dtype), c.name);
    EXPECT_EQ(dtype_size(c.dtype), c.size);
    EXPECT_EQ(dtype_from_name(c.name), c.dtype);
  }
}

TEST(DType, OtherSpellingsAreUnknown) {
  for (const std::string_view name : {"", "Float32", "float32 ", "f32", "float", "float64", "uint16", "bfloat16"}) {
    EXPECT_EQ(dtype_from_name(name), std::nullopt) << name;
  }
}

TEST(DType, ValuesOutsideTheEnumerationAreHarmless) {
  const auto bad = static_cast<DType>(200);
  EXPECT_EQ(dtype_name(bad), "unknown");
  EXPECT_EQ(dtype_size(bad), 0u);
}

TEST(Shape, Text) {
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Shape{7}), "[7]");
  EXPECT_EQ(to_string(Shape{1, 0, 32, -4}), "[1,0,32,-4]");
}

TEST(Shape, ElementCount) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  struct Case {
    Shape shape;
    std::optional<std::int64_t> count;
  };
  const std::vector<Case> cases = {
      {{}, 1},
      {{5}, 5},
      {{2, 3, 4}, 24},
      {{2, 0, 4}, 0},
      {{-1}, std::nullopt},
      {{0, -1}, std::nullopt},
      {{kMax, kMax, 0}, 0},
      {{0, kMax, kMax}, 0},
      {{9007199254740991}, 9007199254740991},
      {{9007199254740992}, std::nullopt},
      {{94906266, 94906266}, std::nullopt},  // just above 2^53
      {{kMax, kMax}, std::nullopt},
      {{4294967296, 4294967296}, std::nullopt},  // 2^64: zero in wrapping arithmetic
      {{4294967296, 4294967296, 1}, std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(element_count(c.shape), c.count) << to_string(c.shape);
}

TEST(HostTensor, HoldsACopyOfItsValues) {
  std::vector<std::int64_t> values = {1, -2, 3};
  const HostTensor tensor = HostTensor::from(Shape{3}, values);
  values[0] = 9;
  EXPECT_EQ(tensor.dtype, DType::kInt64);
  EXPECT_EQ(tensor.data.size(), 24u);
  ASSERT_EQ(tensor.as<std::int64_t>().size(), 3u);
  EXPECT_EQ(tensor.as<std::int64_t>()[0], 1);
  EXPECT_EQ(tensor.as<std::int64_t>()[1], -2);
  EXPECT_TRUE(tensor.as<float>().empty());
  EXPECT_TRUE(HostTensor::from(Shape{0}, std::vector<Float16>{}).as<Float16>().empty());
}

}  // namespace
}  // namespace wgk
