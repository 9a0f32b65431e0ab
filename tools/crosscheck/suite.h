// The packages of a cross-check, each with its test cases and a kernel that plans for the device under test.
#pragma once

#include <string>
#include <vector>

#include <wgk/device_profile.hpp>
#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/status.hpp>
#include <wgk/test_cases.hpp>

namespace wgk::crosscheck {

struct Suite {
  std::string name;  ///< the folder's name: it tells packages apart, as operator ids need not
  TestCases cases;
  Kernel kernel;
};

/// Reads a device profile from a file. Error: kUsage.
Result<DeviceProfile> load_profile(const std::string& file);

/// Loads the packages in the order given. Errors: kPackage; kUsage when two folders have one name.
Result<std::vector<Suite>> load_suites(const std::vector<std::string>& packages, const DeviceProfile& profile);

/// What a case is called in the exchange files: "softmax-two-pass/rows of one".
std::string case_id(const Suite& suite, std::size_t index);

/// Whole contents of a file. Error: kUsage.
Result<std::string> read_file(const std::string& file);

}  // namespace wgk::crosscheck
