// One HTTP request: no redirects, no retries, no opinion about the answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <wgk/status.hpp>

#include "hub/url.h"

namespace wgk::hub {

struct HttpRequest {
  Url url;
  std::string token;            ///< sent as a bearer token; empty: none
  std::uint64_t from_byte = 0;  ///< asks for the rest of a file
  std::string etag;             ///< of what is there already, so that the rest of another file is not appended
  std::uint64_t limit = 0;      ///< bytes of body that are accepted
  std::function<void(std::uint64_t received)> received{};
};

struct HttpResponse {
  enum class End {
    kComplete,  ///< the whole answer came
    kBroken,    ///< no connection, reset, cut short, timed out: worth another attempt
    kRefused,   ///< the certificate or the protocol: another attempt would end the same way
    kTooLarge,  ///< the body exceeds the limit
  };
  End end = End::kComplete;
  std::string reason;                          ///< unless complete: why, in words
  int status = 0;                              ///< 0 when no status line came
  std::map<std::string, std::string> headers;  ///< by lower-case name; the last value of each
  std::string body;                            ///< also what came before it broke

  /// A header's value; empty when absent.
  const std::string& header(const std::string& name) const;
};

/// A connection that is kept open from one request to the next. Not for use by several threads.
class HttpClient {
 public:
  struct Options {
    std::chrono::milliseconds timeout{};        ///< for connecting, and without a byte
    std::chrono::milliseconds total_timeout{};  ///< for one answer
    std::string ca_file;                        ///< empty: the system's certificates
  };

  /// Error: kPackage, when there is no libcurl.
  static Result<HttpClient> create(const Options& options);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  HttpResponse get(const HttpRequest& request);

 private:
  struct State;
  explicit HttpClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wgk::hub
