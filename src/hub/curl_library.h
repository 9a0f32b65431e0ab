// libcurl, opened when the first request is made: a program that has its packages does not pay for loading libcurl and
// the thirty libraries behind it. The types come from curl's header; nothing links it.
#pragma once

#include <curl/curl.h>

#include <wgk/status.hpp>

namespace wgk::hub {

/// The functions of libcurl that are used.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_getdate) getdate = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  CURLcode (*easy_setopt)(CURL*, CURLoption, ...) = nullptr;
  CURLcode (*easy_getinfo)(CURL*, CURLINFO, ...) = nullptr;
};

/// Opened once for the process. Error: kPackage, naming what to install.
Result<const CurlLibrary*> curl_library();

}  // namespace wgk::hub
