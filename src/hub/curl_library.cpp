// Finds libcurl at run time. The only file of this layer that opens a shared library.
#include "hub/curl_library.h"

#include <dlfcn.h>
#include <string>

#include <fmt/format.h>

namespace wgk::hub {
namespace {

#ifdef __APPLE__
constexpr const char* kNames[] = {"libcurl.4.dylib", "/usr/lib/libcurl.4.dylib"};
#else
// The builds against OpenSSL and GnuTLS have one interface.
constexpr const char* kNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, CurlLibrary& out) {
  return find(library, "curl_global_init", out.global_init) && find(library, "curl_easy_init", out.easy_init) &&
         find(library, "curl_easy_reset", out.easy_reset) && find(library, "curl_easy_perform", out.easy_perform) &&
         find(library, "curl_easy_cleanup", out.easy_cleanup) &&
         find(library, "curl_easy_strerror", out.easy_strerror) && find(library, "curl_getdate", out.getdate) &&
         find(library, "curl_slist_append", out.slist_append) &&
         find(library, "curl_slist_free_all", out.slist_free_all) &&
         find(library, "curl_easy_setopt", out.easy_setopt) && find(library, "curl_easy_getinfo", out.easy_getinfo);
}

Result<CurlLibrary> open() {
  std::string reason;
  for (const char* name : kNames) {
    // Never closed: libcurl and what it loads keep state for the life of the process.
    void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      if (const char* text = ::dlerror(); text != nullptr && reason.empty()) reason = text;
      continue;
    }
    CurlLibrary library;
    if (find_all(handle, library) && library.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK) return library;
    reason = fmt::format("{} does not work", name);
  }
  return Error{ErrorCode::kPackage,
               fmt::format("downloading needs libcurl, which could not be loaded ({}); install it (Debian: libcurl4), "
                           "or work offline with what the cache has",
                           reason)};
}

}  // namespace

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> kLibrary = open();
  if (!kLibrary) return kLibrary.error();
  return &*kLibrary;
}

}  // namespace wgk::hub
