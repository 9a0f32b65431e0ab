// Expansion of {% include "path" %}: textual, before a template is parsed (package-format 7.2).
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "jinja/template.h"
#include "jinja/text.h"

namespace wgk::jinja {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

Error package_error(std::string message) { return {ErrorCode::kPackage, std::move(message)}; }

/// An include tag; begin and end are what it is replaced with.
struct IncludeTag {
  std::size_t begin;
  std::size_t end;
  std::string_view path;
};

void skip_space(std::string_view text, std::size_t& at) {
  while (const std::size_t bytes = leading_space(text.substr(at))) at += bytes;
}

/// Reads {% include "path" %} at `at`.
std::optional<IncludeTag> read_tag(std::string_view text, std::size_t at) {
  constexpr std::string_view kKeyword = "include";
  const std::size_t begin = at;
  at += 2;
  skip_space(text, at);
  if (!text.substr(at).starts_with(kKeyword)) return std::nullopt;
  at += kKeyword.size();
  skip_space(text, at);
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return std::nullopt;
  const std::size_t path_begin = at + 1;
  const std::size_t path_end = text.find(text[at], path_begin);
  if (path_end == std::string_view::npos) return std::nullopt;
  const std::string_view path = text.substr(path_begin, path_end - path_begin);
  if (path.find('\n') != std::string_view::npos) return std::nullopt;
  at = path_end + 1;
  skip_space(text, at);
  if (!text.substr(at).starts_with("%}")) return std::nullopt;
  return IncludeTag{begin, at + 2, path};
}

/// A tag alone on its line takes its indentation and line end with it.
void widen_to_line(std::string_view text, std::size_t after, IncludeTag& tag) {
  std::size_t begin = tag.begin;
  while (begin > after && is_blank(text[begin - 1])) --begin;
  const bool starts_line = begin == 0 || text[begin - 1] == '\n';
  std::size_t end = tag.end;
  while (end < text.size() && is_blank(text[end])) ++end;
  if (text.substr(end).starts_with("\r\n")) ++end;
  if (!starts_line || end >= text.size() || text[end] != '\n') return;
  tag.begin = begin;
  tag.end = end + 1;
}

std::optional<IncludeTag> find_include(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find("{%", from); at != std::string_view::npos; at = text.find("{%", at + 2)) {
    if (std::optional<IncludeTag> tag = read_tag(text, at)) {
      widen_to_line(text, from, *tag);
      return tag;
    }
  }
  return std::nullopt;
}

/// The path from the root, or nothing if it leaves the root.
std::optional<std::string> resolve(const std::string& including_file, std::string_view written) {
  std::string path(written);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.starts_with('/') || path.find(':') != std::string::npos) return std::nullopt;
  if (path.starts_with('.')) {
    const std::size_t folder_end = including_file.rfind('/');
    if (folder_end != std::string::npos) path = including_file.substr(0, folder_end + 1) + path;
  }
  std::vector<std::string_view> parts;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string resolved;
  for (const std::string_view part : parts) {
    if (!resolved.empty()) resolved += '/';
    resolved += part;
  }
  return resolved;
}

class Expander {
 public:
  explicit Expander(const IncludeLoader& load) : load_(load) {}

  Status expand(const std::string& path) {
    if (const Status status = enter(path); !status.ok()) return status;
    Result<std::string> loaded = load_(path);
    if (!loaded.ok()) return std::move(loaded).error();
    const std::string content = *std::move(loaded);
    const std::string_view text = content;
    if (text.size() > limits::kMaxTemplateBytes) return too_large(path, text.size());
    if (text.find('\0') != std::string::npos || !is_valid_utf8(text)) {
      return package_error(fmt::format("{}: invalid text", path));
    }
    std::size_t at = 0;
    while (const std::optional<IncludeTag> tag = find_include(text, at)) {
      if (const Status status = append(text.substr(at, tag->begin - at)); !status.ok()) return status;
      if (const Status status = include(path, tag->path); !status.ok()) return status;
      at = tag->end;
    }
    if (const Status status = append(text.substr(at)); !status.ok()) return status;
    open_.pop_back();
    return {};
  }

  std::string take() && { return std::move(out_); }

 private:
  Status enter(const std::string& path) {
    const auto again = std::find(open_.begin(), open_.end(), path);
    if (again != open_.end()) {
      std::string cycle;
      for (auto file = again; file != open_.end(); ++file) cycle += *file + " -> ";
      return package_error(fmt::format("Circular WebGPU template include: {}{}", cycle, path));
    }
    if (open_.size() > static_cast<std::size_t>(limits::kMaxIncludeDepth)) {
      return package_error(fmt::format("{}: nesting exceeds {}", path, limits::kMaxIncludeDepth));
    }
    open_.push_back(path);
    return {};
  }

  Status include(const std::string& from, std::string_view written) {
    const std::optional<std::string> path = resolve(from, written);
    if (!path) return package_error(fmt::format("WebGPU template path escapes package root: {}", written));
    if (++includes_ > limits::kMaxIncludes) {
      return package_error(fmt::format("{}: more than {} includes", open_.front(), limits::kMaxIncludes));
    }
    return expand(*path);
  }

  Status append(std::string_view text) {
    out_ += text;
    if (out_.size() > limits::kMaxTemplateBytes) return too_large(open_.front(), out_.size());
    return {};
  }

  static Error too_large(const std::string& path, std::size_t size) {
    return package_error(fmt::format("{} is {} bytes; the limit is {}", path, size, limits::kMaxTemplateBytes));
  }

  const IncludeLoader& load_;
  std::vector<std::string> open_;  ///< the files being expanded, outermost first
  int includes_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> expand_includes(const std::string& path, const IncludeLoader& load) {
  Expander expander(load);
  if (Status status = expander.expand(path); !status.ok()) return std::move(status).error();
  return std::move(expander).take();
}

}  // namespace wgk::jinja
