// Reading NumPy .npy files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

namespace wgk::runtime {

/// What the header of an .npy file says.
struct NpyHeader {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::size_t data_offset = 0;
};

/// Parses the start of a file: format 1.0, 2.0 or 3.0, C order, little-endian. The error holds the reason only.
Result<NpyHeader> parse_npy_header(std::string_view bytes);

/// Parses a whole file; its size must be exactly what the header promises. The error holds the reason only.
Result<HostTensor> parse_npy(std::string_view bytes);

/// Reads a regular file of at most `max_data_bytes` of elements. The error holds the reason only.
Result<HostTensor> read_npy(const std::filesystem::path& path, std::uint64_t max_data_bytes);

}  // namespace wgk::runtime
