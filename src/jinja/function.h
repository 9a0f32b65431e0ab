// What stands behind a value of kind Function.
#pragma once

#include <cstdint>
#include <string>

#include "jinja/value.h"

namespace wgk::jinja {

/// Methods of strings and maps, found by name on a value.
enum class Method : std::uint8_t {
  kUpper,
  kLower,
  kStrip,
  kSplit,
  kStartsWith,
  kEndsWith,
  kReplace,
  kGet,
  kKeys,
  kValues,
  kItems,
};

struct Value::Function {
  enum class Kind : std::uint8_t { kNative, kMethod, kMacro, kNamespace };

  Kind kind = Kind::kNative;
  Method method = Method::kUpper;  ///< kMethod
  std::uint32_t macro = 0;         ///< kMacro: index in the template that defines it
  std::string name;
  Callable callable;  ///< kNative
  Value bound;        ///< kMethod: the value it belongs to
};

}  // namespace wgk::jinja
