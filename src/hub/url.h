// URLs, as far as the Hub needs them: parsed, compared by origin, resolved, and shown without what is nobody's
// business.
#pragma once

#include <string>
#include <string_view>

#include <wgk/status.hpp>

namespace wgk::hub {

/// An absolute http or https URL without user, password and fragment.
struct Url {
  std::string scheme;  ///< "http" or "https"
  std::string host;    ///< lower case; IPv6 in brackets
  int port = 0;        ///< the scheme's own where the text has none
  std::string path;    ///< percent-encoded; empty or starting with '/'
  std::string query;   ///< with its '?'; empty: none

  std::string origin() const;  ///< "https://host", with the port unless it is the scheme's own
  std::string text() const;
  /// For messages: the query of a signed address is a secret of its own.
  std::string shown() const;

  bool same_origin(const Url& other) const;
  /// This machine: nothing that is sent there leaves it.
  bool is_loopback() const;

  friend bool operator==(const Url&, const Url&) = default;
};

/// Error: kUsage; the message never repeats a user or password.
Result<Url> parse_url(std::string_view text);

/// What a Location header means where `base` was asked for. Error: kPackage.
Result<Url> resolve(const Url& base, std::string_view location);

/// A path segment: everything but letters, digits and "-._~" becomes %XX.
std::string encode_segment(std::string_view text);

}  // namespace wgk::hub
