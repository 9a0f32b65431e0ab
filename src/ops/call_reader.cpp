// The checks that all operators share.
#include "ops/call_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/ranges.h>

#include "base/checked.h"
#include "base/js_number.h"
#include "base/try.h"

namespace wgk::ops {
namespace {

/// Kernels index with u32.
constexpr std::int64_t kElementLimit = std::int64_t{1} << 32;

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Bytes of one element in a device buffer: positions travel as uint32 there.
std::uint64_t storage_size(DType dtype) { return dtype == DType::kInt64 ? 4 : dtype_size(dtype); }

/// Bindings are whole 32-bit words, and at least one.
std::uint64_t binding_size(std::uint64_t bytes) { return std::max<std::uint64_t>(4, (bytes + 3) / 4 * 4); }

}  // namespace

std::string show(const AttributeValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::is_same_v<Held, double>) {
          return std::isfinite(held) ? base::js_number(held) : fmt::format("{}", held);
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return fmt::format("\"{}\"", held);
        } else if constexpr (std::is_same_v<Held, AttributeValue::List>) {
          std::vector<std::string> parts;
          std::transform(held.begin(), held.end(), std::back_inserter(parts), show);
          return fmt::format("[{}]", fmt::join(parts, ","));
        } else {
          return fmt::format("{}", held);
        }
      },
      value.get());
}

std::optional<std::int64_t> as_integer(const AttributeValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.get())) return *integer;
  const auto* number = std::get_if<double>(&value.get());
  // Beyond 2^53 a double no longer says which integer was meant.
  if (number == nullptr || !(std::abs(*number) <= 0x1p53) || *number != std::trunc(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

const HostTensor* CallReader::input(std::string_view key) const {
  const auto found = call_.inputs.find(key);
  return found == call_.inputs.end() ? nullptr : found->second;
}

const AttributeValue* CallReader::attribute(std::string_view name) const {
  const auto found = call_.attributes.find(name);
  return found == call_.attributes.end() ? nullptr : &found->second;
}

template <typename Visit>
Status CallReader::for_each_input(Visit visit) const {
  for (const auto keys : {signature_.required_inputs, signature_.optional_inputs}) {
    for (const std::string_view key : keys) {
      if (const HostTensor* tensor = input(key)) WGK_CHECK(visit(key, *tensor));
    }
  }
  return {};
}

Status CallReader::check_names() const {
  WGK_CHECK(check_required());
  WGK_CHECK(check_undeclared());
  return check_dimensions();
}

Status CallReader::check_required() const {
  for (const std::string_view key : signature_.required_inputs) {
    if (input(key) == nullptr) return fail(key, "required input is missing");
  }
  for (const std::string_view name : signature_.required_attributes) {
    if (attribute(name) == nullptr) return fail(name, "required attribute is missing");
  }
  return {};
}

Status CallReader::check_undeclared() const {
  for (const auto& [key, tensor] : call_.inputs) {
    if (tensor == nullptr || contains(signature_.required_inputs, key)) continue;
    if (!contains(signature_.optional_inputs, key)) return fail(key, "is not an input of {}", signature_.name);
  }
  for (const auto& [name, value] : call_.attributes) {
    if (contains(signature_.required_attributes, name) || contains(signature_.optional_attributes, name)) continue;
    return fail(name, "is not an attribute of {}", signature_.name);
  }
  for (const auto& [key, output] : call_.outputs) {
    if (!contains(signature_.outputs, key)) return fail(key, "is not an output of {}", signature_.name);
  }
  return {};
}

Status CallReader::check_dimensions() const {
  return for_each_input([&](std::string_view key, const HostTensor& tensor) -> Status {
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      if (tensor.shape[i] < 0) return fail(key, "dimension {} is {}, must be >= 0", i, tensor.shape[i]);
    }
    return {};
  });
}

Status CallReader::check_dtype(std::string_view key, DType wanted, std::string_view as) const {
  const DType dtype = input(key)->dtype;
  if (dtype == wanted) return {};
  const std::string reason = as.empty() ? "" : fmt::format(" as {}", as);
  return fail(key, "dtype {} must be {}{}", dtype_name(dtype), dtype_name(wanted), reason);
}

Result<std::int64_t> CallReader::integer(std::string_view name, std::int64_t fallback) const {
  const AttributeValue* value = attribute(name);
  if (value == nullptr) return fallback;
  const auto integer = as_integer(*value);
  if (!integer) return fail(name, "{} must be an integer", show(*value));
  return *integer;
}

Status CallReader::check_given_outputs(std::string_view model_key, const HostTensor& model) const {
  for (const std::string_view key : signature_.outputs) {
    const auto found = call_.outputs.find(key);
    if (found == call_.outputs.end()) continue;
    const GivenOutput& output = found->second;
    if (output.shape != model.shape) {
      return fail(key, "shape {} must be {} shape = {}", to_string(output.shape), model_key, to_string(model.shape));
    }
    if (output.dtype != model.dtype) {
      return fail(key, "dtype {} must be {} as {}", dtype_name(output.dtype), dtype_name(model.dtype), model_key);
    }
  }
  return {};
}

Status CallReader::check_sizes(const HostTensor& model, const DeviceProfile* profile) const {
  WGK_CHECK(for_each_input(
      [&](std::string_view key, const HostTensor& tensor) { return check_element_count(key, tensor.shape); }));
  // An empty call binds nothing, so no limit of the device applies to it.
  if (profile != nullptr && element_count(model.shape) != 0) {
    WGK_CHECK(for_each_input([&](std::string_view key, const HostTensor& tensor) {
      return check_binding(key, tensor.dtype, tensor.shape, *profile);
    }));
    for (const std::string_view key : signature_.outputs) {
      WGK_CHECK(check_binding(key, model.dtype, model.shape, *profile));
    }
  }
  WGK_CHECK(check_overlaps());
  return call_.host_data ? check_data() : Status();
}

Status CallReader::check_element_count(std::string_view key, const Shape& shape) const {
  const auto count = element_count(shape);
  if (!count) return fail(key, "shape {} must have < {} elements", to_string(shape), kElementLimit);
  if (*count >= kElementLimit) return fail(key, "{} elements must be < {}", *count, kElementLimit);
  return {};
}

Status CallReader::check_binding(std::string_view key, DType dtype, const Shape& shape,
                                 const DeviceProfile& profile) const {
  const auto count = static_cast<std::uint64_t>(element_count(shape).value_or(0));
  const std::uint64_t need = binding_size(count * storage_size(dtype));
  for (const std::string_view name : {"maxStorageBufferBindingSize", "maxBufferSize"}) {
    const std::uint64_t limit = profile.limit(name, std::numeric_limits<std::uint64_t>::max());
    if (need > limit) return fail(key, "{} bytes must be <= {} = {}", need, name, limit);
  }
  return {};
}

Status CallReader::check_overlaps() const {
  for (std::size_t i = 0; i < signature_.outputs.size(); ++i) {
    const std::string_view output = signature_.outputs[i];
    for (const auto inputs : {signature_.required_inputs, signature_.optional_inputs}) {
      for (const std::string_view key : inputs) {
        // The same key on both sides is one tensor, which the operator updates in place.
        if (key != output) WGK_CHECK(check_overlap(output, key));
      }
    }
    for (const std::string_view later : signature_.outputs.subspan(i + 1)) WGK_CHECK(check_overlap(output, later));
  }
  return {};
}

Status CallReader::check_overlap(std::string_view output, std::string_view other) const {
  const auto a = call_.ranges.find(output);
  const auto b = call_.ranges.find(other);
  if (a == call_.ranges.end() || b == call_.ranges.end() || a->second.buffer != b->second.buffer) return {};
  const auto end = [](const ByteRange& range) {
    return base::checked_add(range.offset, range.size).value_or(std::numeric_limits<std::uint64_t>::max());
  };
  const std::uint64_t first = std::max(a->second.offset, b->second.offset);
  const std::uint64_t last = std::min(end(a->second), end(b->second));
  if (first >= last) return {};
  return fail(output, "overlaps {} at bytes [{}, {})", other, first, last);
}

Status CallReader::check_data() const {
  return for_each_input([&](std::string_view key, const HostTensor& tensor) -> Status {
    const auto count = static_cast<std::uint64_t>(element_count(tensor.shape).value_or(0));
    const std::uint64_t need = count * dtype_size(tensor.dtype);
    if (tensor.data.size() == need) return {};
    return fail(key, "data of {} bytes must be {} for {} {}", tensor.data.size(), need, dtype_name(tensor.dtype),
                to_string(tensor.shape));
  });
}

}  // namespace wgk::ops
