// The strict JSON reader: what it refuses, with which words, and how numbers come through.
#include "base/json.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace wgk::base {
namespace {

struct Refused {
  std::string text;
  std::string reason;
};

TEST(Json, RefusesWithPlace) {
  const Refused cases[] = {
      {R"({"a": 1, "a": 2})", "duplicate key \"a\" (line 1, column 12)"},
      {std::string("[\"\xC3\x28\"]"), "invalid text (line 1, column 3)"},
      {std::string("[1,\n\0]", 6), "invalid text (line 2, column 1)"},
      {std::string(65, '[') + std::string(65, ']'), "JSON nesting exceeds 64 (line 1, column 65)"},
      {"", "the text is empty (line 1, column 1)"},
  };
  for (const Refused& item : cases) {
    const auto json = parse_json(item.text, ErrorCode::kPackage);
    ASSERT_FALSE(json.ok()) << item.text;
    EXPECT_EQ(json.error().message, item.reason);
  }
}

TEST(Json, RefusesSyntax) {
  for (const char* text :
       {"[1,]", "{} x", "{'a': 1}", "[01]", "[1e400]", "nul", "[\"\\ud800\"]", "[\"\\u0000\"]", "// c\n1"}) {
    EXPECT_FALSE(parse_json(text, ErrorCode::kPackage).ok()) << text;
  }
}

TEST(Json, KeepsOrderAndNumbers) {
  const auto json = parse_json(R"({"z": -0, "a": 9223372036854775807, "m": 1.5})", ErrorCode::kPackage);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->begin().key(), "z");
  EXPECT_TRUE(std::signbit((*json)["z"].get<double>()));
  EXPECT_EQ((*json)["a"].get<std::int64_t>(), 9223372036854775807);
  EXPECT_EQ((*json)["m"].get<double>(), 1.5);
}

TEST(Json, DepthLimitIsInclusive) {
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), ErrorCode::kPackage).ok());
}

TEST(Json, FindsDuplicatesAmongManyKeys) {
  std::string text = "{";
  for (int index = 0; index < 100; ++index) text += "\"k" + std::to_string(index) + "\": 0, ";
  EXPECT_TRUE(parse_json(text + "\"x\": 0}", ErrorCode::kPackage).ok());
  EXPECT_FALSE(parse_json(text + "\"k7\": 0}", ErrorCode::kPackage).ok());
}

TEST(Json, PointerEscapes) {
  EXPECT_EQ(pointer_child("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(pointer_child("/a", std::size_t{3}), "/a/3");
}

TEST(Nearest, FindsTypos) {
  EXPECT_EQ(nearest("entrypoint", {"shader", "entryPoint", "id"}), "entryPoint");
  EXPECT_EQ(nearest("headSzie", {"headSize", "heads"}), "headSize");
  EXPECT_EQ(nearest("completely", {"id", "when"}), "");
}

}  // namespace
}  // namespace wgk::base
