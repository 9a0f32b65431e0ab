// The .npy reader against headers written by hand, as the format describes them.
#include "runtime/npy.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace wgk::runtime {
namespace {

/// A file of version `major`.0 with that header dictionary and data.
std::string npy(const std::string& dictionary, const std::string& data, char major = 1) {
  std::string file = std::string("\x93NUMPY", 6) + major + '\0';
  const std::string header = dictionary + "\n";
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  return file + header + data;
}

std::string dictionary(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

TEST(Npy, ReadsEveryVersionDtypeAndShape) {
  struct Row {
    const char* descr;
    DType dtype;
    std::size_t size;
  };
  for (const Row& row : {Row{"<f4", DType::kFloat32, 4}, Row{"<f2", DType::kFloat16, 2}, Row{"|i1", DType::kInt8, 1},
                         Row{"<i2", DType::kInt16, 2}, Row{"<i4", DType::kInt32, 4}, Row{"<i8", DType::kInt64, 8},
                         Row{"|u1", DType::kUint8, 1}, Row{"<u4", DType::kUint32, 4}, Row{"|b1", DType::kBool, 1}}) {
    for (const char version : {'\1', '\2', '\3'}) {
      std::string data(6 * row.size, '\0');
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i + 1);
      const auto tensor = parse_npy(npy(dictionary(row.descr, "(2, 3)"), data, version));
      ASSERT_TRUE(tensor.ok()) << row.descr << ": " << tensor.error().message;
      EXPECT_EQ(tensor->dtype, row.dtype);
      EXPECT_EQ(tensor->shape, (Shape{2, 3}));
      ASSERT_EQ(tensor->data.size(), data.size());
      EXPECT_EQ(std::memcmp(tensor->data.data(), data.data(), data.size()), 0);
    }
  }
}

TEST(Npy, ReadsEveryShapeForm) {
  const std::pair<const char*, Shape> rows[] = {
      {"()", {}}, {"(1,)", {1}}, {"(1, 1)", {1, 1}}, {"(1,1,)", {1, 1}}, {"( 1 , 1 , 1 )", {1, 1, 1}}};
  for (const auto& [text, shape] : rows) {
    const auto tensor = parse_npy(npy(dictionary("|u1", text), "x"));
    ASSERT_TRUE(tensor.ok()) << text << ": " << tensor.error().message;
    EXPECT_EQ(tensor->shape, shape);
  }
  const auto empty = parse_npy(npy(dictionary("<f4", "(0, 5)"), ""));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->shape, (Shape{0, 5}));
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::pair<std::string, const char*> rows[] = {
      {"", "not an npy file"},
      {"PK\x03\x04 something else", "not an npy file"},
      {npy(dictionary("<f4", "(1,)"), "1234", '\4'), "npy version 4.0 is not supported"},
      {npy(dictionary(">f4", "(1,)"), "1234"), "big-endian"},
      {npy(dictionary("<f8", "(1,)"), "12345678"), "\"<f8\" is not supported"},
      {npy(dictionary("|O", "(1,)"), "12345678"), "\"|O\" is not supported"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234"), "structured"},
      {npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", "1234"), "Fortran order"},
      {npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "1234"), "fortran_order"},
      {npy("{'descr': '<f4', 'shape': (1,)}", "1234"), "needs descr, fortran_order and shape"},
      {npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234"), "repeated header key"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': '1'}", "1234"), "unexpected"},
      {npy(dictionary("<f4", "(1)"), "1234"), "malformed shape"},
      {npy(dictionary("<f4", "(-1,)"), "1234"), "malformed shape"},
      {npy(dictionary("<f4", "(1 1)"), "1234"), "malformed"},
      {npy(dictionary("<f4", "(99999999999999999999,)"), "1234"), "malformed shape"},
      {npy(dictionary("<f4", "(4294967296, 4294967296)"), ""), "out of range"},
      {npy(dictionary("<f4", "(2,)"), "1234"), "4 bytes of data, but float32 [2] needs 8"},
      {npy(dictionary("<f4", "(1,)"), "12345"), "5 bytes of data, but float32 [1] needs 4"},
      {npy(dictionary("<f4", "(1,)") + " x", "1234"), "text after the header"},
      {npy(dictionary("<f4", "(1,)"), "1234").substr(0, 30), "cut off"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12), "the limit is 65536"},
  };
  for (const auto& [file, message] : rows) {
    const auto tensor = parse_npy(file);
    ASSERT_FALSE(tensor.ok()) << message;
    EXPECT_NE(tensor.error().message.find(message), std::string::npos)
        << tensor.error().message << "\nwant " << message;
  }
}

TEST(Npy, NoPrefixOfAFileIsAFile) {
  const std::string file = npy(dictionary("<f4", "(2,)"), "12345678");
  for (std::size_t n = 0; n < file.size(); ++n) EXPECT_FALSE(parse_npy(file.substr(0, n)).ok()) << n;
}

TEST(Npy, AFileIsReadOnlyWhenItsSizeFits) {
  const auto path = std::filesystem::temp_directory_path() / "wgk-npy-test.npy";
  std::ofstream(path, std::ios::binary) << npy(dictionary("<f4", "(2,)"), "12345678");
  EXPECT_TRUE(read_npy(path, 8).ok());
  const auto over = read_npy(path, 7);
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().message, "npy data is 8 bytes; the limit is 7");
  // A header that promises a terabyte must not cost one.
  std::ofstream(path, std::ios::binary) << npy(dictionary("<f4", "(274877906944,)"), "1234");
  EXPECT_FALSE(read_npy(path, std::uint64_t{1} << 50).ok());
  std::filesystem::remove(path);
  EXPECT_EQ(read_npy(path, 8).error().message, "no such file");
}

}  // namespace
}  // namespace wgk::runtime
