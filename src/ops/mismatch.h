// Collecting what a comparison rejects, with the place of each element.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/bfloat16.h"
#include "ops/operator.h"

namespace wgk::ops {

/// At most kMaxMismatches entries.
class Mismatches {
 public:
  bool full() const { return found_.size() >= kMaxMismatches; }
  void add(std::string message) {
    if (!full()) found_.push_back(Mismatch{std::move(message)});
  }
  /// "y[0,1,2]: got …, want …"; `flat` is a row-major index into `shape`.
  void add_element(std::string_view key, const Shape& shape, std::size_t flat, std::string_view got,
                   std::string_view want);
  std::vector<Mismatch> take() { return std::move(found_); }

 private:
  std::vector<Mismatch> found_;
};

/// Finds `key` in `got` and checks that dtype, shape and byte count are those of `want`; reports and returns nullptr
/// when they are not.
const HostTensor* find_comparable(std::string_view key, const HostTensor& want, const OpOutputs& got,
                                  Mismatches& mismatches);

/// The output of that key, or nullptr.
const HostTensor* find_output(std::string_view key, const OpOutputs& outputs);

bool is_nan(Float16 value);
bool is_nan(Bfloat16 value);

/// "0x3c00 (1)".
std::string show(Float16 value);
std::string show(Bfloat16 value);
/// "0x3f800000 (1)".
std::string show(float value);

}  // namespace wgk::ops
