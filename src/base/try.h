// WGK_TRY: return early with the error of a Result or Status.
#pragma once

#include <utility>

#include <wgk/status.hpp>

#define WGK_CONCAT_INNER(a, b) a##b
#define WGK_CONCAT(a, b) WGK_CONCAT_INNER(a, b)

/// WGK_TRY(auto x, expression): x is the value, or the enclosing function returns the error.
#define WGK_TRY(declaration, ...) WGK_TRY_IMPL(WGK_CONCAT(wgk_result_, __COUNTER__), declaration, __VA_ARGS__)
#define WGK_TRY_IMPL(temporary, declaration, ...)              \
  auto temporary = (__VA_ARGS__);                              \
  if (!temporary.ok()) return std::move(temporary).error();    \
  declaration = *std::move(temporary)

/// WGK_CHECK(expression): the enclosing function returns the error of a Status that is not ok.
#define WGK_CHECK(...)                                           \
  do {                                                           \
    if (auto wgk_status = (__VA_ARGS__); !wgk_status.ok()) {     \
      return std::move(wgk_status).error();                      \
    }                                                            \
  } while (false)
