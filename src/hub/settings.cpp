// Reads the environment as huggingface_hub and kernels do, so that all tools share one cache and one login.
#include "hub/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/try.h"

namespace wgk::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultEndpoint = "https://huggingface.co";
constexpr std::size_t kMaxToken = 4096;
constexpr int kMaxTimeoutSeconds = 86'400;

/// The first of these variables that is set and not empty.
std::optional<std::string> first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = environment(name); value != nullptr && *value != '\0') return std::string(value);
  }
  return std::nullopt;
}

bool is_true(const Environment& environment, std::initializer_list<const char*> names) {
  std::string value = first_of(environment, names).value_or("");
  for (char& c : value) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

bool is_variable_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// "~" at the start, $NAME and ${NAME}; unknown variables stay as they are written.
std::string expand(const std::string& path, const Environment& environment) {
  std::string out;
  std::size_t i = 0;
  const char* home = environment("HOME");
  if (home != nullptr && (path == "~" || path.starts_with("~/"))) {
    out = home;
    i = 1;
  }
  while (i < path.size()) {
    const bool braces = path.compare(i, 2, "${") == 0;
    const std::size_t start = i + (braces ? 2 : 1);
    std::size_t end = start;
    while (end < path.size() && is_variable_char(path[end])) ++end;
    const bool whole = path[i] == '$' && end > start && (!braces || (end < path.size() && path[end] == '}'));
    const char* value = whole ? environment(path.substr(start, end - start).c_str()) : nullptr;
    if (value == nullptr) {
      out += path[i++];
      continue;
    }
    out += value;
    i = end + (braces ? 1 : 0);
  }
  return out;
}

/// HF_HOME, where the token lies too. Empty without a home folder.
fs::path hub_home(const Environment& environment) {
  if (const auto home = first_of(environment, {"HF_HOME"})) return expand(*home, environment);
  if (const auto base = first_of(environment, {"XDG_CACHE_HOME"})) {
    return fs::path(expand(*base, environment)) / "huggingface";
  }
  const auto home = first_of(environment, {"HOME"});
  return home ? fs::path(*home) / ".cache" / "huggingface" : fs::path();
}

std::string stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

Result<std::string> checked_token(std::string_view text, std::string_view origin) {
  std::string token = stripped(text);
  const bool printable = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (printable && token.size() <= kMaxToken) return token;
  return Error{ErrorCode::kUsage, fmt::format("{}: what it holds is no token (a token has no spaces, no control "
                                              "characters and no letters beyond ASCII)",
                                              origin)};
}

Result<std::string> find_token(const HubOptions& options, const Environment& environment) {
  if (options.token) return checked_token(*options.token, "HubOptions::token");
  if (is_true(environment, {"HF_HUB_DISABLE_IMPLICIT_TOKEN"})) return std::string();
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    if (const char* value = environment(name); value != nullptr && *value != '\0') return checked_token(value, name);
  }
  fs::path file = hub_home(environment) / "token";
  if (const auto path = first_of(environment, {"HF_TOKEN_PATH"})) file = expand(*path, environment);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::string();
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxToken + 2, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return Error{ErrorCode::kUsage, fmt::format("{}: cannot be read", file.string())};
  return checked_token(text, file.string());
}

Result<Url> read_endpoint(const HubOptions& options, const Environment& environment) {
  std::string text = options.endpoint;
  if (text.empty()) text = first_of(environment, {"HF_ENDPOINT"}).value_or(kDefaultEndpoint);
  while (text.ends_with('/')) text.pop_back();
  auto url = parse_url(text);
  if (url) return url;
  return Error{ErrorCode::kUsage,
               fmt::format("HF_ENDPOINT: {}; an endpoint looks like {}", url.error().message, kDefaultEndpoint)};
}

Result<std::chrono::milliseconds> read_timeout(const HubOptions& options, const Environment& environment) {
  if (options.timeout.count() > 0) return options.timeout;
  const auto text = first_of(environment, {"HF_HUB_DOWNLOAD_TIMEOUT"});
  if (!text) return Settings{}.timeout;
  int seconds = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, seconds);
  if (parsed.ec == std::errc() && parsed.ptr == end && seconds > 0 && seconds <= kMaxTimeoutSeconds) {
    return std::chrono::milliseconds(std::chrono::seconds(seconds));
  }
  return Error{ErrorCode::kUsage, fmt::format("HF_HUB_DOWNLOAD_TIMEOUT: must be a whole number of seconds from 1 to {}",
                                              kMaxTimeoutSeconds)};
}

}  // namespace

const char* process_environment(const char* name) { return std::getenv(name); }

Result<fs::path> cache_folder(const HubOptions& options, const Environment& environment) {
  if (!options.cache.empty()) return fs::path(options.cache);
  const auto named = first_of(environment, {"KERNELS_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"});
  if (named) return fs::path(expand(*named, environment));
  const fs::path home = hub_home(environment);
  if (!home.empty()) return home / "hub";
  return Error{ErrorCode::kUsage, "there is no home folder for the cache; set HF_HUB_CACHE"};
}

Result<Settings> read_settings(const HubOptions& options, const Environment& environment) {
  Settings settings;
  WGK_TRY(settings.endpoint, read_endpoint(options, environment));
  WGK_TRY(settings.cache, cache_folder(options, environment));
  settings.offline = options.offline || is_true(environment, {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"});
  if (!settings.offline) {
    WGK_TRY(settings.token, find_token(options, environment));
  }
  settings.ca_file = first_of(environment, {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}).value_or("");
  WGK_TRY(settings.timeout, read_timeout(options, environment));
  return settings;
}

std::string lock_file(const HubOptions& options, const Environment& environment) {
  if (!options.lock_file.empty()) return options.lock_file;
  return first_of(environment, {"WGK_LOCK"}).value_or("");
}

std::string redact(std::string text, std::string_view token) {
  if (token.empty()) return text;
  for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token, at)) {
    text.replace(at, token.size(), "***");
  }
  return text;
}

}  // namespace wgk::hub
