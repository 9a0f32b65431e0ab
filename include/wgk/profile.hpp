// GPU time of calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <wgk/device.hpp>
#include <wgk/export.hpp>
#include <wgk/status.hpp>

namespace wgk::inline v0 {

/// GPU time of one call.
struct CallTime {
  std::string op;
  std::string variant;
  double nanoseconds = 0;
};

/// Collects timestamps of calls and turns them into times when asked. Move-only. One thread at a time.
class WGK_API Profile {
 public:
  /// For up to `calls` calls (at most 2048). Error: kDevice where the device lacks the feature timestamp-query.
  static Result<Profile> create(const Device& device, std::uint32_t calls = 256);
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;
  ~Profile();

  /// Times of the calls recorded so far, in order. Everything that was recorded must have been submitted. Waits.
  Result<std::vector<CallTime>> resolve(std::chrono::milliseconds timeout = std::chrono::seconds(60)) const;
  /// Calls that were not timed because the profile was full.
  std::uint32_t dropped() const;
  /// Starts again with nothing recorded.
  void reset();

  /// Internal.
  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  explicit Profile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace wgk::inline v0
