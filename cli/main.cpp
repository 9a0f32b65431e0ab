// wgk: loads, runs, tests and inspects WebGPU kernel packages.
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <wgk/version.hpp>

#include "cli.h"
#include "driver_environment.h"
#include "standard_streams.h"

namespace {

using namespace wgk;

/// A usage error is found before the options are read, yet --json asks for JSON then too.
bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

/// CLI11 only says that a subcommand is missing; the word that stands in its place is what the user looks for.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message = error.what();
  if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-') {
    message = std::string("unknown subcommand \"") + argv[1] + "\"";
  }
  return message + " (see wgk --help)";
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Runs WebGPU kernel packages natively.", "wgk");
  app.set_version_flag("--version", std::string("wgk ") + version_string());
  app.set_help_all_flag("--help-all", "Print the help of every subcommand");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 a check failed, 2 wrong usage, 3 bad package, 4 bad request, 5 no adapter or GPU "
      "failure.\n"
      "Example:\n  wgk run ai.onnx.RotaryEmbedding --request rope.json --json");
  int exit = cli::kExitOk;
  cli::add_run(app, exit);
  cli::add_test(app, exit);
  cli::add_explain(app, exit);
  cli::add_inspect(app, exit);
  cli::add_verify(app, exit);
  cli::add_pack(app, exit);
  cli::add_new(app, exit);
  cli::add_bench(app, exit);
  cli::add_tune(app, exit);
#ifdef WGK_WITH_HUB
  cli::add_fetch(app, exit);
  cli::add_lock(app, exit);
  cli::add_cache(app, exit);
#endif
  cli::add_onnx_node(app, exit);
  cli::add_devices(app, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return cli::write_stdout(std::string(version.what()) + "\n") ? cli::kExitOk : cli::kExitUsage;
  } catch (const CLI::CallForAllHelp&) {
    return cli::write_stdout(app.help("", CLI::AppFormatMode::All)) ? cli::kExitOk : cli::kExitUsage;
  } catch (const CLI::CallForHelp&) {
    return cli::write_stdout(app.help()) ? cli::kExitOk : cli::kExitUsage;
  } catch (const CLI::ParseError& error) {
    return cli::report(Error{ErrorCode::kUsage, usage_message(app, error, argc, argv)}, asks_for_json(argc, argv));
  }
  return exit;
}

}  // namespace

int main(int argc, char** argv) {
  wgk::cli::open_standard_streams();
  wgk::cli::quiet_drivers();
  const bool json = asks_for_json(argc, argv);
  try {
    return run_command_line(argc, argv);
  } catch (const wgk::Exception& error) {
    return wgk::cli::report(error.error(), json);
  } catch (const std::bad_alloc&) {
    return wgk::cli::report(Error{ErrorCode::kRequest, "out of memory"}, json);
  } catch (const std::exception& error) {
    return wgk::cli::report(Error{ErrorCode::kUsage, error.what()}, json);
  }
}
