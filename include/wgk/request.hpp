// Requests and tensors as JSON: the shape of a test.json case (docs/command-line.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <wgk/export.hpp>
#include <wgk/kernel.hpp>

namespace wgk::inline v0 {

struct Request {
  TensorMap inputs;
  RunOptions options;  ///< attrs, args and outputs are filled
};

/// Reads a request. `base` is the folder that npy paths are relative to. Keys are taken as written. Error: kRequest
/// with the JSON pointer of the place.
WGK_API Result<Request> request_from_json(std::string_view text, const std::filesystem::path& base);

/// Parses one attribute value, as `--attr NAME=JSON` gives it. Error: kUsage.
WGK_API Result<AttributeValue> attribute_from_json(std::string_view text);

/// {"dtype": …, "shape": […], "data": […]}; with `bits`, float data as {"kind": "bits", "values": [unsigned words]}.
/// NaN and infinities become the strings "NaN", "Infinity", "-Infinity".
WGK_API std::string tensor_to_json(const HostTensor& tensor, bool bits);

}  // namespace wgk::inline v0
