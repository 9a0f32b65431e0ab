// Runs a program, feeds its standard input, and collects what it prints.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wgk::test {

struct ProcessResult {
  int exit_code = -1;  ///< 128 + signal when a signal ended it; -1 when it could not be started
  std::string out;
  std::string err;
};

struct ProcessOptions {
  std::string input;
  std::string stdout_file;  ///< not empty: standard output goes there ("/dev/full") and `out` stays empty
  std::string directory;    ///< working directory
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to the inherited one
};

/// `arguments[0]` is the program. Standard output and error are pipes, so the program sees no terminal.
ProcessResult run_process(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

}  // namespace wgk::test
