// Where the Hub is, where its cache lies and who we are there: HubOptions completed from the environment.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <wgk/hub.hpp>

#include "hub/url.h"

namespace wgk::hub {

struct Settings {
  Url endpoint;  ///< without a trailing slash
  std::filesystem::path cache;
  std::string token;    ///< empty: none; letters, digits and punctuation only
  std::string ca_file;  ///< certificates to trust instead of the system's; empty: the system's
  bool offline = false;
  std::chrono::milliseconds timeout{10'000};
};

using Environment = std::function<const char*(const char* name)>;

/// The cache alone, for what needs no network. Error: kUsage when there is no home folder either.
Result<std::filesystem::path> cache_folder(const HubOptions& options, const Environment& environment);

/// Error: kUsage, naming the variable that is wrong; never with the token in it.
Result<Settings> read_settings(const HubOptions& options, const Environment& environment);

/// The environment of the process.
const char* process_environment(const char* name);

/// The lock file that counts; empty: none.
std::string lock_file(const HubOptions& options, const Environment& environment);

/// `text` without the token, should it be in there.
std::string redact(std::string text, std::string_view token);

}  // namespace wgk::hub
