// Reading an operator call: finding tensors and attributes, and the checks that all operators share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <wgk/status.hpp>

#include "ops/operator.h"

namespace wgk::ops {

/// The names that an operator declares, each list in binding order.
struct Signature {
  std::string_view id;    ///< "ai.onnx.RotaryEmbedding"
  std::string_view name;  ///< "RotaryEmbedding"
  std::span<const std::string_view> required_inputs;
  std::span<const std::string_view> optional_inputs;
  std::span<const std::string_view> outputs;
  std::span<const std::string_view> required_attributes;
  std::span<const std::string_view> optional_attributes;
};

/// A view of a call that phrases its complaints as "<op id>: <key>: <text>". Keeps references to both.
class CallReader {
 public:
  CallReader(const Signature& signature, const OpCall& call) : signature_(signature), call_(call) {}

  /// An error about `key`.
  template <typename... Args>
  Error fail(std::string_view key, fmt::format_string<Args...> text, Args&&... args) const {
    return Error{ErrorCode::kRequest,
                 fmt::format("{}: {}: {}", signature_.id, key, fmt::format(text, std::forward<Args>(args)...))};
  }

  /// The input, or nullptr.
  const HostTensor* input(std::string_view key) const;
  /// The attribute, or nullptr.
  const AttributeValue* attribute(std::string_view name) const;

  /// Required inputs and attributes are there; nothing undeclared is; no dimension is negative.
  Status check_names() const;
  /// The input has that dtype; `as` names the tensor it must agree with, or is empty.
  Status check_dtype(std::string_view key, DType wanted, std::string_view as) const;
  /// An integer attribute, or `fallback` when it is not given.
  Result<std::int64_t> integer(std::string_view name, std::int64_t fallback) const;
  /// Outputs that the caller provides have the shape and dtype of `model`, which the messages call `model_key`.
  Status check_given_outputs(std::string_view model_key, const HostTensor& model) const;
  /// Element counts; binding sizes against the limits of `profile` when there is one and something is bound; overlaps;
  /// and, for host data, that the bytes are all there. Outputs have the shape and dtype of `model`.
  Status check_sizes(const HostTensor& model, const DeviceProfile* profile) const;

 private:
  Status check_required() const;
  Status check_undeclared() const;
  Status check_dimensions() const;
  Status check_element_count(std::string_view key, const Shape& shape) const;
  Status check_binding(std::string_view key, DType dtype, const Shape& shape, const DeviceProfile& profile) const;
  Status check_overlaps() const;
  Status check_overlap(std::string_view output, std::string_view other) const;
  Status check_data() const;
  /// Calls visit(key, tensor) for every given input in binding order until it returns an error.
  template <typename Visit>
  Status for_each_input(Visit visit) const;

  const Signature& signature_;
  const OpCall& call_;
};

/// The value as messages show it: 2, 0.5, "text", true, [1,2].
std::string show(const AttributeValue& value);

/// The value as an integer when it is one; a double with an integral value counts.
std::optional<std::int64_t> as_integer(const AttributeValue& value);

}  // namespace wgk::ops
