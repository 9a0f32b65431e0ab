// A strict reader of the .npy format: a magic, a version, a Python dictionary literal and the raw elements.
#include "runtime/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/checked.h"
#include "base/try.h"

namespace wgk::runtime {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

Error bad(std::string reason) { return Error{ErrorCode::kRequest, std::move(reason)}; }

/// The part of Python's literal syntax that a header may use.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse() {
    WGK_CHECK(expect('{'));
    while (!accept('}')) {
      WGK_CHECK(parse_entry());
      if (!accept(',')) {
        WGK_CHECK(expect('}'));
        break;
      }
    }
    skip_space();
    if (position_ != text_.size()) return bad("not an npy file: text after the header dictionary");
    if (!dtype_ || !order_seen_ || !shape_)
      return bad("not an npy file: the header needs descr, fortran_order and shape");
    return NpyHeader{*dtype_, *std::move(shape_), 0};
  }

 private:
  Status parse_entry() {
    WGK_TRY(const std::string key, parse_string());
    WGK_CHECK(expect(':'));
    if (key == "descr" && !dtype_) return parse_descr();
    if (key == "fortran_order" && !order_seen_) return parse_order();
    if (key == "shape" && !shape_) return parse_shape();
    return bad(fmt::format("not an npy file: unexpected or repeated header key \"{}\"", key));
  }

  Status parse_descr() {
    skip_space();
    if (position_ < text_.size() && text_[position_] == '[') return bad("structured npy dtypes are not supported");
    WGK_TRY(const std::string descr, parse_string());
    static constexpr std::pair<std::string_view, DType> kDescrs[] = {
        {"<f4", DType::kFloat32}, {"<f2", DType::kFloat16}, {"|i1", DType::kInt8},
        {"<i2", DType::kInt16},   {"<i4", DType::kInt32},   {"<i8", DType::kInt64},
        {"|u1", DType::kUint8},   {"<u4", DType::kUint32},  {"|b1", DType::kBool}};
    for (const auto& [name, dtype] : kDescrs) {
      if (name == descr) dtype_ = dtype;
    }
    if (dtype_) return {};
    if (!descr.empty() && descr[0] == '>')
      return bad(fmt::format("npy dtype \"{}\" is big-endian; save it little-endian", descr));
    return bad(fmt::format("npy dtype \"{}\" is not supported (known: <f4 <f2 |i1 <i2 <i4 <i8 |u1 <u4 |b1)", descr));
  }

  Status parse_order() {
    skip_space();
    order_seen_ = true;
    if (accept_word("False")) return {};
    if (accept_word("True")) return bad("npy data is in Fortran order; save it in C order (numpy.ascontiguousarray)");
    return bad("not an npy file: fortran_order is neither True nor False");
  }

  Status parse_shape() {
    WGK_CHECK(expect('('));
    Shape shape;
    bool comma = true;  // "(3)" is a number in Python, not a tuple
    while (!accept(')')) {
      if (!comma) return bad("not an npy file: malformed shape");
      WGK_TRY(const std::int64_t dimension, parse_dimension());
      shape.push_back(dimension);
      if (shape.size() > limits::kMaxRank)
        return bad(fmt::format("npy shape has more than {} dimensions", limits::kMaxRank));
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) return bad("not an npy file: malformed shape");
    shape_ = std::move(shape);
    return {};
  }

  Result<std::int64_t> parse_dimension() {
    skip_space();
    std::int64_t value = 0;
    const char* begin = text_.data() + position_;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || value < 0) return bad("not an npy file: malformed shape");
    position_ += static_cast<std::size_t>(stop - begin);
    return value;
  }

  Result<std::string> parse_string() {
    skip_space();
    if (position_ >= text_.size() || (text_[position_] != '\'' && text_[position_] != '"')) {
      return bad("not an npy file: malformed header");
    }
    const char quote = text_[position_++];
    const std::size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) return bad("not an npy file: malformed header");
    std::string value(text_.substr(position_, end - position_));
    const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '\\'; };
    if (!std::all_of(value.begin(), value.end(), plain)) return bad("not an npy file: malformed header");
    position_ = end + 1;
    return value;
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }
  bool accept(char c) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  bool accept_word(std::string_view word) {
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  Status expect(char c) {
    if (accept(c)) return {};
    return bad("not an npy file: malformed header");
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::optional<DType> dtype_;
  std::optional<Shape> shape_;
  bool order_seen_ = false;
};

/// Bytes of the elements that a header promises.
Result<std::uint64_t> data_bytes(const NpyHeader& header) {
  const auto count = element_count(header.shape);
  if (!count) return bad(fmt::format("npy shape {} is out of range", to_string(header.shape)));
  const auto bytes = base::checked_mul<std::uint64_t>(static_cast<std::uint64_t>(*count), dtype_size(header.dtype));
  if (!bytes) return bad(fmt::format("npy shape {} is out of range", to_string(header.shape)));
  return *bytes;
}

Error wrong_size(std::uint64_t have, std::uint64_t want, const NpyHeader& header) {
  return bad(fmt::format("npy file holds {} bytes of data, but {} {} needs {}", have, dtype_name(header.dtype),
                         to_string(header.shape), want));
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view bytes) {
  if (bytes.size() < 10 || bytes.substr(0, kMagic.size()) != kMagic) return bad("not an npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0)
    return bad(fmt::format("npy version {}.{} is not supported", major, byte(7)));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (bytes.size() < start) return bad("npy header is cut off");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(8 + i) << (8 * i);
  if (length > limits::kMaxNpyHeader)
    return bad(fmt::format("npy header is {} bytes; the limit is {}", length, limits::kMaxNpyHeader));
  if (bytes.size() - start < length) return bad("npy header is cut off");
  WGK_TRY(NpyHeader header, HeaderParser(bytes.substr(start, length)).parse());
  header.data_offset = start + length;
  return header;
}

Result<HostTensor> parse_npy(std::string_view bytes) {
  WGK_TRY(NpyHeader header, parse_npy_header(bytes));
  WGK_TRY(const std::uint64_t want, data_bytes(header));
  const std::string_view data = bytes.substr(header.data_offset);
  if (data.size() != want) return wrong_size(data.size(), want, header);
  HostTensor tensor{header.dtype, std::move(header.shape), std::vector<std::byte>(data.size())};
  if (!data.empty()) std::memcpy(tensor.data.data(), data.data(), data.size());
  return tensor;
}

Result<HostTensor> read_npy(const std::filesystem::path& path, std::uint64_t max_data_bytes) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    if (std::filesystem::exists(path, error)) return bad("is no regular file, so it cannot be an npy file");
    return bad(error && error != std::errc::no_such_file_or_directory ? error.message() : "no such file");
  }
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  if (error) return bad(error.message());

  std::ifstream file(path, std::ios::binary);
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes, limits::kMaxNpyHeader + 12)), '\0');
  if (!file.read(head.data(), static_cast<std::streamsize>(head.size()))) return bad("cannot be read");
  WGK_TRY(NpyHeader header, parse_npy_header(head));
  WGK_TRY(const std::uint64_t want, data_bytes(header));
  // Compared with the size of the file before anything is allocated: a header alone must not cost memory.
  if (file_bytes - header.data_offset != want) return wrong_size(file_bytes - header.data_offset, want, header);
  if (want > max_data_bytes) return bad(fmt::format("npy data is {} bytes; the limit is {}", want, max_data_bytes));

  HostTensor tensor{header.dtype, std::move(header.shape), std::vector<std::byte>(static_cast<std::size_t>(want))};
  file.clear();
  file.seekg(static_cast<std::streamoff>(header.data_offset));
  if (want > 0 && !file.read(reinterpret_cast<char*>(tensor.data.data()), static_cast<std::streamsize>(want))) {
    return bad("cannot be read");
  }
  return tensor;
}

}  // namespace wgk::runtime
