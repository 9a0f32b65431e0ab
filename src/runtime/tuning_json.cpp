// The text of tuning files.
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>
#include <wgk/tuning.hpp>

#include "base/json.h"
#include "base/try.h"
#include "runtime/attribute_json.h"

namespace wgk::inline v0 {
namespace {

using base::Json;
using base::pointer_child;

constexpr int kVersion = 1;
constexpr std::uint64_t kMostBytes = 16u << 20;

Error bad(const std::string& pointer, std::string_view reason) {
  return Error{ErrorCode::kUsage, fmt::format("tuning: {}: {}", pointer.empty() ? "/" : pointer, reason)};
}

/// Refuses members that nobody reads: a misspelt one would be ignored without a word.
Status check_keys(const Json& json, const std::string& pointer, const std::vector<std::string>& known) {
  if (!json.is_object()) return bad(pointer, "must be an object");
  for (const auto& [key, value] : json.items()) {
    bool found = false;
    for (const std::string& name : known) found = found || name == key;
    if (found) continue;
    const std::string near = base::nearest(key, known);
    return bad(pointer_child(pointer, key), near.empty() ? "unknown member" : "unknown member; did you mean " + near);
  }
  return {};
}

Result<std::string> text_member(const Json& json, const std::string& pointer, std::string_view key) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_string()) return found->get<std::string>();
  return bad(pointer_child(pointer, key), "must be a string");
}

Result<double> time_member(const Json& json, const std::string& pointer, std::string_view key) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number() && found->get<double>() >= 0) return found->get<double>();
  return bad(pointer_child(pointer, key), "must be a number of nanoseconds");
}

Result<TuningAdapter> read_adapter(const Json& json, const std::string& pointer) {
  WGK_CHECK(check_keys(json, pointer, {"vendor", "device", "backend", "driver"}));
  TuningAdapter adapter;
  WGK_TRY(adapter.vendor, text_member(json, pointer, "vendor"));
  WGK_TRY(adapter.device, text_member(json, pointer, "device"));
  WGK_TRY(adapter.backend, text_member(json, pointer, "backend"));
  WGK_TRY(adapter.driver, text_member(json, pointer, "driver"));
  return adapter;
}

Result<TensorSpec> read_spec(const Json& json, const std::string& pointer) {
  WGK_CHECK(check_keys(json, pointer, {"dtype", "shape"}));
  WGK_TRY(const std::string name, text_member(json, pointer, "dtype"));
  const auto dtype = dtype_from_name(name);
  if (!dtype) return bad(pointer_child(pointer, "dtype"), fmt::format("\"{}\" is not a dtype", name));
  TensorSpec spec{*dtype, {}};
  const std::string shape_pointer = pointer_child(pointer, "shape");
  const auto shape = json.find("shape");
  if (shape == json.end() || !shape->is_array()) return bad(shape_pointer, "must be a list of dimensions");
  for (const Json& dimension : *shape) {
    if (!dimension.is_number_integer() || dimension.get<std::int64_t>() < 0) {
      return bad(shape_pointer, fmt::format("{} is not a dimension", dimension.dump()));
    }
    spec.shape.push_back(dimension.get<std::int64_t>());
  }
  if (spec.shape.size() > limits::kMaxRank || !element_count(spec.shape)) return bad(shape_pointer, "is out of range");
  return spec;
}

Result<Attributes> values_member(const Json& json, const std::string& pointer, std::string_view key) {
  const auto found = json.find(key);
  if (found == json.end()) return Attributes{};
  return runtime::attribute_map(*found, "tuning: " + pointer_child(pointer, key), ErrorCode::kUsage);
}

Result<TuningEntry> read_entry(const Json& json, const std::string& pointer) {
  WGK_CHECK(check_keys(json, pointer,
                       {"adapter", "op", "inputs", "attrs", "args", "variant", "tunables", "defaultNs", "tunedNs"}));
  TuningEntry entry;
  const auto adapter = json.find("adapter");
  if (adapter == json.end()) return bad(pointer_child(pointer, "adapter"), "is missing");
  WGK_TRY(entry.adapter, read_adapter(*adapter, pointer_child(pointer, "adapter")));
  WGK_TRY(entry.op, text_member(json, pointer, "op"));
  const std::string inputs_pointer = pointer_child(pointer, "inputs");
  const auto inputs = json.find("inputs");
  if (inputs == json.end() || !inputs->is_object()) return bad(inputs_pointer, "must be an object of tensors");
  for (const auto& [key, value] : inputs->items()) {
    WGK_TRY(TensorSpec spec, read_spec(value, pointer_child(inputs_pointer, key)));
    entry.inputs.emplace(key, std::move(spec));
  }
  WGK_TRY(entry.attributes, values_member(json, pointer, "attrs"));
  WGK_TRY(entry.args, values_member(json, pointer, "args"));
  WGK_TRY(entry.tunables, values_member(json, pointer, "tunables"));
  WGK_TRY(entry.variant, text_member(json, pointer, "variant"));
  WGK_TRY(entry.default_ns, time_member(json, pointer, "defaultNs"));
  WGK_TRY(entry.tuned_ns, time_member(json, pointer, "tunedNs"));
  return entry;
}

Json values_json(const Attributes& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = runtime::attribute_to_json(value);
  return json;
}

Json entry_json(const TuningEntry& entry) {
  Json inputs = Json::object();
  for (const auto& [key, spec] : entry.inputs) inputs[key] = {{"dtype", dtype_name(spec.dtype)}, {"shape", spec.shape}};
  const TuningAdapter& adapter = entry.adapter;
  return {{"adapter",
           {{"vendor", adapter.vendor},
            {"device", adapter.device},
            {"backend", adapter.backend},
            {"driver", adapter.driver}}},
          {"op", entry.op},
          {"inputs", inputs},
          {"attrs", values_json(entry.attributes)},
          {"args", values_json(entry.args)},
          {"variant", entry.variant},
          {"tunables", values_json(entry.tunables)},
          {"defaultNs", entry.default_ns},
          {"tunedNs", entry.tuned_ns}};
}

}  // namespace

Result<Tuning> Tuning::from_json(std::string_view text) {
  auto json = base::parse_json(text, ErrorCode::kUsage);
  if (!json) return Error{ErrorCode::kUsage, "tuning: does not parse: " + json.error().message};
  WGK_CHECK(check_keys(*json, "", {"version", "entries"}));
  const auto version = json->find("version");
  if (version == json->end() || *version != kVersion) {
    return bad("/version", fmt::format("must be {}, the version that this program reads", kVersion));
  }
  const auto entries = json->find("entries");
  if (entries == json->end() || !entries->is_array()) return bad("/entries", "must be a list");
  Tuning tuning;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    WGK_TRY(TuningEntry entry, read_entry((*entries)[i], pointer_child("/entries", i)));
    tuning.set(std::move(entry));
  }
  return tuning;
}

std::string Tuning::to_json() const {
  Json json{{"version", kVersion}, {"entries", Json::array()}};
  for (const TuningEntry& entry : entries_) json["entries"].push_back(entry_json(entry));
  return json.dump(1) + "\n";
}

Result<Tuning> Tuning::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::kUsage, fmt::format("{}: cannot be read", path)};
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMostBytes) {
    return Error{ErrorCode::kUsage, fmt::format("{}: more than {} bytes", path, kMostBytes)};
  }
  auto tuning = from_json(text);
  if (tuning) return tuning;
  return Error{ErrorCode::kUsage, fmt::format("{}: {}", path, tuning.error().message)};
}

}  // namespace wgk::inline v0
