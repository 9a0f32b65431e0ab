// One file of a repository, in as many requests as it takes.
#include "hub/hub_client.h"

#include <algorithm>
#include <ctime>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "hub/reference.h"
#include "hub/retry.h"
#include "package/node.h"

namespace wgk::hub {
namespace {

constexpr int kMaxRedirects = 5;
constexpr std::chrono::minutes kTotalTimeout{10};
constexpr std::chrono::milliseconds kMaxBackOff{8000};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool has_body(const HttpResponse& response) { return response.status == 200 || response.status == 206; }

/// Appends an answer to what earlier ones brought, or starts anew where it is the whole file.
void take_body(const HttpResponse& response, HubFile& file, std::string& etag) {
  const std::string wanted = fmt::format("bytes {}-", file.body.size());
  const bool continues = response.status == 206 && response.header("content-range").starts_with(wanted);
  if (continues && !file.body.empty()) {
    file.body += response.body;
    file.resumed = true;
  } else {
    file.body = response.status == 200 ? response.body : std::string();
    file.resumed = false;
  }
  etag = response.header("etag");
  // A weak tag does not promise the same bytes.
  if (etag.starts_with("W/")) etag.clear();
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

Result<HubClient> HubClient::create(const Settings& settings, const HubOptions& options) {
  WGK_TRY(HttpClient http, HttpClient::create({settings.timeout, kTotalTimeout, settings.ca_file}));
  return HubClient(settings, options, std::move(http));
}

Url HubClient::address(const FileRequest& request) const {
  Url url = settings_.endpoint;
  url.path += fmt::format("/kernels/{}/{}/resolve/{}", request.reference->owner, request.reference->name,
                          encode_segment(request.revision));
  std::size_t start = 0;
  while (start <= request.path.size()) {
    const std::size_t end = std::min(request.path.find('/', start), request.path.size());
    url.path += "/" + encode_segment(std::string_view(request.path).substr(start, end - start));
    start = end + 1;
  }
  return url;
}

bool HubClient::may_have_token(const Url& url) const {
  return url.same_origin(settings_.endpoint) && (url.scheme == "https" || url.is_loopback());
}

void HubClient::log(const Url& url, const HttpResponse& response) const {
  if (!options_.log) return;
  const std::string answer = response.end == HttpResponse::End::kComplete
                                 ? fmt::format("{}, {} bytes", response.status, response.body.size())
                                 : fmt::format("{} after {} bytes", response.reason, response.body.size());
  options_.log(redact(fmt::format("GET {}: {}", url.shown(), answer), settings_.token));
}

Result<Url> HubClient::next_address(const Url& from, const HttpResponse& response) const {
  WGK_TRY(Url next, resolve(from, response.header("location")));
  if (from.scheme == "https" && next.scheme != "https") {
    return Error{ErrorCode::kPackage,
                 fmt::format("{} redirects to {}, which is not encrypted", from.shown(), next.shown())};
  }
  if (next.is_loopback() && !settings_.endpoint.is_loopback()) {
    return Error{ErrorCode::kPackage,
                 fmt::format("{} redirects to {}, which is this machine", from.shown(), next.shown())};
  }
  return next;
}

Result<HubClient::Answer> HubClient::follow(const FileRequest& request, const HubFile& so_far,
                                            const std::string& etag) {
  Answer answer;
  answer.url = address(request);
  for (int hop = 0;; ++hop) {
    HttpRequest get;
    get.url = answer.url;
    get.token = may_have_token(answer.url) ? settings_.token : std::string();
    get.from_byte = so_far.body.size();
    get.etag = etag;
    get.limit = request.limit;
    if (request.received) {
      get.received = [&](std::uint64_t received) { request.received(so_far.body.size() + received); };
    }
    answer.response = http_.get(get);
    log(answer.url, answer.response);
    // Only the Hub itself says which revision a file is of.
    if (answer.commit.empty() && answer.url.same_origin(settings_.endpoint)) {
      const std::string& commit = answer.response.header("x-repo-commit");
      if (is_commit(commit)) answer.commit = lower(commit);
    }
    if (answer.response.end != HttpResponse::End::kComplete || !is_redirect(answer.response.status)) return answer;
    if (hop == kMaxRedirects) {
      return Error{ErrorCode::kPackage, fmt::format("{} redirects again and again", answer.url.shown())};
    }
    WGK_TRY(answer.url, next_address(answer.url, answer.response));
  }
}

Result<HubFile> HubClient::get(const FileRequest& request) {
  HubFile file;
  std::string etag;
  std::chrono::milliseconds back_off = options_.retry_delay;
  for (int attempt = 1;; ++attempt) {
    auto answer = follow(request, file, etag);
    if (!answer) {
      return Error{answer.error().code,
                   redact(fmt::format("{}: {}: {}", request.reference->text(), request.path, answer.error().message),
                          settings_.token)};
    }
    const HttpResponse& response = answer->response;
    if (has_body(response) && response.end != HttpResponse::End::kTooLarge) {
      // A revision that moves between two attempts must not be mixed.
      if (!file.commit.empty() && file.commit != answer->commit) file.body.clear();
      file.commit = answer->commit;
      const bool complete = response.end == HttpResponse::End::kComplete;
      const bool misplaced = response.status == 206 && file.body.empty();
      if (!misplaced) take_body(response, file, etag);
      if (file.body.size() > request.limit) {
        answer->response.end = HttpResponse::End::kTooLarge;
        answer->response.reason = fmt::format("it is larger than {} bytes", request.limit);
        return failure(request, *answer);
      }
      if (complete && !misplaced && (response.status == 200 || file.resumed)) return file;
    } else if (response.status == 416) {
      file = {};  // what was there already is not part of this file
    } else if (!is_worth_retrying(response)) {
      return failure(request, *answer);
    }
    if (attempt >= options_.attempts) return failure(request, *answer);
    const auto asked = asked_delay(response, std::time(nullptr));
    if (asked && *asked > kMaxRetryAfter) return failure(request, *answer);
    std::this_thread::sleep_for(asked ? std::chrono::milliseconds(*asked) : back_off);
    back_off = std::min(2 * back_off, kMaxBackOff);
  }
}

std::string HubClient::refusal(const FileRequest& request, const Answer& answer) const {
  const HttpResponse& response = answer.response;
  const std::string repository = request.reference->repository();
  const bool sent_token = !settings_.token.empty() && may_have_token(settings_.endpoint);
  const std::string& code = response.header("x-error-code");
  switch (response.status) {
    case 401:
      if (sent_token) {
        return fmt::format(
            "the Hub does not accept the token (401); make one that may read {} at {}/settings/tokens "
            "and put it into HF_TOKEN",
            repository, settings_.endpoint.shown());
      }
      if (!settings_.token.empty()) {
        return fmt::format("the Hub wants a token (401), and none was sent because {} is not https",
                           settings_.endpoint.shown());
      }
      return "no access (401): the repository does not exist, or it is private and needs a token in HF_TOKEN";
    case 403:
      return fmt::format("no access (403){}", code == "GatedRepo"
                                                  ? fmt::format(": accept its conditions at {}/kernels/{} first",
                                                                settings_.endpoint.shown(), repository)
                                                  : ": the token in HF_TOKEN may not read it");
    case 404:
      if (code == "RevisionNotFound") {
        return fmt::format("the repository has no revision \"{}\" (404); {}/kernels/{}/tree lists them",
                           request.revision, settings_.endpoint.shown(), repository);
      }
      if (code == "EntryNotFound")
        return fmt::format("the repository has no {} (404): no WebGPU package", request.path);
      return fmt::format("not found (404): check the spelling of \"{}\" and \"{}\"{}", repository, request.revision,
                         sent_token ? "" : "; a private repository needs a token in HF_TOKEN");
    case 429: {
      const auto delay = asked_delay(response, std::time(nullptr));
      return fmt::format("too many requests (429); try again {}{}",
                         delay ? fmt::format("in {} s", delay->count()) : std::string("later"),
                         sent_token ? "" : ", or with a token in HF_TOKEN, which has a higher limit");
    }
    default:
      break;
  }
  if (response.status >= 500) return fmt::format("the Hub fails ({}); try again later", response.status);
  return fmt::format("unexpected answer {} from {}; HF_ENDPOINT must name a Hub", response.status, answer.url.shown());
}

Error HubClient::failure(const FileRequest& request, const Answer& answer) const {
  const HttpResponse& response = answer.response;
  std::string text;
  if (response.end == HttpResponse::End::kBroken) {
    text = fmt::format(
        "no complete answer from {} after {} attempts ({}); check the connection and HTTPS_PROXY, or use "
        "what is in the cache with --offline (HF_HUB_OFFLINE=1)",
        answer.url.origin(), options_.attempts, response.reason);
  } else if (response.end == HttpResponse::End::kRefused) {
    text = fmt::format("cannot talk to {} ({}); for a server with certificates of its own SSL_CERT_FILE names them",
                       answer.url.origin(), response.reason);
  } else if (response.end == HttpResponse::End::kTooLarge) {
    text = fmt::format("the file is refused: {}", response.reason);
  } else {
    text = refusal(request, answer);
    const std::string& said = response.header("x-error-message");
    if (!said.empty()) text += fmt::format(" (the Hub says: {})", package::printable(said));
  }
  return Error{ErrorCode::kPackage,
               redact(fmt::format("{}: {}: {}", request.reference->text(), request.path, text), settings_.token)};
}

}  // namespace wgk::hub
