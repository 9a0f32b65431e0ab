// verify_trig: proves that the kernel's integer sine and cosine are correctly rounded, by trying float32 angles.
//
//   verify_trig                     all 2^32 angles on all cores (minutes)
//   verify_trig --range A B         angles with bits in [A, B); numbers may be hexadecimal (0x…)
//   verify_trig --stride K          every K-th of them
//   verify_trig --state FILE        continue from FILE if it exists, and keep it up to date
//   verify_trig --threads N
//
// Exit code: 0 all correct, 1 something misrounded, 2 wrong usage or unusable state file.
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include "verification.h"

namespace wgk::verify_trig {
namespace {

struct Arguments {
  AngleRange range;
  std::string state_file;
  unsigned threads = std::thread::hardware_concurrency();
};

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high) {
  const bool hexadecimal = text.substr(0, 2) == "0x";
  const std::string_view digits = hexadecimal ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < low || value > high) {
    return std::nullopt;
  }
  return value;
}

std::optional<Arguments> parse_arguments(int argc, char** argv) {
  constexpr std::uint64_t kAngles = std::uint64_t{1} << 32;
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const int left = argc - i - 1;
    if (option == "--range" && left >= 2) {
      const auto begin = parse_number(argv[++i], 0, kAngles);
      const auto end = parse_number(argv[++i], 0, kAngles);
      if (!begin || !end || *begin > *end) return std::nullopt;
      result.range.begin = *begin;
      result.range.end = *end;
    } else if (option == "--stride" && left >= 1) {
      const auto stride = parse_number(argv[++i], 1, kAngles);
      if (!stride) return std::nullopt;
      result.range.stride = *stride;
    } else if (option == "--threads" && left >= 1) {
      const auto threads = parse_number(argv[++i], 1, 4096);
      if (!threads) return std::nullopt;
      result.threads = static_cast<unsigned>(*threads);
    } else if (option == "--state" && left >= 1) {
      result.state_file = argv[++i];
    } else {
      return std::nullopt;
    }
  }
  return result;
}

/// Reads what an earlier run finished. An absent file is a fresh start; one of another range or with more angles than
/// the range has is refused.
std::optional<Progress> read_state(const Arguments& arguments) {
  Progress progress{arguments.range, {}};
  std::ifstream file(arguments.state_file);
  if (arguments.state_file.empty() || !file) {
    return progress;
  }
  AngleRange range;
  Counts counts;
  file >> range.begin >> range.end >> range.stride >> counts.checked >> counts.misrounded_cosines >>
      counts.misrounded_sines >> counts.fallbacks;
  if (!file || !(range == arguments.range) || counts.checked > range.size()) {
    return std::nullopt;
  }
  progress.counts = counts;
  return progress;
}

/// Replaces the file in one step, so that an interrupted run leaves the old or the new state.
void write_state(const std::string& path, const Progress& progress) {
  if (path.empty()) {
    return;
  }
  const std::string part = path + ".part";
  {
    const Counts& counts = progress.counts;
    std::ofstream file(part, std::ios::trunc);
    file << progress.range.begin << ' ' << progress.range.end << ' ' << progress.range.stride << '\n'
         << counts.checked << ' ' << counts.misrounded_cosines << ' ' << counts.misrounded_sines << ' '
         << counts.fallbacks << '\n';
    file.flush();
    if (!file) {
      std::fprintf(stderr, "verify_trig: cannot write %s\n", part.c_str());
      return;
    }
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (error) {
    std::fprintf(stderr, "verify_trig: cannot write %s: %s\n", path.c_str(), error.message().c_str());
  }
}

bool stderr_is_terminal() {
#ifdef _WIN32
  return _isatty(2) != 0;
#else
  return isatty(2) != 0;
#endif
}

void draw_bar(const Progress& progress) {
  constexpr std::uint64_t kWidth = 40;
  const std::uint64_t size = progress.range.size();
  const std::uint64_t filled = size == 0 ? kWidth : progress.counts.checked * kWidth / size;
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %llu / %llu", bar.c_str(), static_cast<unsigned long long>(progress.counts.checked),
               static_cast<unsigned long long>(size));
}

int run(int argc, char** argv) {
  const auto arguments = parse_arguments(argc, argv);
  if (!arguments) {
    std::fputs("usage: verify_trig [--range BEGIN END] [--stride K] [--state FILE] [--threads N]\n", stderr);
    return 2;
  }
  const auto start = read_state(*arguments);
  if (!start) {
    std::fprintf(stderr, "verify_trig: %s does not belong to this range; remove it or ask for the same range\n",
                 arguments->state_file.c_str());
    return 2;
  }
  const bool terminal = stderr_is_terminal();
  Options options;
  options.threads = arguments->threads;
  options.on_progress = [&](const Progress& progress) {
    write_state(arguments->state_file, progress);
    if (terminal) draw_bar(progress);
  };
  options.on_mismatch = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  const Counts counts = verify(*start, options).counts;
  if (terminal) std::fputc('\n', stderr);
  std::printf(
      "angles %llu, misrounded cos %llu, misrounded sin %llu, decided by MPFR %llu\n",
      static_cast<unsigned long long>(counts.checked), static_cast<unsigned long long>(counts.misrounded_cosines),
      static_cast<unsigned long long>(counts.misrounded_sines), static_cast<unsigned long long>(counts.fallbacks));
  return counts.misrounded_cosines + counts.misrounded_sines == 0 ? 0 : 1;
}

}  // namespace
}  // namespace wgk::verify_trig

int main(int argc, char** argv) { return wgk::verify_trig::run(argc, argv); }
