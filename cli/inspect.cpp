// wgk inspect: the contract of a package.
#include <memory>
#include <string>

#include <wgk/package.hpp>

#include "cli.h"
#include "inspect_text.h"
#include "package_flags.h"

namespace wgk::cli {
namespace {

struct Options {
  std::string package;
  bool markdown = false;
  bool json = false;
  PackageFlags source;
};

std::string inspection(const Package& package, const Options& options) {
  if (options.markdown) return package.contract_markdown();
  const std::string json = package.contract_json();
  return options.json ? json + "\n" : contract_text(nlohmann::ordered_json::parse(json));
}

int run(const Options& options) {
  const auto package = options.source.load(options.package);
  if (!package) return report(package.error(), options.json);
  for (const std::string& warning : package->warnings()) note(warning);
  return write_stdout(inspection(*package, options)) ? kExitOk : kExitUsage;
}

}  // namespace

void add_inspect(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", "Show the contract of a package: ports, attributes, variants");
  command->add_option("PACKAGE", options->package, kPackageHelp)->required();
  options->source.add_to(*command);
  CLI::Option* markdown = command->add_flag("--markdown", options->markdown, "Print the card in Markdown");
  command->add_flag("--json", options->json, "Print JSON")->excludes(markdown);
  command->footer("Example:\n  wgk inspect ai.onnx.RotaryEmbedding");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
