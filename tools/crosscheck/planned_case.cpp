// From a test case to a plan with input bytes, and from output bytes to a verdict.
#include "planned_case.h"

#include <utility>

#include <fmt/format.h>

#include "base/storage.h"
#include "base/try.h"
#include "runtime/bound_call.h"

namespace wgk::crosscheck {
namespace {

Result<PlannedCase> plan_request(const Kernel& kernel, const Request& request) {
  WGK_TRY(const runtime::BoundCall call, runtime::bind_call(kernel.package(), request.inputs, request.options));
  WGK_CHECK(kernel.check(request.inputs, request.options));
  PlannedCase planned;
  WGK_TRY(planned.plan, kernel.plan(request.inputs, request.options));
  const auto mode =
      request.options.check == Check::kFull ? base::NarrowingMode::kDeclared : base::NarrowingMode::kUnchecked;
  for (const PlanTensor& tensor : planned.plan.tensors) {
    if (!tensor.is_input) continue;
    const HostTensor& host = *call.op_call.inputs.at(tensor.key);
    WGK_TRY(planned.inputs[tensor.key], base::to_storage(host, tensor.format, tensor.key, mode));
  }
  return planned;
}

PlannedCase decided(CaseResult verdict) { return PlannedCase{std::move(verdict), {}, {}}; }

CaseResult skipped_case(const std::string& reason) {
  CaseResult verdict;
  verdict.outcome = CaseResult::Outcome::kSkipped;
  verdict.message = reason;
  return verdict;
}

}  // namespace

CaseResult failed_case(const std::string& variant, const std::string& message) {
  CaseResult verdict;
  verdict.outcome = CaseResult::Outcome::kFailed;
  verdict.variant = variant;
  verdict.message = message;
  return verdict;
}

PlannedCase plan_case(const Suite& suite, std::size_t index) {
  if (const std::string& skip = suite.cases.skip_reason(index); !skip.empty()) return decided(skipped_case(skip));
  const auto request = suite.cases.request(index);
  if (!request) return decided(failed_case({}, request.error().message));
  auto planned = plan_request(suite.kernel, *request);
  if (!planned) return decided(suite.cases.judge(index, suite.kernel, planned.error()));
  if (planned->plan.empty) return decided(judge_case(suite, index, planned->plan, {}));
  return *std::move(planned);
}

CaseResult judge_case(const Suite& suite, std::size_t index, const Plan& plan,
                      const std::map<std::string, std::vector<std::byte>>& outputs) {
  RunResult result;
  result.variant = plan.variant;
  result.dispatched = !plan.empty;
  for (const PlanTensor& tensor : plan.tensors) {
    if (!tensor.is_output) continue;
    const auto found = outputs.find(tensor.key);
    const std::vector<std::byte> bytes = found == outputs.end() ? std::vector<std::byte>() : found->second;
    if (bytes.size() < tensor.storage_bytes) {
      return failed_case(
          plan.variant, fmt::format("{}: {} bytes came back, want {}", tensor.key, bytes.size(), tensor.storage_bytes));
    }
    auto host = base::from_storage(bytes, tensor.format, tensor.shape, tensor.key);
    if (!host) return suite.cases.judge(index, suite.kernel, host.error());
    result.outputs.emplace_back(tensor.key, *std::move(host));
  }
  return suite.cases.judge(index, suite.kernel, std::move(result));
}

}  // namespace wgk::crosscheck
