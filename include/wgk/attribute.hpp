// Attribute and scalar-argument values of a call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace wgk::inline v0 {

/// A number, bool, string, or list of these. Integers outside [-2^53, 2^53] are refused when the value is used, since
/// manifests compute with IEEE doubles.
class AttributeValue {
 public:
  using List = std::vector<AttributeValue>;

  AttributeValue(bool value) : value_(value) {}  // NOLINT: implicit by design, so that {{"interleaved", 1}} works
  template <typename T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  AttributeValue(T value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT: implicit by design
  AttributeValue(double value) : value_(value) {}                        // NOLINT: implicit by design
  AttributeValue(std::string value) : value_(std::move(value)) {}        // NOLINT: implicit by design
  AttributeValue(const char* value) : value_(std::string(value)) {}      // NOLINT: implicit by design
  AttributeValue(List value) : value_(std::move(value)) {}               // NOLINT: implicit by design

  using Variant = std::variant<bool, std::int64_t, double, std::string, List>;
  const Variant& get() const { return value_; }  ///< the value as it was given

  friend bool operator==(const AttributeValue&, const AttributeValue&) = default;

 private:
  Variant value_;
};

/// Attribute name -> value.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

}  // namespace wgk::inline v0
