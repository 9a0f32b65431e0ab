// The examples of --help and of docs/command-line.md run as they stand.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/wgk.h"

namespace wgk::test {
namespace {

namespace fs = std::filesystem;

/// Commands whose examples need neither the network nor minutes.
const std::vector<std::string>& commands() {
  static const std::vector<std::string> kCommands = {"run",     "test",   "explain", "inspect",
                                                     "devices", "verify", "pack",    "new"};
  return kCommands;
}

/// The command that a line runs; empty when it is none of ours.
std::string command_of(const std::string& line) {
  std::istringstream words(line);
  std::string program, command;
  words >> program >> command;
  const bool ours = program == "wgk" && std::find(commands().begin(), commands().end(), command) != commands().end();
  return ours ? command : std::string();
}

/// A folder with what the examples name: rope.json, device.json and a package below kernels/.
class ExampleFolder {
 public:
  ExampleFolder() {
    folder_.write("rope.json", rope_request().dump());
    folder_.write("device.json", "{}");
    const fs::path package = folder_.path() / "kernels" / "ai.onnx.RotaryEmbedding";
    fs::create_directories(package.parent_path());
    fs::copy(rope_package(), package, fs::copy_options::recursive);
  }

  void expect_success(const std::string& line) const {
    SCOPED_TRACE(line);
    ProcessOptions options;
    options.directory = folder_.path().string();
    options.environment = {{"PATH", std::string(WGK_BINARY_DIR) + ":" + std::getenv("PATH")},
                           {"WGK_KERNELS_PATH", kernels_folder()}};
    const auto result = run_process({"sh", "-c", line}, options);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  }

 private:
  TemporaryFolder folder_;
};

/// The subcommands that `wgk --help` lists.
std::set<std::string> subcommands() {
  std::istringstream help(wgk({"--help"}).out);
  std::set<std::string> found;
  bool listing = false;
  for (std::string line; std::getline(help, line);) {
    if (line.rfind("Subcommands:", 0) == 0) {
      listing = true;
    } else if (listing && line.rfind("  ", 0) == 0 && line.size() > 2 && line[2] != ' ') {
      found.insert(line.substr(2, line.find(' ', 2) - 2));
    } else if (listing && line.rfind("  ", 0) != 0) {
      listing = false;
    }
  }
  return found;
}

TEST(Examples, EverySubcommandHasOne) {
  const std::set<std::string> all = subcommands();
  for (const std::string& command : commands()) EXPECT_EQ(all.count(command), 1U) << command;
  for (const std::string& command : all) {
    const auto result = wgk({command, "--help"});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_NE(result.out.find("\n  wgk " + command), std::string::npos) << "no example in\n" << result.out;
  }
}

TEST(Examples, OfTheHelpRun) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const ExampleFolder folder;
  for (const std::string& command : commands()) {
    const auto help = wgk({command, "--help"}).out;
    const auto at = help.find("\n  wgk " + command);
    ASSERT_NE(at, std::string::npos) << help;
    folder.expect_success(help.substr(at + 3, help.find('\n', at + 1) - at - 3));
  }
}

TEST(Examples, OfTheDocumentRun) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const ExampleFolder folder;
  std::ifstream document(std::string(WGK_SOURCE_DIR) + "/docs/command-line.md");
  std::set<std::string> seen;
  bool shell = false;
  for (std::string line; std::getline(document, line);) {
    if (line.rfind("```", 0) == 0) shell = line == "```sh";
    const std::string command = shell ? command_of(line) : std::string();
    if (command.empty()) continue;
    const bool needs_jq = line.find("| jq") != std::string::npos;
    if (needs_jq && run_process({"sh", "-c", "command -v jq"}).exit_code != 0) continue;
    folder.expect_success(line);
    seen.insert(command);
  }
  EXPECT_EQ(seen.size(), commands().size()) << "a command without an example in the document";
}

}  // namespace
}  // namespace wgk::test
