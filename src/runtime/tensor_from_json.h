// {"dtype": …, "shape": …, "data": …} -> HostTensor.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

#include "base/json.h"

namespace wgk::runtime {

/// Reads a tensor. `pointer` is its place and `name` its key, for messages; npy paths are relative to `base`. The data
/// may take at most `budget` bytes, which the tensor's size is taken from. Error: kRequest.
Result<HostTensor> tensor_from_json(const base::Json& json, const std::string& pointer, std::string_view name,
                                    const std::filesystem::path& base, std::uint64_t& budget);

}  // namespace wgk::runtime
