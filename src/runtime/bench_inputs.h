// The values of a call that is measured, and how many bytes the call has to move.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/bench.hpp>
#include <wgk/gpu_tensor.hpp>
#include <wgk/prepared.hpp>

namespace wgk::runtime {

/// What is to be known of the index input of a call, if it has one.
struct BenchIndex {
  std::string key;                       ///< empty: none
  HostTensor values;                     ///< given, or rows in order
  std::map<std::string, double> read{};  ///< table key -> part of its rows that the index names

  bool shared(std::string_view key_asked) const { return key_asked == key || read.contains(std::string(key_asked)); }
};

/// `data` under bind keys.
BenchIndex bench_index(const Plan& plan, const TensorMap& data);

/// As BenchTiming::useful_bytes says.
std::uint64_t useful_bytes(const Plan& plan, const BenchIndex& index);

/// Sets of tensors for one prepared call. Index and tables are common to all sets.
class BenchTensors {
 public:
  static Result<BenchTensors> create(const Prepared& prepared, const TensorMap& data, const BenchIndex& index,
                                     std::uint32_t sets);
  /// Bytes of what every set has for itself.
  static std::uint64_t set_bytes(const Plan& plan, const BenchIndex& index);

  GpuTensors views(std::uint32_t set) const;
  std::uint32_t sets() const { return static_cast<std::uint32_t>(own_.size()); }

 private:
  using Named = std::vector<std::pair<std::string, GpuTensor>>;
  Named common_;
  std::vector<Named> own_;
};

/// Values for an input on the host, for the CPU path: as on the device in kind, but repeating.
HostTensor host_values(const TensorSpec& spec);

}  // namespace wgk::runtime
