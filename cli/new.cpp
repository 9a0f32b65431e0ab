// wgk new: a package to start from.
#include <memory>
#include <string>

#include <fmt/format.h>

#include <wgk/pack.hpp>

#include "cli.h"

namespace wgk::cli {
namespace {

struct Options {
  std::string name;
  std::string directory = ".";
  bool json = false;
};

int run(const Options& options) {
  const auto folder = create_package(options.name, options.directory);
  if (!folder) return report(folder.error(), options.json);
  const std::string text = options.json ? fmt::format("{{\"folder\":{}}}\n", json_string(*folder))
                                        : fmt::format("{0}\nNext:\n  wgk verify {0}\n  wgk test {0}\n", *folder);
  return write_stdout(text) ? kExitOk : kExitUsage;
}

}  // namespace

void add_new(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("new", "Write a small package that works, to start from");
  command->add_option("NAME", options->name, "Operator id, such as com.example.Scale")->required();
  command->add_option("--directory", options->directory, "Folder to make the package's folder in")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  wgk new com.example.Scale --directory kernels");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
