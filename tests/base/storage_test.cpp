// Host tensors <-> storage bytes: every row of the dtype table and every narrowing rule.
#include "base/storage.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wgk::base {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(const std::vector<int>& values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

HostTensor tensor(DType dtype, Shape shape, const std::vector<int>& data) {
  return {dtype, std::move(shape), bytes(data)};
}

HostTensor int64_tensor(const std::vector<std::int64_t>& values) {
  return HostTensor::from<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

StorageFormat plain(DType dtype) { return {dtype, dtype, false, false}; }

struct CopyCase {
  std::string name;
  StorageFormat format;
  HostTensor host;
  Bytes storage;
};

class StorageCopy : public testing::TestWithParam<CopyCase> {};

TEST_P(StorageCopy, ConvertsBothWays) {
  const CopyCase& c = GetParam();
  const auto stored = to_storage(c.host, c.format, "t");
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(*stored, c.storage);
  const auto back = from_storage(c.storage, c.format, c.host.shape, "t");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, c.host);
}

TEST_P(StorageCopy, IgnoresPaddingBehindTheData) {
  const CopyCase& c = GetParam();
  Bytes padded = c.storage;
  padded.resize(padded.size() + 8, std::byte{0xEE});
  const auto back = from_storage(padded, c.format, c.host.shape, "t");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, c.host);
}

const StorageFormat kPacked{DType::kUint8, DType::kUint8, true, false};
const StorageFormat kToUint32{DType::kInt64, DType::kUint32, false, false};
const StorageFormat kToInt32{DType::kInt64, DType::kInt32, false, false};

INSTANTIATE_TEST_SUITE_P(
    Dtypes, StorageCopy,
    testing::Values(
        CopyCase{"float32", plain(DType::kFloat32), tensor(DType::kFloat32, {1}, {0, 0, 0xC0, 0x7F}),
                 bytes({0, 0, 0xC0, 0x7F})},
        CopyCase{"float16", plain(DType::kFloat16), tensor(DType::kFloat16, {3}, {1, 0x7D, 2, 3, 4, 5}),
                 bytes({1, 0x7D, 2, 3, 4, 5})},
        CopyCase{"int32", plain(DType::kInt32), tensor(DType::kInt32, {1}, {0xFF, 0xFF, 0xFF, 0xFF}),
                 bytes({0xFF, 0xFF, 0xFF, 0xFF})},
        CopyCase{"uint32", plain(DType::kUint32), tensor(DType::kUint32, {1}, {1, 2, 3, 0x84}), bytes({1, 2, 3, 0x84})},
        CopyCase{"int8_sign_extends", plain(DType::kInt8), tensor(DType::kInt8, {3}, {0x80, 0x7F, 0xFF}),
                 bytes({0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF})},
        CopyCase{"int16_sign_extends", plain(DType::kInt16), tensor(DType::kInt16, {2}, {0x00, 0x80, 0xFE, 0x7F}),
                 bytes({0x00, 0x80, 0xFF, 0xFF, 0xFE, 0x7F, 0, 0})},
        CopyCase{"uint8_zero_extends", plain(DType::kUint8), tensor(DType::kUint8, {2}, {0xFF, 1}),
                 bytes({0xFF, 0, 0, 0, 1, 0, 0, 0})},
        CopyCase{"bool_is_not_normalised", plain(DType::kBool), tensor(DType::kBool, {2}, {2, 0}),
                 bytes({2, 0, 0, 0, 0, 0, 0, 0})},
        CopyCase{"packed", kPacked, tensor(DType::kUint8, {5}, {1, 2, 3, 4, 5}), bytes({1, 2, 3, 4, 5, 0, 0, 0})},
        CopyCase{"int64_opaque", plain(DType::kInt64), tensor(DType::kInt64, {1}, {1, 2, 3, 4, 5, 6, 7, 0x88}),
                 bytes({1, 2, 3, 4, 5, 6, 7, 0x88})},
        CopyCase{"int64_as_uint32", kToUint32, int64_tensor({0, 4294967295, 7}),
                 bytes({0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 7, 0, 0, 0})},
        CopyCase{"int64_as_int32", kToInt32, int64_tensor({-2147483648, 2147483647, -1}),
                 bytes({0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF})},
        CopyCase{"scalar", plain(DType::kUint8), tensor(DType::kUint8, {}, {9}), bytes({9, 0, 0, 0})},
        CopyCase{"empty", plain(DType::kInt16), tensor(DType::kInt16, {2, 0}, {}), {}}),
    [](const auto& info) { return info.param.name; });

TEST(Storage, LowBitsComeBack) {
  const auto words = bytes({0x34, 0x12, 0xAA, 0xBB});
  EXPECT_EQ(from_storage(words, plain(DType::kInt16), {1}, "t")->data, bytes({0x34, 0x12}));
  EXPECT_EQ(from_storage(words, plain(DType::kInt8), {1}, "t")->data, bytes({0x34}));
  EXPECT_EQ(from_storage(words, plain(DType::kUint8), {1}, "t")->data, bytes({0x34}));
  EXPECT_EQ(from_storage(words, plain(DType::kBool), {1}, "t")->data, bytes({0x34}));
}

TEST(Storage, DataInTheStorageDtypeAreTakenAsTheyAre) {
  const HostTensor words = tensor(DType::kUint32, {1}, {0xFF, 0xFF, 0xFF, 0xFF});
  EXPECT_EQ(*to_storage(words, kToUint32, "t"), words.data);
  const auto refused = to_storage(words, kToInt32, "t");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "tensor \"t\" has dtype uint32, expected int64");
}

struct NarrowingFault {
  std::vector<std::int64_t> values;
  DType storage;
  std::string message;
};

TEST(Storage, CheckedNarrowingNamesTheFirstBadValue) {
  const std::vector<NarrowingFault> faults{
      {{0, 1, -1, -2},
       DType::kUint32,
       "input \"positionIds\": int64 value at index 2 (-1) is outside the uint32 WebGPU storage range"},
      {{4294967296},
       DType::kUint32,
       "input \"positionIds\": int64 value at index 0 (4294967296) is outside the uint32 WebGPU storage range"},
      {{0, 2147483648},
       DType::kInt32,
       "input \"positionIds\": int64 value at index 1 (2147483648) is outside the int32 WebGPU storage range"},
      {{-2147483649},
       DType::kInt32,
       "input \"positionIds\": int64 value at index 0 (-2147483649) is outside the int32 WebGPU storage range"},
      {{std::numeric_limits<std::int64_t>::min()},
       DType::kUint32,
       "input \"positionIds\": int64 value at index 0 (-9223372036854775808) is outside the uint32 WebGPU storage "
       "range"}};
  for (const NarrowingFault& fault : faults) {
    const auto stored =
        to_storage(int64_tensor(fault.values), {DType::kInt64, fault.storage, false, false}, "positionIds");
    ASSERT_FALSE(stored.ok()) << fault.message;
    EXPECT_EQ(stored.error().code, ErrorCode::kRequest);
    EXPECT_EQ(stored.error().message, fault.message);
  }
}

TEST(Storage, SaturatingNarrowingClamps) {
  const HostTensor values = int64_tensor({-5, 4294967296, 3000000000});
  EXPECT_EQ(*to_storage(values, {DType::kInt64, DType::kUint32, false, true}, "t"),
            bytes({0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x5E, 0xD0, 0xB2}));
  const HostTensor wide = int64_tensor({-3000000000, 3000000000});
  EXPECT_EQ(*to_storage(wide, {DType::kInt64, DType::kInt32, false, true}, "t"),
            bytes({0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0x7F}));
}

TEST(Storage, UncheckedNarrowingMakesBadValuesTheLastWord) {
  // 2^32 + 1 must not become row 1.
  const HostTensor values = int64_tensor({4294967297, -1, std::numeric_limits<std::int64_t>::min(), 6});
  const Bytes bad_word = bytes({0xFF, 0xFF, 0xFF, 0xFF});
  Bytes expected;
  for (int i = 0; i < 3; ++i) expected.insert(expected.end(), bad_word.begin(), bad_word.end());
  const Bytes six = bytes({6, 0, 0, 0});
  expected.insert(expected.end(), six.begin(), six.end());
  EXPECT_EQ(*to_storage(values, kToUint32, "t", NarrowingMode::kUnchecked), expected);
  EXPECT_EQ(*to_storage(values, kToInt32, "t", NarrowingMode::kUnchecked), expected);
}

TEST(Storage, UncheckedModeLeavesADeclaredClamp) {
  EXPECT_EQ(
      *to_storage(int64_tensor({-1}), {DType::kInt64, DType::kUint32, false, true}, "t", NarrowingMode::kUnchecked),
      bytes({0, 0, 0, 0}));
}

TEST(Storage, RefusesDataThatDoNotFitTheShape) {
  const auto refused = to_storage(tensor(DType::kFloat32, {2}, {0, 0, 0, 0}), plain(DType::kFloat32), "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "tensor \"x\" has 4 bytes of data, which does not fit float32 of shape [2]");
  EXPECT_FALSE(to_storage(tensor(DType::kFloat32, {1}, {0, 0, 0, 0, 0}), plain(DType::kFloat32), "x").ok());
  EXPECT_FALSE(to_storage(tensor(DType::kFloat32, {-1}, {}), plain(DType::kFloat32), "x").ok());
  const auto short_bytes = from_storage(bytes({1, 2}), plain(DType::kUint8), {1}, "x");
  ASSERT_FALSE(short_bytes.ok());
  EXPECT_EQ(short_bytes.error().message, "tensor \"x\": 2 storage bytes do not hold uint8 of shape [1]");
}

TEST(Storage, ByteLengths) {
  EXPECT_EQ(storage_byte_length(plain(DType::kFloat16), 3), 6u);
  EXPECT_EQ(storage_byte_length(plain(DType::kInt8), 3), 12u);
  EXPECT_EQ(storage_byte_length(plain(DType::kBool), 3), 12u);
  EXPECT_EQ(storage_byte_length(plain(DType::kInt64), 3), 24u);
  EXPECT_EQ(storage_byte_length(kToUint32, 3), 12u);
  EXPECT_EQ(storage_byte_length(kPacked, 5), 8u);
  EXPECT_EQ(storage_byte_length(kPacked, 0), 0u);
  EXPECT_EQ(storage_byte_length(plain(DType::kInt64), (std::uint64_t{1} << 53) - 1), 72057594037927928u);
  EXPECT_EQ(storage_buffer_size(0), 4u);
  EXPECT_EQ(storage_buffer_size(1), 4u);
  EXPECT_EQ(storage_buffer_size(6), 8u);
  EXPECT_EQ(storage_buffer_size(8), 8u);
}

}  // namespace
}  // namespace wgk::base
