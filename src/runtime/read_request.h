// Reading a request under a limit of the caller's choice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <wgk/request.hpp>

namespace wgk::runtime {

/// As request_from_json; the tensors of the request may have `max_tensor_bytes` in all.
Result<Request> read_request(std::string_view text, const std::filesystem::path& base, std::uint64_t max_tensor_bytes);

}  // namespace wgk::runtime
