// What the guard in front of the shader compiler refuses, and what it must let through.
#include "gpu/shader_guard.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace wgk::gpu {
namespace {

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string guard(const std::string& wgsl) {
  const Status status = check_shader_nesting(wgsl);
  return status.ok() ? "" : status.error().message;
}

TEST(ShaderGuard, LetsThrough) {
  const std::string rows[] = {
      "",
      "fn main() {}",
      "fn f() { x = 1.5; }" + repeat("\n", 5000),
      // A table of thousands of numbers: a comma ends an expression.
      "const t = array<f32, 5000>(" + repeat("-1.5, ", 5000) + ");",
      // Statements one after the other.
      "fn f() { " + repeat("x = x + 1.0 * y[3]; ", 5000) + "}",
      "fn f() { " + repeat("if (a < b) { x = 1; } ", 5000) + "}",
      "fn f() { " + repeat("if (a < b) { x = 1; } else { x = 2; } ", 5000) + "}",
      "fn f() { " + repeat("for (var i = 0u; i < 4u; i++) { x += i; } ", 5000) + "}",
      // A point inside a number is no operator.
      "fn f() { x = vec2(" + repeat("1.0 ", 5000) + "); }",
      repeat("/*", 5000) + repeat("*/", 5000) + "fn f() {}",
      "// " + repeat("(", 5000) + "\nfn f() {}",
      // Not WGSL, but no danger either.
      repeat(")", 5000) + repeat("}", 5000),
  };
  for (const std::string& wgsl : rows) EXPECT_EQ(guard(wgsl), "") << wgsl.substr(0, 60);
}

TEST(ShaderGuard, Refuses) {
  const std::string nests = "the shader nests more than 128 levels deep (line ";
  const std::string piles = "the shader has more than 1000 operators or branches in one statement (line ";
  const std::pair<std::string, std::string> rows[] = {
      {"fn f() {\n x = " + repeat("(", 5000), nests + "2)"},
      {"fn f() {\n\n x = " + repeat("a[", 5000), nests + "3)"},
      {repeat("{\n", 5000), nests + "129)"},
      {"fn f() { x = " + repeat("max(1, ", 5000), nests + "1)"},
      {"fn f() { x = " + repeat("- ", 5000), piles + "1)"},
      {"fn f() { x = 1" + repeat(" + 1", 5000), piles + "1)"},
      {"fn f() { x = " + repeat("!", 5000), piles + "1)"},
      {"fn f() { x = a" + repeat(".x", 5000), piles + "1)"},
      {"fn f() { x = a" + repeat("[0]", 5000), piles + "1)"},
      {"var<private> a: " + repeat("array<", 5000), piles + "1)"},
      {"fn f() { if (a) { }" + repeat("\nelse if (a) { }", 5000), piles + "1000)"},
      // Hidden between comments.
      {"fn f() { x = " + repeat("-/**/", 5000), piles + "1)"},
      // Spread over brackets, each of which is harmless.
      {"fn f() { x = " + repeat(repeat("1 + ", 100) + "(", 100), piles + "1)"},
      {repeat("const a = 1;\n", 5000), "the shader has more than 2048 declarations (line 2049)"},
      {repeat("fn f() {}\n", 5000), "the shader has more than 2048 declarations (line 2049)"},
      {repeat("alias a = b;\n", 5000), "the shader has more than 2048 declarations (line 2049)"},
  };
  for (const auto& [wgsl, error] : rows) {
    EXPECT_EQ(guard(wgsl).substr(0, error.size()), error) << wgsl.substr(0, 60);
  }
}

TEST(ShaderGuard, OurKernelsAreFarBelow) {
  // Templates, too, are close enough to WGSL for counting.
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(WGK_SOURCE_DIR) + "/kernels")) {
    if (entry.path().string().find(".wgsl") == std::string::npos) continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(guard(text.str()), "") << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

}  // namespace
}  // namespace wgk::gpu
