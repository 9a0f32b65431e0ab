// The quick way through JSON: what it gives is what the strict reader gives, and it leaves the rest to that one.
#include "base/json_quick.h"

#include <string>

#include <gtest/gtest.h>

#include "base/json_transcript.h"

namespace wgk::base {
namespace {

struct Good {
  std::string text;
  std::string transcript;
};

TEST(JsonQuick, GivesTheValuesOfTheStrictReader) {
  const Good cases[] = {
      {"null", "null "},
      {" [true, false]\n", "[ true false end "},
      {"[0, 1, -1, 9223372036854775807, 9223372036854775808, 18446744073709551615, -9223372036854775808]",
       "[ u0 u1 i-1 u9223372036854775807 u9223372036854775808 u18446744073709551615 i-9223372036854775808 end "},
      {"[1.5, 1e2, -0.25, -0.0, 0.1, 5e-324, 1.7976931348623157e308]",
       "[ 0x1.8p+0 0x1.9p+6 -0x1p-2 -0x0p+0 0x1.999999999999ap-4 0x0.0000000000001p-1022 0x1.fffffffffffffp+1023 end "},
      {R"(["", "a\"\\\/\n\u00e9\ud83d\ude00", "é"])", "[ 0: 11:a\"\\/\n\u00e9\U0001F600 2:\u00e9 end "},
      {R"({"b": {}, "a": [[]], "": 1})", "{ 1=b { end 1=a [ [ end end 0= u1 end "},
      {std::string(64, '[') + std::string(64, ']'),
       [] {
         std::string text;
         for (int depth = 0; depth < 64; ++depth) text += "[ ";
         for (int depth = 0; depth < 64; ++depth) text += "end ";
         return text;
       }()},
  };
  for (const Good& item : cases) {
    JsonTranscript quick;
    EXPECT_TRUE(read_json_quickly(item.text, quick)) << item.text;
    EXPECT_EQ(quick.text(), item.transcript);
    JsonTranscript strict;
    EXPECT_TRUE(parse_json_strictly(item.text, strict, ErrorCode::kPackage).ok()) << item.text;
    EXPECT_EQ(strict.text(), item.transcript);
  }
}

TEST(JsonQuick, LeavesTheRestToTheStrictReader) {
  const std::string cases[] = {
      "",
      "[1,]",
      "{} x",
      "[01]",
      "[1e400]",
      "nul",
      "// c\n1",
      "[-0]",                  // has a sign
      "18446744073709551616",  // a number, but no integer of 64 bits
      "\xEF\xBB\xBF[]",        // a byte order mark
      "[\"\\ud800\"]",         // half a character
      "[\"\\u0000\"]",         // NUL
      std::string("[\"\0\"]", 5),
      std::string("[1,\n\0]", 6),
      "[\"\xC3\x28\"]",   // no UTF-8
      R"({"taken": 1})",  // a key that the sink has
      std::string(65, '[') + std::string(65, ']'),
      "\"" + std::string(std::size_t{1} << 20, 'x') + "\"",  // too long to hold twice
  };
  for (const std::string& text : cases) {
    JsonTranscript sink;
    EXPECT_FALSE(read_json_quickly(text, sink)) << text.substr(0, 80);
  }
}

TEST(JsonQuick, AReaderThatStartsAnewForgets) {
  const auto json = parse_json(R"([1, {"a": [2, -0]}])", ErrorCode::kPackage);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->dump(), R"([1,{"a":[2,-0.0]}])");
  const auto broken = parse_json(R"({"a": [1, {"b": 1, "b": 2}]})", ErrorCode::kPackage);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().message, "duplicate key \"b\" (line 1, column 22)");
}

}  // namespace
}  // namespace wgk::base
