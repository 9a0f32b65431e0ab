// A bar that overwrites itself.
#include "progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace wgk::cli {
namespace {

constexpr std::size_t kColumns = 78;  // fits where lines are 80 wide, whatever the terminal really has
constexpr std::size_t kBar = 24;

}  // namespace

std::string progress_line(std::size_t done, std::size_t total, std::string_view what, std::size_t width) {
  const std::size_t filled = total == 0 ? kBar : kBar * std::min(done, total) / total;
  std::string line =
      fmt::format("[{}{}] {}/{} {}", std::string(filled, '#'), std::string(kBar - filled, '-'), done, total, what);
  if (line.size() > width) line.resize(width);
  return line;
}

Progress::Progress(std::size_t total) : total_(total), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(std::size_t done, std::string_view what) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\x1b[K%s", progress_line(done, total_, what, kColumns).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace wgk::cli
