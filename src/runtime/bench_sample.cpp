// Medians: one disturbed pass does not move them.
#include "runtime/bench_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wgk::runtime {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

BenchSample sample_of(std::vector<double> times, double calls) {
  BenchSample sample;
  if (times.empty()) return sample;
  for (double& time : times) time /= calls;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  sample.minimum = *least;
  sample.maximum = *most;
  sample.count = static_cast<std::uint32_t>(times.size());
  sample.median = median_of(times);
  for (double& time : times) time = std::abs(time - sample.median);
  sample.deviation = median_of(std::move(times));
  return sample;
}

}  // namespace wgk::runtime
