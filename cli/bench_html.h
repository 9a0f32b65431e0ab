// What `wgk bench` found as one HTML file that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "bench_report.h"

namespace wgk::cli {

/// `earlier` are reports of earlier runs, in any order; those of another device are left out of the history.
std::string bench_html(const BenchReport& report, std::vector<BenchReport> earlier);

}  // namespace wgk::cli
