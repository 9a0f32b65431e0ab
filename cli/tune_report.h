// What `wgk tune` found.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <wgk/package.hpp>
#include <wgk/tuning.hpp>

#include "tune_search.h"

namespace wgk::cli {

struct TuneRow {
  std::string op;
  std::string case_name;
  TuneOutcome outcome;
  TuningEntry entry;
  std::string error;  ///< not empty: the case could not be tuned
};

struct TuneReport {
  std::string device;
  std::string file;  ///< that was written; empty: none
  std::vector<TuneRow> rows;
  std::vector<std::pair<std::string, nlohmann::ordered_json>> patches;  ///< operator, JSON patch
};

/// "WORKGROUP_SIZE=64 K=2".
std::string values_text(const Attributes& values);

std::string tune_text(const TuneReport& report);
std::string tune_json(const TuneReport& report);

/// JSON patch (RFC 6902) of manifest.json that gives a tunable of the manifest the value that most of these cases of
/// the package were fastest with. A tie keeps what is there. Tunables that only variants declare are not touched.
nlohmann::ordered_json manifest_patch(const Package& package, const std::vector<TuneRow>& rows);

/// The pure part of manifest_patch: `declared` are the manifest's tunables, `bare` says that their values stand in the
/// manifest as they are (dialect 1.0).
nlohmann::ordered_json tunable_patch(const Attributes& declared, bool bare, const std::vector<TuneRow>& rows);

}  // namespace wgk::cli
