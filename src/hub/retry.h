// When another attempt is worth it, and when.
#pragma once

#include <chrono>
#include <ctime>
#include <optional>

#include "hub/http.h"

namespace wgk::hub {

/// The longest time that a server's wish to wait is followed.
inline constexpr std::chrono::seconds kMaxRetryAfter{60};

/// Broken connections, and the answers 408, 429, 500, 502, 503 and 504.
bool is_worth_retrying(const HttpResponse& response);

/// What the server asks for: Retry-After in seconds or as a date, or the seconds of the Hub's RateLimit header.
std::optional<std::chrono::seconds> asked_delay(const HttpResponse& response, std::time_t now);

}  // namespace wgk::hub
