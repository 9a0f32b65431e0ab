// Messages about elements that a comparison rejects.
#include "ops/mismatch.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace wgk::ops {
namespace {

Shape place_of(const Shape& shape, std::size_t flat) {
  Shape place(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto dimension = static_cast<std::size_t>(shape[i]);
    place[i] = static_cast<std::int64_t>(flat % dimension);
    flat /= dimension;
  }
  return place;
}

}  // namespace

void Mismatches::add_element(std::string_view key, const Shape& shape, std::size_t flat, std::string_view got,
                             std::string_view want) {
  if (full()) return;
  add(fmt::format("{}{}: got {}, want {}", key, to_string(place_of(shape, flat)), got, want));
}

const HostTensor* find_output(std::string_view key, const OpOutputs& outputs) {
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [&](const auto& output) { return output.first == key; });
  return found == outputs.end() ? nullptr : &found->second;
}

const HostTensor* find_comparable(std::string_view key, const HostTensor& want, const OpOutputs& got,
                                  Mismatches& mismatches) {
  const HostTensor* tensor = find_output(key, got);
  if (tensor == nullptr) {
    mismatches.add(fmt::format("{}: output is missing", key));
    return nullptr;
  }
  if (tensor->dtype != want.dtype || tensor->shape != want.shape) {
    mismatches.add(fmt::format("{}: got {} {}, want {} {}", key, dtype_name(tensor->dtype), to_string(tensor->shape),
                               dtype_name(want.dtype), to_string(want.shape)));
    return nullptr;
  }
  if (tensor->data.size() != want.data.size()) {
    mismatches.add(fmt::format("{}: got {} bytes, want {}", key, tensor->data.size(), want.data.size()));
    return nullptr;
  }
  return tensor;
}

bool is_nan(Float16 value) { return (value.bits & 0x7fff) > 0x7c00; }
bool is_nan(Bfloat16 value) { return (value.bits & 0x7fff) > 0x7f80; }

std::string show(Float16 value) { return fmt::format("{:#06x} ({})", value.bits, float16_to_float(value)); }

std::string show(Bfloat16 value) { return fmt::format("{:#06x} ({})", value.bits, bfloat16_to_float(value)); }

std::string show(float value) { return fmt::format("{:#010x} ({})", std::bit_cast<std::uint32_t>(value), value); }

}  // namespace wgk::ops
