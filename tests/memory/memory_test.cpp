// Every allocation of planning and of computing on the CPU fails in turn: the call gives an error, nothing leaks (under
// AddressSanitizer), and the next call works. Loading is left out: nlohmann::json allocates in its destructor, where
// running out of memory ends the process.
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <wgk/kernel.hpp>
#include <wgk/request.hpp>

#include "memory/failing_new.h"

namespace wgk::test {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string kPackage = std::string(WGK_SOURCE_DIR) + "/kernels/ai.onnx.RotaryEmbedding";

std::string request_text() { return read_file(std::string(WGK_SOURCE_DIR) + "/examples/rope.json"); }

/// `call` gives nullopt, or the error. Fails each of the first 300 allocations, then ever fewer of the later ones.
void fail_each_allocation(const std::function<std::optional<Error>()>& call) {
  std::size_t failures = 0;
  for (std::size_t n = 1;; n += 1 + n / 300) {
    std::optional<Error> error;
    bool failed = false;
    {
      const FailingNew failing(n);
      error = call();
      failed = FailingNew::failed();
    }
    if (!failed) break;
    ++failures;
    // An allocation may be for something that can be done without, such as the memory of a cache.
    if (error) {
      EXPECT_FALSE(error->message.empty()) << n;
    }
  }
  EXPECT_GT(failures, 10u);
  const auto error = call();
  EXPECT_FALSE(error) << error->message;
}

template <typename T>
std::optional<Error> error_of(const Result<T>& result) {
  if (result.ok()) return std::nullopt;
  return result.error();
}

TEST(OutOfMemory, PlanningAndComputing) {
  const Package package = Package::load(kPackage).value();
  const Request request = request_from_json(request_text(), ".").value();
  const Kernel kernel(Device::open({.kind = DeviceKind::kCpu}).value(), package);
  fail_each_allocation([&] { return error_of(kernel.plan(request.inputs, request.options)); });
  fail_each_allocation([&] { return error_of(kernel.run(request.inputs, request.options)); });
}

}  // namespace
}  // namespace wgk::test
