// Fuzzes the expression language: parse, then evaluate in a small scope.
#include <cstddef>
#include <cstdint>
#include <string>

#include "jinja/expression.h"
#include "plan/vocabulary.h"

namespace {

using wgk::jinja::Scope;
using wgk::jinja::Value;

Scope make_scope(const Scope& functions) {
  Scope scope(&functions);
  const Value shape = Value::list({Value::integer(2), Value::integer(3), Value::floating(4)});
  scope.set("n", Value::integer(5));
  scope.set("s", Value::string("f16"));
  scope.set("l", shape);
  scope.set("m", Value::map({{"a", Value::integer(1)}, {"X", shape}}));
  return scope;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const wgk::DeviceProfile profile;
  static const Scope functions = wgk::plan::make_vocabulary(profile, true);
  static const Scope scope = make_scope(functions);
  const auto expression = wgk::jinja::Expression::parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!expression.ok()) return 0;
  wgk::jinja::Budget budget(100'000);
  if (const auto value = expression->evaluate(scope, budget); value.ok()) {
    static_cast<void>(wgk::jinja::output_text(value->at_boundary()));
  }
  return 0;
}
