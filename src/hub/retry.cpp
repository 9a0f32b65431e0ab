// Reads Retry-After (RFC 9110, 10.2.3) and RateLimit ("t" is the seconds until the window ends).
#include "hub/retry.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "hub/curl_library.h"

namespace wgk::hub {
namespace {

std::optional<std::chrono::seconds> leading_seconds(std::string_view text) {
  long seconds = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (parsed.ec != std::errc() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

}  // namespace

bool is_worth_retrying(const HttpResponse& response) {
  if (response.end != HttpResponse::End::kComplete) return response.end == HttpResponse::End::kBroken;
  constexpr int kPassing[] = {408, 429, 500, 502, 503, 504};
  return std::find(std::begin(kPassing), std::end(kPassing), response.status) != std::end(kPassing);
}

std::optional<std::chrono::seconds> asked_delay(const HttpResponse& response, std::time_t now) {
  const std::string& after = response.header("retry-after");
  if (const auto seconds = leading_seconds(after)) return seconds;
  if (const auto library = curl_library(); library && !after.empty()) {
    const std::time_t date = (*library)->getdate(after.c_str(), nullptr);
    if (date >= 0) return std::chrono::seconds(std::max<std::time_t>(0, date - now));
  }
  const std::string& limit = response.header("ratelimit");
  const std::size_t at = limit.find(";t=");
  return at == std::string::npos ? std::nullopt : leading_seconds(std::string_view(limit).substr(at + 3));
}

}  // namespace wgk::hub
