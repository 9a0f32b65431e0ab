// wgk pack: writes metadata.json of package folders.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <wgk/pack.hpp>

#include "cli.h"

namespace wgk::cli {
namespace {

struct Options {
  std::vector<std::string> folders;
  bool check = false;
  bool json = false;
};

std::string packed_json(const Packed& packed) {
  return fmt::format("{{\"op\":{},\"file\":{},\"changed\":{}}}", json_string(packed.op), json_string(packed.file),
                     packed.changed);
}

std::string packed_text(const Packed& packed, bool check) {
  const std::string_view state = !packed.changed ? "is up to date" : check ? "is out of date; run wgk pack" : "written";
  return fmt::format("{}: {} {}\n", packed.op, packed.file, state);
}

int run(const Options& options) {
  std::string text;
  std::string json;
  bool stale = false;
  for (const std::string& folder : options.folders) {
    const auto packed = pack_package(folder, {.write = !options.check});
    if (!packed) return report(packed.error(), options.json);
    stale = stale || packed->changed;
    text += packed_text(*packed, options.check);
    json += (json.empty() ? "" : ",") + packed_json(*packed);
  }
  if (!write_stdout(options.json ? fmt::format("{{\"packages\":[{}]}}\n", json) : text)) return kExitUsage;
  return options.check && stale ? kExitCheckFailed : kExitOk;
}

}  // namespace

void add_pack(CLI::App& app, int& exit) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("pack", "Compute the digests of package folders and write metadata.json");
  command->add_option("DIR", options->folders, "Folders that hold build/webgpu/manifest.json")->required();
  command->add_flag("--check", options->check, "Write nothing; exit code 1 if a metadata.json would change");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer("Example:\n  wgk pack kernels/ai.onnx.RotaryEmbedding");
  command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace wgk::cli
