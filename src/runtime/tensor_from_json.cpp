// Reads the tensors of a request: flat lists, bits, fills and npy files.
#include "runtime/tensor_from_json.h"

#include <cstring>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/checked.h"
#include "base/try.h"
#include "runtime/element_json.h"
#include "runtime/npy.h"

namespace wgk::runtime {
namespace {

using base::Json;
using base::pointer_child;

Error bad(const std::string& pointer, std::string_view reason) {
  return Error{ErrorCode::kRequest, fmt::format("request: {}: {}", pointer, reason)};
}

/// "has unknown key" with the nearest known one.
Status check_keys(const Json& object, const std::string& pointer, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.items()) {
    bool found = false;
    for (const std::string& name : known) found = found || name == key;
    if (found) continue;
    const std::string near = base::nearest(key, known);
    return bad(pointer, near.empty() ? fmt::format("unknown key \"{}\"", key)
                                     : fmt::format("unknown key \"{}\"; did you mean \"{}\"?", key, near));
  }
  return {};
}

Result<DType> read_dtype(const Json& json, const std::string& pointer) {
  const auto found = json.find("dtype");
  if (found == json.end()) return bad(pointer, "dtype is missing");
  if (!found->is_string()) return bad(pointer_child(pointer, "dtype"), "must be a string such as \"float32\"");
  const std::string& text = found->get_ref<const std::string&>();
  if (const auto dtype = dtype_from_name(text)) return *dtype;
  std::vector<std::string> known;
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) known.emplace_back(dtype_name(static_cast<DType>(i)));
  return bad(pointer_child(pointer, "dtype"),
             fmt::format("unknown dtype \"{}\" (known: {})", text.substr(0, 40), fmt::join(known, ", ")));
}

Result<std::int64_t> read_dimension(const Json& json, const std::string& pointer) {
  std::int64_t value = -1;
  if (!json.is_string() && !write_element(json, DType::kInt64, reinterpret_cast<std::byte*>(&value)) && value >= 0) {
    return value;
  }
  return bad(pointer, "a dimension must be an integer >= 0");
}

Result<Shape> read_shape(const Json& json, const std::string& pointer) {
  const auto found = json.find("shape");
  if (found == json.end()) return bad(pointer, "shape is missing");
  const std::string at = pointer_child(pointer, "shape");
  if (!found->is_array()) return bad(at, "must be a list of integers");
  if (found->size() > limits::kMaxRank)
    return bad(at, fmt::format("rank {} is above the limit of {}", found->size(), limits::kMaxRank));
  Shape shape;
  for (std::size_t i = 0; i < found->size(); ++i) {
    WGK_TRY(const std::int64_t dimension, read_dimension((*found)[i], pointer_child(at, i)));
    shape.push_back(dimension);
  }
  return shape;
}

/// A tensor being read: what is known of it and where it stands.
struct Reader {
  const std::string& pointer;  ///< of "data"
  std::string_view name;
  const std::filesystem::path& base;
  HostTensor tensor;
  std::size_t count = 0;

  using WriteElement = std::optional<std::string> (*)(const Json&, DType, std::byte*);

  Status read_list(const Json& list, const std::string& at, WriteElement write) {
    if (!list.is_array()) return bad(at, "must be a flat list of numbers");
    if (list.size() != count) {
      return bad(
          at, fmt::format("{}: {} values, but shape {} needs {}", name, list.size(), to_string(tensor.shape), count));
    }
    const std::size_t size = dtype_size(tensor.dtype);
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto problem = write(list[i], tensor.dtype, tensor.data.data() + i * size)) {
        return bad(pointer_child(at, i), fmt::format("{}[{}]: {}", name, i, *problem));
      }
    }
    return {};
  }

  Status read_fill(const Json& object) {
    WGK_CHECK(check_keys(object, pointer, {"kind", "value"}));
    const auto value = object.find("value");
    if (value == object.end()) return bad(pointer, "value is missing");
    std::byte element[8] = {};
    if (const auto problem = write_element(*value, tensor.dtype, element)) {
      return bad(pointer_child(pointer, "value"), fmt::format("{}: {}", name, *problem));
    }
    const std::size_t size = dtype_size(tensor.dtype);
    const std::byte zero[8] = {};
    if (std::memcmp(element, zero, size) == 0) return {};  // already so, and its pages need not be touched
    for (std::size_t i = 0; i < count; ++i) std::memcpy(tensor.data.data() + i * size, element, size);
    return {};
  }

  Status read_npy_file(const Json& object) {
    WGK_CHECK(check_keys(object, pointer, {"kind", "path"}));
    const auto path = object.find("path");
    if (path == object.end() || !path->is_string()) return bad(pointer, "path is missing");
    const std::string& text = path->get_ref<const std::string&>();
    auto loaded = read_npy(base / std::filesystem::u8path(text), tensor.data.size());
    if (!loaded) return bad(pointer, fmt::format("{}: {}: {}", name, text, loaded.error().message));
    if (loaded->dtype != tensor.dtype || loaded->shape != tensor.shape) {
      return bad(pointer,
                 fmt::format("{}: {} holds {} {}, but the request says {} {}", name, text, dtype_name(loaded->dtype),
                             to_string(loaded->shape), dtype_name(tensor.dtype), to_string(tensor.shape)));
    }
    tensor.data = std::move(loaded->data);
    return {};
  }

  Status read_object(const Json& object) {
    const auto kind = object.find("kind");
    if (kind == object.end() || !kind->is_string()) return bad(pointer, "kind is missing");
    const std::string& text = kind->get_ref<const std::string&>();
    if (text == "fill") return read_fill(object);
    if (text == "npy") return read_npy_file(object);
    if (text != "values" && text != "bits") {
      return bad(pointer_child(pointer, "kind"),
                 fmt::format("unknown kind \"{}\" (known: values, bits, npy, fill)", text.substr(0, 40)));
    }
    WGK_CHECK(check_keys(object, pointer, {"kind", "values"}));
    const auto values = object.find("values");
    if (values == object.end()) return bad(pointer, "values is missing");
    return read_list(*values, pointer_child(pointer, "values"), text == "bits" ? write_element_bits : write_element);
  }
};

}  // namespace

Result<HostTensor> tensor_from_json(const Json& json, const std::string& pointer, std::string_view name,
                                    const std::filesystem::path& base, std::uint64_t& budget) {
  if (!json.is_object()) return bad(pointer, "must be an object {\"dtype\": …, \"shape\": …, \"data\": …}");
  WGK_CHECK(check_keys(json, pointer, {"dtype", "shape", "data"}));
  WGK_TRY(const DType dtype, read_dtype(json, pointer));
  WGK_TRY(Shape shape, read_shape(json, pointer));
  const auto data = json.find("data");
  if (data == json.end()) return bad(pointer, "data is missing");

  const auto count = element_count(shape);
  const auto bytes =
      count ? base::checked_mul<std::uint64_t>(static_cast<std::uint64_t>(*count), dtype_size(dtype)) : std::nullopt;
  if (!bytes) return bad(pointer, fmt::format("{}: shape {} is out of range", name, to_string(shape)));
  // A list is compared with the shape before memory is taken, a file before it is read; only a fill can ask for much.
  if (data->is_array() && data->size() != static_cast<std::uint64_t>(*count)) {
    return bad(pointer_child(pointer, "data"),
               fmt::format("{}: {} values, but shape {} needs {}", name, data->size(), to_string(shape), *count));
  }
  if (*bytes > budget) {
    return bad(pointer, fmt::format("{}: {} bytes; the tensors of a request may have {} bytes in all", name, *bytes,
                                    limits::kMaxRequestBytes));
  }
  budget -= *bytes;

  const std::string at = pointer_child(pointer, "data");
  try {
    Reader reader{at, name, base, HostTensor{dtype, std::move(shape), {}}, static_cast<std::size_t>(*count)};
    reader.tensor.data.resize(static_cast<std::size_t>(*bytes));
    WGK_CHECK(data->is_object() ? reader.read_object(*data) : reader.read_list(*data, at, write_element));
    return std::move(reader.tensor);
  } catch (const std::bad_alloc&) {
    return bad(pointer, fmt::format("{}: {} bytes do not fit in memory", name, *bytes));
  }
}

}  // namespace wgk::runtime
