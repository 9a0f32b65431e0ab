// A template that is parsed when it is first rendered: a plan needs one or two of the templates of a package.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <wgk/status.hpp>

#include "jinja/template.h"

namespace wgk::package {

class LazyTemplate {
 public:
  /// `text` has its includes expanded, or is the error that prevented it. `name` stands in messages.
  LazyTemplate(Result<std::string> text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}

  /// Parses the first time. Any thread.
  const Result<jinja::Template>& parsed() const {
    std::call_once(once_, [this] { parsed_ = parse(); });
    return *parsed_;
  }

 private:
  Result<jinja::Template> parse() const {
    if (!text_.ok()) return text_.error();
    return jinja::Template::parse(*text_, name_);
  }

  Result<std::string> text_;
  std::string name_;
  mutable std::once_flag once_;
  mutable std::optional<Result<jinja::Template>> parsed_;
};

}  // namespace wgk::package
