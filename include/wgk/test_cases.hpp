// The cases of a package's test.json, and running them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <wgk/export.hpp>
#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/request.hpp>
#include <wgk/status.hpp>

namespace wgk::inline v0 {

/// How one case ended.
struct CaseResult {
  enum class Outcome {
    kPassed,
    kFailed,
    kSkipped,  ///< skipGpu of the case, or the device lacks a feature that the case needs
  };
  Outcome outcome = Outcome::kPassed;
  std::string variant;          ///< the variant that ran; empty when none did
  std::string message;          ///< why it failed or was skipped
  bool values_compared = true;  ///< false: no expected values and no reference, so shapes, dtypes and NaN only
  std::string float16_digest;   ///< SHA-256 of the float16 outputs (any NaN and any zero alike); empty without any
};

/// The cases of one test.json (package-format section 16). Cheap to copy. Const use from any thread.
class WGK_API TestCases {
 public:
  /// Reads build/webgpu/test.json of a package that was loaded from a folder, and checks its digest. With `wanted`, only
  /// cases whose name it takes: the tensors of the others are not even made. Error: kPackage.
  static Result<TestCases> load(const Package& package, const std::function<bool(std::string_view)>& wanted = {});
  /// Parses the text of a test.json. Error: kPackage with the JSON pointer.
  static Result<TestCases> parse(std::string_view text, const std::function<bool(std::string_view)>& wanted = {});

  std::size_t size() const;  ///< number of cases
  const std::string& name(std::size_t index) const;  ///< of a case, index < size()

  /// Runs a case on the kernel's device and compares. Expected values come from the case; where the operator is known,
  /// the outputs must also meet its numerical contract against the reference implementation.
  CaseResult run(std::size_t index, const Kernel& kernel) const;

  /// The call that a case makes, to run it elsewhere, for example in a browser. Error: kPackage, of a malformed case.
  Result<Request> request(std::size_t index) const;
  /// Why a case is not for a GPU; empty for one that is.
  const std::string& skip_reason(std::size_t index) const;
  /// Judges, as run() does, what request() gave on a device with the profile of the kernel's device.
  CaseResult judge(std::size_t index, const Kernel& kernel, const Result<RunResult>& outcome) const;

 private:
  struct Impl;
  explicit TestCases(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace wgk::inline v0
