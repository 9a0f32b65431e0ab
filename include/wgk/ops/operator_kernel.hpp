// What the typed operators share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/status.hpp>

namespace wgk::inline v0 {

/// Loads the installed package of an operator. Error: kPackage.
inline Result<Kernel> load_operator(const Device& device, std::string_view op) {
  LoadOptions options;
  options.expected_op = std::string(op);
  auto package = Package::load(op, options);
  if (!package.ok()) return std::move(package).error();
  return Kernel(device, *std::move(package));
}

/// Error: kUsage unless the kernel is one of that operator.
inline Status expect_operator(const Kernel& kernel, std::string_view op) {
  if (kernel.package().op() == op) return {};
  return Error{ErrorCode::kUsage, "the kernel is " + kernel.package().op() + ", not " + std::string(op)};
}

/// The one output of a call on GPU tensors that named none.
inline Result<GpuTensor> take_output(Result<GpuRunResult> result) {
  if (!result.ok()) return std::move(result).error();
  return std::move(result->outputs.front().second);
}

}  // namespace wgk::inline v0
