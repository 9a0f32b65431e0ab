// --tuning, WGK_TUNING, and the place of the user's own file.
#include "tuning_file.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace wgk::cli {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string asked_for(const std::string& option) { return option.empty() ? variable("WGK_TUNING") : option; }

std::string own_place() {
#if defined(_WIN32)
  const std::string base = variable("LOCALAPPDATA");
  return base.empty() ? std::string() : (fs::u8path(base) / "wgk" / "tuning.json").u8string();
#else
  if (const std::string base = variable("XDG_DATA_HOME"); !base.empty()) return base + "/wgk/tuning.json";
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : home + "/.local/share/wgk/tuning.json";
#endif
}

}  // namespace

std::string tuning_path(const std::string& option) {
  const std::string asked = asked_for(option);
  if (asked == "none") return {};
  return asked.empty() ? own_place() : asked;
}

Result<std::shared_ptr<const Tuning>> load_tuning(const std::string& option) {
  const std::string path = tuning_path(option);
  std::error_code ignored;
  const bool optional = asked_for(option).empty();
  if (path.empty() || (optional && !fs::exists(fs::u8path(path), ignored))) return std::shared_ptr<const Tuning>();
  auto tuning = Tuning::load(path);
  if (!tuning) return tuning.error();
  return std::shared_ptr<const Tuning>(std::make_shared<Tuning>(*std::move(tuning)));
}

}  // namespace wgk::cli
