// Files of repositories on the Hub: its addresses, its headers, its rules about tokens, and patience.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <wgk/hub.hpp>

#include "hub/http.h"
#include "hub/settings.h"

namespace wgk::hub {

struct HubFile {
  std::string body;
  std::string commit;    ///< the revision that it is of, in lower case; empty when the server does not say
  bool resumed = false;  ///< put together from several answers
};

struct FileRequest {
  const PackageReference* reference = nullptr;  ///< of messages, too
  std::string revision;                         ///< to ask for
  std::string path;                             ///< in the repository
  std::uint64_t limit = 0;
  std::function<void(std::uint64_t received)> received{};
};

class HubClient {
 public:
  static Result<HubClient> create(const Settings& settings, const HubOptions& options);

  /// Follows redirects, tries again where that may help, resumes what was cut short. Errors: kPackage, with what to do.
  Result<HubFile> get(const FileRequest& request);

 private:
  /// What came of one attempt: the answer of the last address.
  struct Answer {
    HttpResponse response;
    Url url;
    std::string commit;
  };

  HubClient(Settings settings, HubOptions options, HttpClient http)
      : settings_(std::move(settings)), options_(std::move(options)), http_(std::move(http)) {}

  Url address(const FileRequest& request) const;
  bool may_have_token(const Url& url) const;
  Result<Answer> follow(const FileRequest& request, const HubFile& so_far, const std::string& etag);
  Result<Url> next_address(const Url& from, const HttpResponse& response) const;
  void log(const Url& url, const HttpResponse& response) const;
  Error failure(const FileRequest& request, const Answer& answer) const;
  std::string refusal(const FileRequest& request, const Answer& answer) const;

  Settings settings_;
  HubOptions options_;
  HttpClient http_;
};

}  // namespace wgk::hub
