// What the commands about the Hub print.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <wgk/hub.hpp>

namespace wgk::cli {

/// One line on stderr that says how far a download is, where stderr is a terminal and HF_HUB_DISABLE_PROGRESS_BARS is
/// not set.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// For HubOptions::progress; empty when nothing is to be shown. Refers to this object.
  std::function<void(const FetchProgress&)> callback();
  void clear();

 private:
  void show(const FetchProgress& progress);
  bool active_;
  bool shown_ = false;
};

/// "12 bytes", "3.4 KiB".
std::string size_text(std::uint64_t bytes);

/// The members that every command prints of a cached package, without braces.
std::string cached_json(const CachedPackage& package);

}  // namespace wgk::cli
