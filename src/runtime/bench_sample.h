// Statistics of times.
#pragma once

#include <vector>

#include <wgk/bench.hpp>

namespace wgk::runtime {

/// Median, extremes and spread of times in nanoseconds, each divided by `calls`. All 0 for no times.
BenchSample sample_of(std::vector<double> times, double calls = 1);

/// The median; 0 for no values.
double median_of(std::vector<double> values);

}  // namespace wgk::runtime
