// A small strict parser: what it does not understand is refused, so that what is compared is what libcurl connects to.
#include "hub/url.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/try.h"
#include "package/node.h"

namespace wgk::hub {
namespace {

constexpr std::size_t kMaxUrl = 8192;

bool is_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

int default_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

bool is_host(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  if (host.front() == '[') {
    const std::string_view inner = host.substr(1, host.size() - 2);
    return host.back() == ']' && inner.size() >= 2 && std::all_of(inner.begin(), inner.end(), [](char c) {
             return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == ':' || c == '.';
           });
  }
  return std::all_of(host.begin(), host.end(), [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; });
}

Error bad(std::string_view reason) { return Error{ErrorCode::kUsage, std::string(reason)}; }

Status parse_authority(std::string_view text, Url& url) {
  if (text.find('@') != std::string_view::npos) {
    return bad("a URL here must not hold a user name or password; a token goes into HF_TOKEN");
  }
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  url.host = lower(text.substr(0, colon));
  url.port = default_port(url.scheme);
  if (!is_host(url.host)) return bad(fmt::format("\"{}\" is no host name", package::printable(text)));
  if (colon == std::string_view::npos) return {};
  const std::string_view port = text.substr(colon + 1);
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (parsed.ec == std::errc() && parsed.ptr == port.data() + port.size() && url.port >= 1 && url.port <= 65'535) {
    return {};
  }
  return bad(fmt::format("\"{}\" is no port", package::printable(port)));
}

/// Without "." and ".." segments, as RFC 3986 (5.2.4) removes them.
std::string remove_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    const bool last = end == path.size();
    if (segment == "/.." || segment == "/.") {
      if (segment == "/..") out.erase(std::min(out.rfind('/'), out.size()));
      if (last) out += '/';
    } else {
      out += segment;
    }
    path.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string Url::origin() const {
  return port == default_port(scheme) ? fmt::format("{}://{}", scheme, host)
                                      : fmt::format("{}://{}:{}", scheme, host, port);
}

std::string Url::text() const { return origin() + path + query; }
std::string Url::shown() const { return origin() + package::printable(path) + (query.empty() ? "" : "?…"); }

bool Url::same_origin(const Url& other) const {
  return scheme == other.scheme && host == other.host && port == other.port;
}

bool Url::is_loopback() const {
  if (host == "localhost" || host == "[::1]") return true;
  const bool dotted = std::all_of(host.begin(), host.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return dotted && host.starts_with("127.") && std::count(host.begin(), host.end(), '.') == 3;
}

Result<Url> parse_url(std::string_view text) {
  if (text.size() > kMaxUrl) return bad("the URL is too long");
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != '\\' && c != '"'; })) {
    return bad("a URL has no spaces, control characters or letters beyond ASCII");
  }
  Url url;
  const std::size_t scheme_end = text.find("://");
  url.scheme = lower(text.substr(0, std::min(scheme_end, text.size())));
  if (scheme_end == std::string_view::npos || (url.scheme != "http" && url.scheme != "https")) {
    return bad("a URL must start with https:// (or http://)");
  }
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  WGK_CHECK(parse_authority(rest.substr(0, authority_end), url));
  rest.remove_prefix(authority_end);
  const std::size_t question = std::min(rest.find('?'), rest.size());
  url.path = rest.substr(0, question);
  url.query = rest.substr(question);
  return url;
}

Result<Url> resolve(const Url& base, std::string_view location) {
  std::string text(location);
  if (location.starts_with("//")) {
    text = base.scheme + ":" + text;
  } else if (location.starts_with("/")) {
    text = base.origin() + text;
  } else if (location.find("://") == std::string_view::npos || location.find("://") > location.find_first_of("/?#")) {
    text = base.origin() + base.path.substr(0, base.path.rfind('/') + 1) + text;
  }
  auto url = parse_url(text);
  if (!url)
    return Error{ErrorCode::kPackage, fmt::format("a redirect that cannot be followed: {}", url.error().message)};
  url->path = remove_dots(url->path);
  return url;
}

std::string encode_segment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace wgk::hub
