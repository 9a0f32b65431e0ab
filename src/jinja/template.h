// A WGSL template: parsed once, rendered often (package-format section 7).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <wgk/status.hpp>

#include "jinja/limits.h"
#include "jinja/scope.h"

namespace wgk::jinja {

struct TemplateNode;

/// Gives the text of a file below the package root, or an error (already worded) when it is absent.
using IncludeLoader = std::function<Result<std::string>(const std::string& path)>;

/// Replaces every {% include "path" %} of the file `path` (package-format 7.2). Errors: kPackage, worded as there.
Result<std::string> expand_includes(const std::string& path, const IncludeLoader& load);

/// Immutable after parse; copies share the tree. Const use from any thread.
class Template {
 public:
  /// Parses text whose includes are expanded. `name` stands in messages: "<name>:<line>:<column>: <reason>", with a
  /// note for the opening tag where one is left open, and the source line with a caret. Errors: kPackage.
  static Result<Template> parse(std::string text, std::string name);

  /// Renders with the names of `scope` plus the template's own builtins (range, raise_exception, namespace, loop).
  /// An unknown name is Undefined. Errors: kPackage, with name, line and column.
  Result<std::string> render(const Scope& scope, Budget& budget) const;

  const std::string& name() const { return *name_; }

 private:
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const std::string> name_;
  std::shared_ptr<const TemplateNode> root_;
};

}  // namespace wgk::jinja
