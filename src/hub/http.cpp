// HttpClient on libcurl's easy interface. The only file that knows curl's options.
#include "hub/http.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <wgk/version.hpp>

#include "base/try.h"
#include "hub/curl_library.h"
#include "package/node.h"

namespace wgk::hub {
namespace {

constexpr std::size_t kMaxHeaderBytes = 64u << 10;
constexpr std::size_t kMaxHeaders = 100;
constexpr long kSlowestBytesPerSecond = 16;  ///< fewer over a whole timeout count as none

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  return std::string(text);
}

/// What the callbacks of one request write to.
struct Transfer {
  const HttpRequest* request = nullptr;
  HttpResponse response;
  std::size_t header_bytes = 0;
  bool too_large = false;
};

/// A header line, or a status line that begins an answer anew (a proxy's comes before the server's).
void take_header(Transfer& transfer, std::string_view line) {
  if (line.starts_with("HTTP/")) {
    transfer.response.headers.clear();
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || transfer.response.headers.size() >= kMaxHeaders) return;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  transfer.response.headers[std::move(name)] = trimmed(line.substr(colon + 1));
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t bytes = size * count;
  transfer.header_bytes += bytes;
  if (transfer.header_bytes > kMaxHeaderBytes) return 0;
  try {
    take_header(transfer, std::string_view(data, bytes));
    return bytes;
  } catch (const std::exception&) {
    return 0;
  }
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t bytes = size * count;
  std::string& body = transfer.response.body;
  if (bytes > transfer.request->limit || body.size() > transfer.request->limit - bytes) {
    transfer.too_large = true;
    return 0;
  }
  try {
    body.append(data, bytes);
    if (transfer.request->received) transfer.request->received(body.size());
    return bytes;
  } catch (const std::exception&) {
    return 0;
  }
}

HttpResponse::End end_of(CURLcode code, const Transfer& transfer) {
  if (transfer.too_large) return HttpResponse::End::kTooLarge;
  switch (code) {
    case CURLE_OK:
      return HttpResponse::End::kComplete;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return HttpResponse::End::kBroken;
    default:
      return HttpResponse::End::kRefused;
  }
}

}  // namespace

const std::string& HttpResponse::header(const std::string& name) const {
  static const std::string kNone;
  const auto found = headers.find(name);
  return found == headers.end() ? kNone : found->second;
}

struct HttpClient::State {
  const CurlLibrary* curl = nullptr;
  CURL* handle = nullptr;
  Options options;
  curl_slist* headers = nullptr;
  bool headers_complete = true;
  char error[CURL_ERROR_SIZE] = {};

  ~State() {
    if (headers != nullptr) curl->slist_free_all(headers);
    if (handle != nullptr) curl->easy_cleanup(handle);
  }

  template <typename Value>
  void set(CURLoption option, Value value) {
    curl->easy_setopt(handle, option, value);
  }

  void add_header(const std::string& line) {
    curl_slist* longer = curl->slist_append(headers, line.c_str());
    if (longer == nullptr) {
      headers_complete = false;
    } else {
      headers = longer;
    }
  }

  void set_connection(const Url& url);
  void set_headers(const HttpRequest& request);
};

void HttpClient::State::set_connection(const Url& url) {
#if LIBCURL_VERSION_NUM >= 0x075500
  set(CURLOPT_PROTOCOLS_STR, "http,https");
#else
  set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  // What goes to this machine must not travel to a proxy.
  if (url.is_loopback()) set(CURLOPT_PROXY, "");
  const long timeout = static_cast<long>(options.timeout.count());
  set(CURLOPT_CONNECTTIMEOUT_MS, timeout);
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
  set(CURLOPT_LOW_SPEED_TIME, std::max(1L, (timeout + 999) / 1000));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.total_timeout.count()));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (options.ca_file.empty()) return;
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(options.ca_file, ignored);
  set(folder ? CURLOPT_CAPATH : CURLOPT_CAINFO, options.ca_file.c_str());
}

void HttpClient::State::set_headers(const HttpRequest& request) {
  if (headers != nullptr) curl->slist_free_all(headers);
  headers = nullptr;
  headers_complete = true;
  add_header("Accept-Encoding: identity");
  if (!request.token.empty()) add_header("Authorization: Bearer " + request.token);
  if (request.from_byte > 0) add_header(fmt::format("Range: bytes={}-", request.from_byte));
  if (request.from_byte > 0 && !request.etag.empty()) add_header("If-Range: " + request.etag);
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // none of them for a proxy
}

Result<HttpClient> HttpClient::create(const Options& options) {
  WGK_TRY(const CurlLibrary* library, curl_library());
  auto state = std::make_unique<State>();
  state->curl = library;
  state->options = options;
  state->handle = library->easy_init();
  if (state->handle == nullptr) return Error{ErrorCode::kPackage, "libcurl could not be started (out of memory?)"};
  return HttpClient(std::move(state));
}

HttpClient::HttpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

HttpResponse HttpClient::get(const HttpRequest& request) {
  State& state = *state_;
  Transfer transfer;
  transfer.request = &request;
  const std::string url = request.url.text();
  const std::string agent = fmt::format("wgk/{}", version_string());
  state.curl->easy_reset(state.handle);
  state.set(CURLOPT_URL, url.c_str());
  state.set(CURLOPT_USERAGENT, agent.c_str());
  state.set_connection(request.url);
  state.set_headers(request);
  if (!state.headers_complete) {
    transfer.response.end = HttpResponse::End::kRefused;
    transfer.response.reason = "out of memory";
    return std::move(transfer.response);
  }
  state.error[0] = '\0';
  state.set(CURLOPT_ERRORBUFFER, static_cast<char*>(state.error));
  state.set(CURLOPT_HEADERFUNCTION, &on_header);
  state.set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  state.set(CURLOPT_WRITEFUNCTION, &on_body);
  state.set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  const CURLcode code = state.curl->easy_perform(state.handle);
  long status = 0;
  state.curl->easy_getinfo(state.handle, CURLINFO_RESPONSE_CODE, &status);
  HttpResponse& response = transfer.response;
  response.status = static_cast<int>(status);
  response.end = end_of(code, transfer);
  if (response.end == HttpResponse::End::kTooLarge) {
    response.reason = fmt::format("it is larger than {} bytes", request.limit);
  } else if (code != CURLE_OK) {
    response.reason = package::printable(state.error[0] != '\0' ? state.error : state.curl->easy_strerror(code));
  }
  return std::move(response);
}

}  // namespace wgk::hub
