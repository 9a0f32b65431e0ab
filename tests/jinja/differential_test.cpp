// Replays what the JavaScript engine gave for the recorded cases (tools/oracle/README.md).
#include <fstream>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "jinja/language_support.h"
#include "plan/vocabulary.h"

namespace wgk::jinja {
namespace {

void replay(const std::string& file, std::size_t least_cases) {
  std::ifstream stream(std::string(WGK_TEST_DATA_DIR) + "/jinja/" + file);
  ASSERT_TRUE(stream) << file;
  const auto record = nlohmann::ordered_json::parse(stream);
  DeviceProfile profile;
  profile.features.insert("shader-f16");
  const Scope functions = plan::make_vocabulary(profile, true);
  Scope scope(&functions);
  testing::add_names(scope, record.at("scope"));
  ASSERT_GE(record.at("cases").size(), least_cases);
  if (record.contains("seed")) std::cout << "recorded from seed " << record.at("seed") << "\n";
  for (const auto& entry : record.at("cases")) {
    const bool is_expression = entry.contains("expression");
    const auto text = entry.at(is_expression ? "expression" : "template").get<std::string>();
    const std::string got = is_expression ? testing::evaluate(text, scope) : testing::render(text, scope);
    std::string want = "error";
    if (entry.contains("ours")) {
      EXPECT_FALSE(entry.at("reason").get<std::string>().empty());
      want = entry.at("ours").get<std::string>();
    } else if (entry.at("js").contains("result")) {
      want = entry.at("js").at("result").get<std::string>();
    }
    if (want == "error") {
      EXPECT_TRUE(got.starts_with("error: ")) << text << "\n gives " << got << "\n js    " << entry.at("js");
    } else {
      EXPECT_EQ(got, want) << text;
    }
  }
}

TEST(Differential, Expressions) { replay("expressions.recorded.json", 320); }
TEST(Differential, Templates) { replay("templates.recorded.json", 70); }
TEST(Differential, Generated) { replay("generated.recorded.json", 400); }
TEST(Differential, Programs) { replay("programs.recorded.json", 250); }

}  // namespace
}  // namespace wgk::jinja
