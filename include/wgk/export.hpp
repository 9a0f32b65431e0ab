// WGK_API: what the library exports. Everything else of it is hidden (tests/abi).
#pragma once

#if defined(WGK_STATIC)
#define WGK_API
#elif defined(_WIN32)
#if defined(WGK_BUILDING)
#define WGK_API __declspec(dllexport)
#else
#define WGK_API __declspec(dllimport)
#endif
#else
#define WGK_API __attribute__((visibility("default")))
#endif

// WGK_LOCAL: parts of exported classes that stay inside.
#if defined(_WIN32)
#define WGK_LOCAL
#else
#define WGK_LOCAL __attribute__((visibility("hidden")))
#endif
