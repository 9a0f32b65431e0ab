// wgk devices: the adapters of this machine.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <wgk/device.hpp>

#include "cli.h"

namespace wgk::cli {
namespace {

std::string listing_json(const std::vector<AdapterListing>& listings) {
  std::string out = "{\"devices\":[";
  for (std::size_t i = 0; i < listings.size(); ++i) {
    out += fmt::format("{}{{\"kind\":\"{}\",\"profile\":{}}}", i == 0 ? "" : ",", kind_name(listings[i].kind),
                       listings[i].profile.to_json());
  }
  out += "]}\n";
  return out;
}

std::string listing_text(const std::vector<AdapterListing>& listings) {
  if (listings.empty()) return "no adapters; --device cpu works without one\n";
  std::string out = fmt::format("{:<9} {:<8} {:<4} {:>16} {}\n", "KIND", "BACKEND", "F16", "MAX BINDING", "NAME");
  for (const AdapterListing& listing : listings) {
    const DeviceProfile& profile = listing.profile;
    out += fmt::format("{:<9} {:<8} {:<4} {:>16} {}\n", kind_name(listing.kind), profile.adapter.backend,
                       profile.has_feature("shader-f16") ? "yes" : "no", profile.limit("maxStorageBufferBindingSize"),
                       profile.adapter.device);
  }
  return out;
}

int run(bool json) {
  Watchdog watchdog(60, json);
  const auto listings = Device::list_adapters();
  watchdog.stop();
  if (!listings) return report(listings.error(), json);
  return write_stdout(json ? listing_json(*listings) : listing_text(*listings)) ? kExitOk : kExitUsage;
}

}  // namespace

void add_devices(CLI::App& app, int& exit) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("devices", "List the adapters of this machine, best first");
  command->add_flag("--json", *json, "Print JSON: the profile of each adapter");
  command->footer("Example:\n  wgk devices --json");
  command->callback([json, &exit] { exit = run(*json); });
}

}  // namespace wgk::cli
