// An expression of a manifest: parsed once, evaluated often.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "jinja/name.h"
#include "jinja/scope.h"
#include "jinja/value.h"

namespace wgk::jinja {

struct ParsedExpression;

/// Immutable after parse; copies share the tree. Const use from any thread.
class Expression {
 public:
  /// Parses the text of one expression (package-format 6.2); the whole text must be consumed. Errors have code kPackage
  /// and the form "<reason> at column <n>" (columns from 1, in bytes), without the expression's own text.
  static Result<Expression> parse(std::string text);

  const std::string& text() const;

  /// Identifiers that must be in scope: every free name except those that occur only as the operand of `is defined` or
  /// `is undefined` (package-format 6.5). In order of first occurrence, without duplicates.
  std::vector<std::string> required_names() const;
  /// Every free name, those under `is defined` included, likewise.
  std::span<const Name> names() const;

  /// Evaluates. The result is as computed: call Value::at_boundary() where it enters another evaluation. First checks
  /// required_names() against the scope: `Unknown identifier "q" in WebGPU expression: <expr>`. Errors: kPackage.
  Result<Value> evaluate(const Scope& scope, Budget& budget) const;

 private:
  std::shared_ptr<const ParsedExpression> parsed_;
};

}  // namespace wgk::jinja
