// Runs the twin against the oracle over a range of float32 bit patterns, on several threads, in resumable chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace wgk::verify_trig {

/// The angles begin, begin + stride, … below end, as float32 bits.
struct AngleRange {
  std::uint64_t begin = 0;
  std::uint64_t end = std::uint64_t{1} << 32;
  std::uint64_t stride = 1;

  std::uint64_t size() const { return begin >= end ? 0 : (end - begin + stride - 1) / stride; }
  friend bool operator==(const AngleRange&, const AngleRange&) = default;
};

struct Counts {
  std::uint64_t checked = 0;
  std::uint64_t misrounded_cosines = 0;
  std::uint64_t misrounded_sines = 0;
  std::uint64_t fallbacks = 0;  ///< results that the oracle took from MPFR

  Counts& operator+=(const Counts& other);
};

/// What was finished of a range: its first counts.checked angles.
struct Progress {
  AngleRange range;
  Counts counts;
};

struct Options {
  unsigned threads = 1;
  /// Called on the calling thread from time to time and at the end, with the finished prefix.
  std::function<void(const Progress&)> on_progress;
  /// Called for misrounded angles, under a lock; the first ones of a chunk only.
  std::function<void(const std::string&)> on_mismatch;
};

/// Checks what `start` left open and returns the whole.
Progress verify(const Progress& start, const Options& options);

}  // namespace wgk::verify_trig
