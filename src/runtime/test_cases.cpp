// Runs the cases of test.json through Kernel::run and compares what comes back.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <wgk/test_cases.hpp>

#include "base/try.h"
#include "ops/operator.h"
#include "package/cases.h"
#include "package/model.h"
#include "runtime/bound_call.h"
#include "runtime/compare_expected.h"
#include "runtime/float16_digest.h"

namespace wgk::inline v0 {

struct TestCases::Impl {
  package::TestFile file;
};

namespace {

using package::ExpectedTensor;
using package::TestCase;
using Outcome = CaseResult::Outcome;

CaseResult failed(std::string variant, std::string message) {
  return {Outcome::kFailed, std::move(variant), std::move(message), true, {}};
}

CaseResult skipped(std::string message) { return {Outcome::kSkipped, {}, std::move(message), false, {}}; }

bool uses_float16(const TestCase& test) {
  const auto is_half = [](const auto& named) { return named.second.dtype == DType::kFloat16; };
  return std::any_of(test.inputs.begin(), test.inputs.end(), is_half) ||
         std::any_of(test.outputs.begin(), test.outputs.end(), is_half);
}

/// A case in float16 on a device without it says nothing about the package, unless the package has a way around.
bool lacks_float16(const TestCase& test, const Device& device) {
  return uses_float16(test) && !device.profile().has_feature("shader-f16");
}

/// The CPU path has no variants. A kernel of Device::for_profile() may judge what another device computed.
bool ran_on_cpu(const Kernel& kernel, const RunResult& result) {
  return kernel.device().kind() == DeviceKind::kCpu && (result.variant == "cpu" || result.variant == "reference");
}

CaseResult judge_error(const TestCase& test, const Error& error, const Device& device) {
  if (!test.expect_error.empty()) {
    if (error.message.find(test.expect_error) != std::string::npos) return {};
    return failed(
        {}, fmt::format("failed with \"{}\", want an error that contains \"{}\"", error.message, test.expect_error));
  }
  if (error.code == ErrorCode::kRequest && lacks_float16(test, device)) return skipped(error.message);
  return failed({}, error.message);
}

/// Every output of the case, and its expectation when nothing else knows the values.
std::string compare_with_case(const TestCase& test, const RunResult& result, bool has_reference) {
  for (const auto& [key, want] : test.outputs) {
    const auto found = std::find_if(result.outputs.begin(), result.outputs.end(),
                                    [&, name = &key](const auto& output) { return output.first == *name; });
    if (found == result.outputs.end()) return fmt::format("{}: output is missing", key);
    if (auto problem = runtime::compare_expected(key, want, found->second, has_reference); !problem.empty())
      return problem;
  }
  return {};
}

std::string compare_with_reference(const ops::Operator& op, const runtime::BoundCall& call, const RunResult& result) {
  const auto expected = op.reference(call.op_call);
  if (!expected) return "reference: " + expected.error().message;
  const std::vector<ops::Mismatch> mismatches = op.compare(call.op_call, *expected, result.outputs);
  if (mismatches.empty()) return {};
  std::string message = mismatches.front().message;
  if (mismatches.size() > 1) message += fmt::format(", and {} more", mismatches.size() - 1);
  return message;
}

bool has_all_values(const TestCase& test) {
  return std::all_of(test.outputs.begin(), test.outputs.end(), [](const auto& o) { return o.second.data.has_value(); });
}

CaseResult judge_outputs(const TestCase& test, const Kernel& kernel, const TensorMap& inputs, const RunOptions& options,
                         const RunResult& result) {
  if (!test.expect_error.empty()) {
    return failed(result.variant, fmt::format("succeeded, want an error that contains \"{}\"", test.expect_error));
  }
  if (!test.variant.empty() && !ran_on_cpu(kernel, result) && result.variant != test.variant) {
    return failed(result.variant, fmt::format("ran variant {}, want {}", result.variant, test.variant));
  }
  const ops::Operator* op = ops::find_operator(kernel.package().op());
  if (auto problem = compare_with_case(test, result, op != nullptr); !problem.empty()) {
    return failed(result.variant, std::move(problem));
  }
  if (op != nullptr && result.variant != "reference") {
    const auto call = runtime::bind_call(kernel.package(), inputs, options);
    if (!call) return failed(result.variant, call.error().message);
    if (auto problem = compare_with_reference(*op, *call, result); !problem.empty()) {
      return failed(result.variant, std::move(problem));
    }
  }
  return {Outcome::kPassed, result.variant, {}, op != nullptr || has_all_values(test), {}};
}

}  // namespace

Result<TestCases> TestCases::parse(std::string_view text, const std::function<bool(std::string_view)>& wanted) {
  package::TestFileLimits limits;
  limits.wanted = wanted;
  WGK_TRY(package::TestFile file, package::parse_test_file(text, limits));
  return TestCases(std::make_shared<const Impl>(Impl{std::move(file)}));
}

std::size_t TestCases::size() const { return impl_->file.cases.size(); }
const std::string& TestCases::name(std::size_t index) const { return impl_->file.cases.at(index).name; }

Result<Request> TestCases::request(std::size_t index) const {
  const TestCase& test = impl_->file.cases.at(index);
  if (!test.error.empty()) return Error{ErrorCode::kPackage, test.error};
  Request request;
  request.inputs = TensorMap(test.inputs.begin(), test.inputs.end());
  request.options.attrs = test.attrs;
  request.options.args = test.args;
  request.options.check = test.check_values ? Check::kFull : Check::kNone;
  for (const auto& [key, want] : test.outputs) request.options.outputs.push_back(key);
  return request;
}

const std::string& TestCases::skip_reason(std::size_t index) const {
  return impl_->file.cases.at(index).skip_gpu_reason;
}

CaseResult TestCases::judge(std::size_t index, const Kernel& kernel, const Result<RunResult>& outcome) const {
  const TestCase& test = impl_->file.cases.at(index);
  if (!outcome) return judge_error(test, outcome.error(), kernel.device());
  const auto call = request(index);
  if (!call) return failed({}, call.error().message);
  CaseResult verdict = judge_outputs(test, kernel, call->inputs, call->options, *outcome);
  verdict.float16_digest = runtime::float16_digest(*outcome);
  return verdict;
}

CaseResult TestCases::run(std::size_t index, const Kernel& kernel) const {
  const std::string& skip = skip_reason(index);
  const auto call = request(index);
  if (!call) return failed({}, call.error().message);
  if (!skip.empty() && kernel.device().kind() != DeviceKind::kCpu) return skipped(skip);
  return judge(index, kernel, kernel.run(call->inputs, call->options));
}

}  // namespace wgk::inline v0
