// How far a long command has come, for people who look at a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wgk::cli {

/// Draws one line on stderr and takes it away at the end. Draws nothing where stderr is no terminal.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is being done now; `done` of the total lie behind.
  void show(std::size_t done, std::string_view what);
  void clear();

 private:
  std::size_t total_;
  bool terminal_;
  bool drawn_ = false;
};

/// The line: "[######----------] 3/8 name", cut to `width` columns.
std::string progress_line(std::size_t done, std::size_t total, std::string_view what, std::size_t width);

}  // namespace wgk::cli
