// Fuzzes templates: include expansion, parse, then render in a small scope.
#include <cstddef>
#include <cstdint>
#include <string>

#include "jinja/template.h"
#include "plan/vocabulary.h"

namespace {

using wgk::jinja::Scope;
using wgk::jinja::Value;

Scope make_scope(const Scope& functions) {
  Scope scope(&functions);
  scope.set("n", Value::integer(5));
  scope.set("s", Value::string("f16"));
  scope.set("l", Value::list({Value::integer(2), Value::integer(3)}));
  scope.set("m", Value::map({{"a", Value::integer(1)}}));
  return scope;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const wgk::DeviceProfile profile;
  static const Scope functions = wgk::plan::make_vocabulary(profile, true);
  static const Scope scope = make_scope(functions);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto load = [&text](const std::string& path) -> wgk::Result<std::string> {
    return path == "main" ? text : std::string("{{ n }}\n");
  };
  static_cast<void>(wgk::jinja::expand_includes("main", load));
  const auto parsed = wgk::jinja::Template::parse(text, "main");
  if (!parsed.ok()) return 0;
  wgk::jinja::Budget budget(100'000);
  static_cast<void>(parsed->render(scope, budget));
  return 0;
}
