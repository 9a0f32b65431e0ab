// Numbers as the JavaScript engine prints them (ECMAScript Number::toString, radix 10).
#pragma once

#include <string>

namespace wgk::base {

/// Shortest decimal digits that read back to the same double: "5", "0.30000000000000004", "1e+21", "1e-7", "NaN",
/// "Infinity", "0" for -0. Independent of the locale.
std::string js_number(double value);

}  // namespace wgk::base
