// Digests of float16 results: written on one adapter, compared on another.
#pragma once

#include <string>
#include <vector>

#include <wgk/status.hpp>

#include "test_report.h"

namespace wgk::cli {

/// One line per case that has a float16 result: "<op id> <case> <sha256>".
std::string checksums_text(const std::vector<PackageReport>& packages);

/// Fails every case whose digest differs from that of `file`, or that `file` does not list. Error: kUsage when the file
/// cannot be read or has a line of another form.
Status compare_checksums(const std::string& file, std::vector<PackageReport>& packages);

}  // namespace wgk::cli
