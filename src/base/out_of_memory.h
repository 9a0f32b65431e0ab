// What public functions return when an allocation fails.
#pragma once

#include <wgk/status.hpp>

namespace wgk::base {

/// For `catch (const std::bad_alloc&)`. The text fits into a string without an allocation of its own.
inline Error out_of_memory(ErrorCode code) { return Error{code, "out of memory"}; }

}  // namespace wgk::base

/// Ends the function try block of a function that returns a Result or Status.
#define WGK_CATCH_OUT_OF_MEMORY(code)        \
  catch (const std::bad_alloc&) {            \
    return ::wgk::base::out_of_memory(code); \
  }
