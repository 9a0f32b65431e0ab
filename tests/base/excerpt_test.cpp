// Carets below the place that a reason names.
#include "base/excerpt.h"

#include <gtest/gtest.h>

namespace wgk::base {
namespace {

struct Case {
  const char* name;
  std::string text;
  std::string reason;
  std::string want;
};

class Excerpts : public testing::TestWithParam<Case> {};

TEST_P(Excerpts, ShowTheLineAndTheCaret) { EXPECT_EQ(excerpt(GetParam().text, GetParam().reason), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    Base, Excerpts,
    testing::Values(
        Case{"Column", "a + b", "bad at column 3", "\n    a + b\n      ^"},
        Case{"FirstColumn", "a", "bad at column 1", "\n    a\n    ^"},
        Case{"BehindTheEnd", "a +", "unexpected end at column 4", "\n    a +\n       ^"},
        Case{"FarBehindTheEnd", "a +", "bad at column 9", ""}, Case{"NoColumn", "a + b", "bad", ""},
        Case{"ColumnZero", "a", "bad at column 0", ""}, Case{"HugeColumn", "a", "at column 99999999999999999999", ""},
        Case{"TheLastColumnCounts", "a at column 1", "`at column 1` at column 3", "\n    a at column 1\n      ^"},
        Case{"CharactersNotBytes", "'\xC3\xA9\xC3\xA9' + x", "bad at column 8",
             "\n    '\xC3\xA9\xC3\xA9' + x\n         ^"},
        Case{"OneLineOfSeveral", "a +\nb c\nd", "bad at column 7", "\n    b c\n      ^"},
        Case{"ControlCharacters", "a\tb\x1b", "bad at column 3", "\n    a b \n      ^"},
        Case{"UnknownIdentifier", "ab + b", "Unknown identifier \"b\" in it", "\n    ab + b\n         ^"},
        Case{"UnknownIdentifierIsNoMember", "x.b + b", "unknown identifier \"b\"", "\n    x.b + b\n          ^"},
        Case{"UnknownIdentifierThatIsNotThere", "a", "unknown identifier \"b\"", ""},
        Case{"LongText", std::string(100, 'x') + "!" + std::string(100, 'y'), "bad at column 101",
             "\n    ..." + std::string(60, 'x') + "!" + std::string(59, 'y') + "...\n    " + std::string(63, ' ') +
                 "^"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wgk::base
