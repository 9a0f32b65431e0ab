// test.json: cases and their tensors (package-format section 16).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>

namespace wgk::package {

struct ExpectedTensor {
  DType dtype = DType::kFloat32;
  Shape shape;
  double tolerance = 0;
  bool allow_nan = false;
  std::optional<HostTensor> data;
};

struct TestCase {
  std::string name;
  std::string skip_gpu_reason;  ///< empty: runs
  std::string variant;       ///< provenance.notes never decides; our own key `expectVariant`: must be this one if set
  std::string expect_error;  ///< our own key `expectError`: the call must fail with a message that contains this
  bool check_values = true;  ///< our own key `check`: "none" leaves the host's checks of values out
  std::string error;         ///< not empty: the case is malformed and fails with this; the others are not affected
  std::vector<std::pair<std::string, HostTensor>> inputs;
  std::vector<std::pair<std::string, ExpectedTensor>> outputs;
  Attributes attrs;
  Attributes args;
};

struct TestFile {
  std::vector<TestCase> cases;
  std::vector<std::string> warnings;  ///< keys that mean nothing here, a few at most
};

/// How much of a file is read. Fills and shared arrays make many bytes from little text; spelled-out values of a file
/// of the greatest size stay below the limit of bytes.
struct TestFileLimits {
  std::size_t max_cases = SIZE_MAX;                         ///< the cases after these are ignored
  std::int64_t max_tensor_bytes = std::int64_t{256} << 20;  ///< of all tensors together; a case beyond fails
  std::function<bool(std::string_view)> wanted = {};        ///< by name; the others are neither made nor kept
};

/// Parses test.json text. Error: kPackage with the JSON pointer.
Result<TestFile> parse_test_file(std::string_view text, const TestFileLimits& limits = {});

}  // namespace wgk::package
