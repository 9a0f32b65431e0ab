// Every limit of wgk/limits.hpp: the most that is taken, and the least that is refused, with the error.
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <wgk/limits.hpp>
#include <wgk/package.hpp>

#include "base/json.h"
#include "base/sha256.h"
#include "gpu/plan_check.h"
#include "gpu/shader_guard.h"
#include "jinja/expression.h"
#include "jinja/template.h"
#include "package/cases.h"
#include "package/load.h"
#include "package/pack_files.h"
#include "package/sources.h"
#include "plan/make_plan.h"
#include "plan/vocabulary.h"
#include "runtime/npy.h"
#include "runtime/read_request.h"
#include "support/package_folder.h"

namespace wgk {
namespace {

using Json = nlohmann::ordered_json;
using Count = std::uint64_t;

std::string repeat(std::string_view text, Count times) {
  std::string out;
  out.reserve(text.size() * times);
  for (Count i = 0; i < times; ++i) out += text;
  return out;
}

/// "" when all is well, else the message.
template <typename T>
std::string message(const Result<T>& result) {
  return result.ok() ? std::string() : result.error().message;
}
std::string message(const Status& status) { return status.ok() ? std::string() : status.error().message; }

// --- A small package, spoiled by each row in one place.

struct Sample {
  Json manifest = Json::parse(R"json({"domain": "test", "name": "Sample", "inputs": {"x": {"dtype": "float32"}},
    "outputs": {"y": {"dtype": "float32", "shape": "shapes.x"}}, "attributes": {"n": {"default": 1}}, "derive": {},
    "variants": [{"id": "only", "passes": [{"id": "p", "shader": "a.wgsl", "bindings": ["x", "y"],
                  "dispatch": {"x": 1}}]}]})json");
  std::map<std::string, std::string> templates = {{"a.wgsl", "fn main() {}\n"}};
  PlanRequest request;

  Sample() { request.inputs["x"] = {DType::kFloat32, {4}}; }
  Json& variant() { return manifest["variants"][0]; }
  Json& pass() { return variant()["passes"][0]; }

  std::string load() const { return message(package::load_unverified(manifest.dump(), templates, "sample")); }
  std::string plan() const {
    const auto loaded = package::load_unverified(manifest.dump(), templates, "sample");
    if (!loaded.ok()) return "load: " + loaded.error().message;
    DeviceProfile profile = DeviceProfile::webgpu_defaults();
    profile.limits["maxBufferSize"] = profile.limits["maxStorageBufferBindingSize"] = Count{1} << 60;
    return message(plan::make_plan(**loaded, request, profile, {}));
  }
  /// With metadata.json, as a folder has it.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all = templates;
    all["manifest.json"] = manifest.dump();
    all["metadata.json"] = test::metadata_for(all, "test.Sample", "a.wgsl");
    return all;
  }
};

std::string load_files(const std::map<std::string, std::string>& files) {
  return message(package::load_package(package::MemorySource(files), "sample", {}));
}

/// A map {"k0": value, …} of n members.
Json many(Count n, const Json& value, const std::string& prefix = "k") {
  Json map = Json::object();
  for (Count i = 0; i < n; ++i) map[prefix + std::to_string(i)] = value;
  return map;
}

Json copies(Count n, Json value, const char* id) {
  Json list = Json::array();
  for (Count i = 0; i < n; ++i) {
    value[id] = "i" + std::to_string(i);
    list.push_back(value);
  }
  return list;
}

std::string expression(const std::string& text) {
  const auto parsed = jinja::Expression::parse(text);
  if (!parsed.ok()) return parsed.error().message;
  static const DeviceProfile kProfile;
  static const jinja::Scope kFunctions = plan::make_vocabulary(kProfile, true);
  jinja::Budget budget;
  return message(parsed->evaluate(kFunctions, budget));
}

std::string render(const std::string& text, Count steps = limits::kMaxEvaluationSteps) {
  const auto parsed = jinja::Template::parse(text, "t");
  if (!parsed.ok()) return parsed.error().message;
  jinja::Budget budget(steps);
  return message(parsed->render(jinja::Scope(), budget));
}

/// Includes among files; `main` is expanded.
std::string expand(const std::map<std::string, std::string>& files) {
  return message(jinja::expand_includes("main", [&](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return Error{ErrorCode::kPackage, "no such file: " + path};
    return found->second;
  }));
}

// --- One function per limit: what happens with n of it.

std::string metadata_bytes(Count n) {
  auto files = Sample().files();
  files["metadata.json"].resize(n, ' ');
  return load_files(files);
}

std::string manifest_bytes(Count n) {
  std::string manifest = Sample().manifest.dump();
  manifest.resize(n, ' ');
  return message(package::load_unverified(manifest, Sample().templates, "sample"));
}

std::string test_file_bytes(Count n) {
  std::string text = R"({"cases": []})";
  text.resize(n, ' ');
  return message(package::parse_test_file(text));
}

std::string file_bytes(const std::string& name, Count n) {
  const test::TemporaryFolder folder;
  folder.write(name, "");
  std::filesystem::resize_file(folder.path() / name, n);
  return message(package::PackedFileReader(folder.path()).read(name));
}

std::string package_bytes(Count n) {
  const test::TemporaryFolder folder;
  const std::filesystem::path& root = folder.path();
  package::PackedFileReader reader(root);
  for (Count i = 0; n > 0; ++i) {
    const Count size = std::min(n, limits::kMaxPackedFileBytes);
    const std::string name = "f" + std::to_string(i);
    folder.write(name, "");
    std::filesystem::resize_file(root / name, size);
    if (const auto read = reader.read(name); !read.ok()) return read.error().message;
    n -= size;
  }
  return {};
}

std::string packed_files(Count n) {
  const test::TemporaryFolder folder;
  for (Count i = 0; i < n; ++i) std::ofstream(folder.path() / std::to_string(i));
  return message(package::list_files(folder.path()));
}

std::string template_bytes(Count n) {
  Sample sample;
  sample.templates["a.wgsl"].resize(n, ' ');
  return load_files(sample.files());
}

std::string package_template_bytes(Count n) {
  Sample sample;
  const Count rest = n - sample.templates["a.wgsl"].size();
  for (Count i = 0; i <= rest / limits::kMaxTemplateBytes; ++i) {
    const Count size = std::min<Count>(limits::kMaxTemplateBytes, rest - i * limits::kMaxTemplateBytes);
    sample.templates["t" + std::to_string(i) + ".wgsl"] = std::string(size, ' ');
  }
  return load_files(sample.files());
}

std::string included_bytes(Count n) {
  return expand({{"main", "{% include \"b\" %}{% include \"b\" %}"}, {"b", std::string(n / 2, 'x')}});
}

std::string json_depth(Count n) {
  return message(base::parse_json(repeat("[", n) + repeat("]", n), ErrorCode::kPackage));
}

std::string ports(Count n) {
  Sample sample;
  for (Count i = 2; i < n; ++i) sample.manifest["inputs"]["x" + std::to_string(i)] = Json{{"dtype", "float32"}};
  return sample.load();
}

std::string attributes(Count n) {
  Sample sample;
  sample.manifest["attributes"] = many(n, Json{{"default", 1}});
  return sample.load();
}

std::string tunables(Count n) {
  Sample sample;
  sample.manifest["tunables"] = many(n, Json{{"default", 1}});
  return sample.load();
}

std::string derives(Count n) {
  Sample sample;
  sample.manifest["derive"] = many(n, 1);
  return sample.load();
}

std::string variants(Count n) {
  Sample sample;
  sample.manifest["variants"] = copies(n, sample.variant(), "id");
  return sample.load();
}

std::string passes(Count n) {
  Sample sample;
  sample.variant()["passes"] = copies(n, sample.pass(), "id");
  return sample.load();
}

std::string bindings(Count n) {
  Sample sample;
  for (Count i = 2; i < n; ++i) {
    sample.pass()["bindings"].push_back(Json{{"name", "b" + std::to_string(i)}, {"arg", "x"}});
  }
  return sample.load();
}

std::string fields(Count n) {
  Sample sample;
  sample.pass()["bindings"].push_back(
      Json{{"name", "u"}, {"struct", copies(n, Json{{"type", "u32"}, {"value", 1}}, "name")}});
  return sample.load();
}

std::string intermediates(Count n) {
  Sample sample;
  sample.variant()["intermediates"] = copies(n, Json{{"dtype", "float32"}, {"shape", "[1]"}}, "id");
  return sample.load();
}

std::string model_items(Count n) {
  Sample sample;
  // 500 variants with as many lists as it takes.
  sample.variant()["when"] = Json::array();
  for (Count i = 0; i < n; ++i) sample.variant()["when"].push_back("true");
  sample.manifest["variants"] = copies(500, sample.variant(), "id");
  return sample.load();
}

/// 500 variants whose description is n times a text of 4,000 bytes.
std::string family_bytes(Count n) {
  Sample sample;
  Json records = Json::array();
  for (Count i = 0; i < 500; ++i) records.push_back(Json{{"i", i}, {"t", std::string(4000, 'x')}});
  Json one = sample.variant();
  one["id"] = "v{i}";
  one["description"] = repeat("{t}", n);
  sample.manifest["variants"] = Json::array({Json{{"cases", records}, {"variants", Json::array({one})}}});
  return sample.load();
}

std::string family_values(Count n) {
  Sample sample;
  Json record = many(n - 1, 1);
  record["i"] = 0;
  Json one = sample.variant();
  one["id"] = "v{i}";
  sample.manifest["variants"] = Json::array({Json{{"cases", Json::array({record})}, {"variants", Json::array({one})}}});
  return sample.load();
}

std::string family_nodes(Count n) {
  Sample sample;
  Json one = sample.variant();
  one["id"] = "v{i}";
  one["when"] = Json::array({"{t}"});
  Json list = Json::array();
  for (Count i = 0; i < n; ++i) list.push_back(true);
  Json records = Json::array();
  for (Count i = 0; i < 500; ++i) records.push_back(Json{{"i", i}, {"t", list}});
  sample.manifest["variants"] = Json::array({Json{{"cases", records}, {"variants", Json::array({one})}}});
  const std::string error = sample.load();
  return error.find("model items") == std::string::npos ? error : "";  // a limit that is looked at later
}

std::string safe_integer(Count n) {
  Sample sample;
  sample.pass()["bindings"][0] = Json{{"arg", "x"}, {"length", n}};
  return sample.load();
}

std::string macro_depth(Count n) {
  return render(
      "{% set k = namespace(n=" + std::to_string(n) +
      ") %}{% macro m() %}{% set k.n = k.n - 1 %}{% if k.n > 0 %}{{ m() }}{% endif %}{% endmacro %}{{ m() }}");
}

std::string macro_parameters(Count n) {
  std::string names;
  for (Count i = 0; i < n; ++i) names += (i == 0 ? "p" : ", p") + std::to_string(i);
  return render("{% macro m(" + names + ") %}{% endmacro %}");
}

std::string include_depth(Count n) {
  std::map<std::string, std::string> files = {{"main", "{% include \"f1\" %}"}};
  for (Count i = 1; i <= n; ++i) {
    files["f" + std::to_string(i)] = i < n ? "{% include \"f" + std::to_string(i + 1) + "\" %}" : "";
  }
  return expand(files);
}

std::string includes(Count n) { return expand({{"main", repeat("{% include \"e\" %}", n)}, {"e", ""}}); }

std::string evaluation_steps(Count n) {
  jinja::Budget budget;
  return budget.spend(n) ? "" : "evaluation step limit";
}

/// 60 macro calls in each other, each through n conditions.
std::string evaluation_depth(Count n) {
  return render("{% set k = namespace(n=60) %}{% macro m() %}{% set k.n = k.n - 1 %}" + repeat("{% if k.n > 0 %}", n) +
                "{{ m() }}" + repeat("{% endif %}", n) + "{% endmacro %}{{ m() }}");
}

std::string list_items(Count n) { return expression("fill(1, " + std::to_string(n) + ")"); }

/// 64 items times n / 64 letters, and what is left behind them.
std::string string_bytes(Count n) {
  return expression("(fill('" + std::string(64, 'x') + "', " + std::to_string(n / 64) + ")|join) ~ '" +
                    std::string(n % 64, 'x') + "'");
}

std::string value_depth(Count n) {
  return render("{% set k = namespace(s=1) %}{% for i in range(" + std::to_string(n) +
                ") %}{% set k.s = [k.s] %}{% endfor %}");
}

/// Ten lists of 99,999 items weigh 100,000 each, the list around them 1: the last one makes the sum n.
std::string value_weight(Count n) {
  return expression("[fill([fill(1, 99999)], 9), fill(1, " + std::to_string(n - 9 * 100'001 - 3) + ")]");
}

std::string rendered_bytes(Count n) {
  return render("{% for i in range(" + std::to_string(n / 1024) + ") %}" + std::string(1024, 'x') + "{% endfor %}" +
                std::string(n % 1024, 'x'));
}

std::string shader_operators(Count n) {
  // The bracket of main and the "=" count, too.
  return message(gpu::check_shader_nesting("fn main() { x = 1" + repeat("+1", n - 2) + "; }"));
}
std::string shader_nesting(Count n) {
  return message(gpu::check_shader_nesting("fn main() {" + repeat("{", n - 1) + repeat("}", n)));
}
std::string shader_declarations(Count n) { return message(gpu::check_shader_nesting(repeat("const a = 1;", n))); }

std::string repeat_count(Count n) {
  Sample sample;
  // Nothing is run, so that only the count is looked at.
  Json group = {{"id", "g"}, {"repeat", {{"index", "i"}, {"count", n}}}, {"passes", Json::array()}};
  Json none = {{"id", "e"}, {"repeat", {{"index", "j"}, {"count", 0}}}, {"passes", Json::array({sample.pass()})}};
  group["passes"].push_back(none);
  sample.variant()["passes"] = Json::array({group, copies(1, sample.pass(), "id")[0]});
  return sample.plan();
}

std::string pass_instances(Count n) {
  Sample sample;
  sample.variant()["passes"] = Json::array(
      {Json{{"id", "g"}, {"repeat", {{"index", "i"}, {"count", n}}}, {"passes", Json::array({sample.pass()})}}});
  return sample.plan();
}

std::string plan_wgsl_bytes(Count n) {
  Sample sample;
  sample.templates["a.wgsl"] = "{% for i in range(1024) %}" + std::string(n / 65536, 'x') + "{% endfor %}";
  sample.variant()["passes"] = Json::array(
      {Json{{"id", "g"}, {"repeat", {{"index", "i"}, {"count", 64}}}, {"passes", Json::array({sample.pass()})}}});
  return sample.plan();
}

std::string plan_render_steps(Count n) {
  Sample sample;
  sample.templates["a.wgsl"] = "{% for i in range(90000) %}{{ i }}{% endfor %}";
  sample.variant()["passes"] = Json::array(
      {Json{{"id", "g"}, {"repeat", {{"index", "i"}, {"count", n}}}, {"passes", Json::array({sample.pass()})}}});
  return sample.plan();
}

std::string plan_detail_bytes(Count n) {
  Sample sample;
  sample.pass()["id"] = std::string(10'000, 'p');
  sample.variant()["passes"] = Json::array(
      {Json{{"id", "g"}, {"repeat", {{"index", "i"}, {"count", n}}}, {"passes", Json::array({sample.pass()})}}});
  return sample.plan();
}

std::string workgroups(Count n) {
  Sample sample;
  sample.pass()["dispatch"] = Json{{"x", n}};
  return sample.plan();
}

std::string rank(Count n) {
  Sample sample;
  sample.request.inputs["x"].shape = Shape(n, 1);
  return sample.plan();
}

std::string elements(Count n) {
  Sample sample;
  sample.request.inputs["x"].shape = {static_cast<std::int64_t>(n)};
  return sample.plan();
}

std::string exact_integer(Count n) {
  Sample sample;
  sample.request.attributes.emplace("n", -static_cast<std::int64_t>(n));
  return sample.plan();
}

std::string request_text(Count n) {
  std::string text = "x";
  text.resize(n, ' ');
  const std::string error = message(runtime::read_request(text, ".", 0));
  return error.find("does not parse") != std::string::npos ? "" : error;  // it was looked at
}

std::string request_bytes(Count n) {
  const std::string text = R"({"inputs": {"x": {"dtype": "uint8", "shape": [)" + std::to_string(n) +
                           R"(], "data": {"kind": "fill", "value": 0}}}})";
  return message(runtime::read_request(text, ".", limits::kMaxRequestBytes));
}

std::string npy_header(Count n) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (), }";
  header.resize(n, ' ');
  std::string file("\x93NUMPY\x02\x00", 8);
  for (int i = 0; i < 4; ++i) file += static_cast<char>(n >> (8 * i) & 0xFF);
  return message(runtime::parse_npy(file + header + "x"));
}

std::string call_bytes(Count n) {
  Plan plan;
  plan.scratch.push_back({"s", DType::kFloat32, {}, n - 32, false});
  plan.uniforms.push_back({"Params", {}, std::vector<std::byte>(16)});
  plan.tensors.emplace_back();
  plan.tensors.back().storage_bytes = 8;  // an output counts twice: it is read back through a second buffer
  plan.tensors.back().is_output = true;
  return message(gpu::check_memory(plan, gpu::CallMemory::kAll, limits::kMaxCallBytes));
}

struct Row {
  const char* limit;
  std::function<std::string(Count)> attempt;
  Count most;         ///< the most that is taken
  Count least;        ///< the least that is refused
  const char* error;  ///< part of the message for `least`
};

// Where one step of a row takes more than one unit of the limit, `least` is the first step beyond it, by the figures in
// the comment.
const Row kRows[] = {
    {"kMaxMetadataBytes", metadata_bytes, 1048576, 1048577, "metadata.json is 1048577 bytes; the limit is 1048576"},
    {"kMaxManifestBytes", manifest_bytes, 4194304, 4194305, "manifest.json is 4194305 bytes; the limit is 4194304"},
    {"kMaxTestFileBytes", test_file_bytes, 67108864, 67108865, "test.json is 67108865 bytes; the limit is 67108864"},
    {"kMaxBenchFileBytes", [](Count n) { return file_bytes("bench.json", n); }, 4194304, 4194305,
     "bench.json is 4194305 bytes; the limit is 4194304"},
    {"kMaxTemplateBytes", template_bytes, 1048576, 1048577, "a.wgsl is 1048577 bytes; the limit is 1048576"},
    {"kMaxTemplateBytes", included_bytes, 1048576, 1048578, "main is 1048578 bytes; the limit is 1048576"},
    {"kMaxPackedFileBytes", [](Count n) { return file_bytes("data.bin", n); }, 67108864, 67108865,
     "data.bin is 67108865 bytes; the limit is 67108864"},
    {"kMaxPackageTemplateBytes", package_template_bytes, 16777216, 16777217, "more than 16777216 bytes in all"},
    {"kMaxPackageBytes", package_bytes, 268435456, 268435457, "more than 268435456 bytes in all"},
    {"kMaxPackedFiles", packed_files, 10000, 10001, "more than 10000 files"},
    {"kMaxJsonDepth", json_depth, 64, 65, "JSON nesting exceeds 64"},
    {"kMaxPorts", ports, 64, 65, "(65; the limit is 64)"},
    {"kMaxAttributes", attributes, 256, 257, "too many attributes (257; the limit is 256)"},
    {"kMaxTunables", tunables, 1024, 1025, "too many tunables (1025; the limit is 1024)"},
    {"kMaxDerives", derives, 1024, 1025, "(1025; the limit is 1024)"},
    {"kMaxVariants", variants, 512, 513, "too many variants (513; the limit is 512)"},
    {"kMaxPasses", passes, 16, 17, "too many passes (17; the limit is 16)"},
    {"kMaxBindings", bindings, 32, 33, "too many bindings (33; the limit is 32)"},
    {"kMaxFields", fields, 256, 257, "too many struct fields (257; the limit is 256)"},
    {"kMaxIntermediates", intermediates, 256, 257, "too many intermediates (257; the limit is 256)"},
    // 500 variants: 524 clauses each are 262,000 items beside the variants themselves.
    {"kMaxModelItems", model_items, 500, 525, "too many model items"},
    // 500 copies of 1,000 values are 500,000.
    {"kMaxFamilyNodes", family_nodes, 900, 1000, "expands to too much data"},
    // 16,000,000 and 18,000,000 bytes; 16 MiB are 16,777,216.
    {"kMaxFamilyBytes", family_bytes, 8, 9, "expands to too much data"},
    {"kMaxFamilyValues", family_values, 256, 257, "too many values (257; the limit is 256)"},
    {"kMaxSafeInteger", safe_integer, 9007199254740991, 9007199254740992, "length"},
    {"kMaxExpressionBytes", [](Count n) { return expression("1" + std::string(n - 1, ' ')); }, 16384, 16385,
     "expression is too long"},
    {"kMaxExpressionNesting", [](Count n) { return expression(repeat("(", n) + "1" + repeat(")", n)); }, 128, 129,
     "expression nesting exceeds 128"},
    {"kMaxStatementNesting", [](Count n) { return render(repeat("{% if 1 %}", n) + repeat("{% endif %}", n)); }, 64, 65,
     "nesting exceeds 64"},
    {"kMaxMacroDepth", macro_depth, 64, 65, "nesting exceeds 64"},
    {"kMaxMacroParameters", macro_parameters, 256, 257, "more than 256 parameters"},
    {"kMaxIncludeDepth", include_depth, 16, 17, "nesting exceeds 16"},
    {"kMaxIncludes", includes, 10000, 10001, "more than 10000 includes"},
    {"kMaxEvaluationSteps", evaluation_steps, 1000000, 1000001, "evaluation step limit"},
    // 60 calls through 10 conditions are 600 statements and 60 calls; through 16 they are 960 and 60.
    {"kMaxEvaluationDepth", evaluation_depth, 7, 17, "nesting exceeds 1000"},
    {"kMaxListItems", list_items, 100000, 100001, "list of more than 100000 items"},
    {"kMaxStringBytes", string_bytes, 4194304, 4194305, "string exceeds 4194304 bytes"},
    {"kMaxValueDepth", value_depth, 128, 129, "value nesting exceeds 128"},
    {"kMaxValueWeight", value_weight, 1000000, 1000001, "value of more than 1000000 items"},
    {"kMaxRenderedBytes", rendered_bytes, 4194304, 4194305, "rendered output exceeds 4194304 bytes"},
    {"kMaxShaderNesting", shader_nesting, 128, 129, "the shader nests more than 128 levels deep (line 1)"},
    {"kMaxShaderOperators", shader_operators, 1000, 1001, "more than 1000 operators or branches in one statement"},
    {"kMaxShaderDeclarations", shader_declarations, 2048, 2049, "the shader has more than 2048 declarations (line 1)"},
    {"kMaxPassInstances", pass_instances, 4096, 4097, "too many pass instances (4097; the limit is 4096)"},
    {"kMaxRepeatCount", repeat_count, 65535, 65536, "count must resolve to an integer in [0, 65535], got 65536"},
    // 64 passes, each of a loop of 1,024 turns: a letter more in the loop is 65,536 bytes.
    {"kMaxPlanWgslBytes", plan_wgsl_bytes, 67108864, 67174400, "rendered output of all passes exceeds 67108864 bytes"},
    // A render of 90,000 turns takes 2 or 3 steps each: 32 million are spent after at most 178 passes.
    {"kMaxPlanRenderSteps", plan_render_steps, 50, 180, "evaluation step limit"},
    // A pass repeats its name of 10,000 bytes at least twice: 64 MiB are spent after at most 3,356 passes.
    {"kMaxPlanDetailBytes", plan_detail_bytes, 1500, 3356, "names and fields of all passes exceed 67108864 bytes"},
    {"kMaxWorkgroupsPerDimension", workgroups, 65535, 65536, "exceeds maxComputeWorkgroupsPerDimension (65535)"},
    {"kMaxRank", rank, 32, 33, "shape is out of range"},
    {"kMaxElements", elements, 9007199254740991, 9007199254740992, "shape is out of range"},
    {"kMaxExactInteger", exact_integer, 9007199254740992, 9007199254740993, "n"},
    {"kMaxRequestText", request_text, 268435456, 268435457, "268435457 bytes; the limit is 268435456"},
    {"kMaxRequestBytes", request_bytes, 1048576, 4294967297,
     "the tensors of a request may have 4294967296 bytes in all"},
    {"kMaxNpyHeader", npy_header, 65536, 65537, "npy header is 65537 bytes; the limit is 65536"},
    {"kMaxCallBytes", call_bytes, 17179869184, 17179869188, "needs 17179869188 bytes of GPU memory"},
};

class Limits : public ::testing::TestWithParam<Row> {};

TEST_P(Limits, JustBelowAndJustAbove) {
  const Row& row = GetParam();
  const std::string below = row.attempt(row.most);
  EXPECT_EQ(below.substr(0, 500), "") << row.most;
  const std::string above = row.attempt(row.least);
  ASSERT_NE(above, "") << row.least;
  EXPECT_NE(above.find(row.error), std::string::npos) << above.substr(0, 500);
}

INSTANTIATE_TEST_SUITE_P(Each, Limits, ::testing::ValuesIn(kRows), [](const auto& info) {
  return std::string(info.param.limit + 4) + "_" + std::to_string(info.index);
});

/// Counted only, because further warnings are dropped without an error.
TEST(LimitsWithoutError, Warnings) {
  const auto warnings = [](Count n) {
    Json manifest = Json::parse(R"json({"name": "Old", "inputs": [{"role": "x", "dtype": "float32"}],
      "outputs": [{"role": "y", "dtype": "float32", "shape": "shapes.x"}],
      "args": {"x": {"kind": "tensor"}, "y": {"kind": "tensor", "role": "output"}},
      "variants": [{"id": "only", "passes": [{"shader": "a.wgsl", "dispatch": {"x": 1}, "bindings":
        [{"name": "x", "buffer": {"type": "read-only-storage"}, "elementType": "f32"}]}]}]})json");
    for (Count i = 0; i < n; ++i) manifest["unknown" + std::to_string(i)] = 1;
    const auto loaded = package::load_unverified(manifest.dump(), {{"a.wgsl", ""}}, "old");
    EXPECT_TRUE(loaded.ok()) << message(loaded);
    return loaded.ok() ? (*loaded)->warnings.size() : 0;
  };
  EXPECT_EQ(warnings(99), 99u);
  EXPECT_EQ(warnings(100), 100u);
  EXPECT_EQ(warnings(101), 100u);
}

/// The header lists nothing that this file does not test.
TEST(LimitsAll, EachIsTested) {
  std::ifstream file(std::string(WGK_SOURCE_DIR) + "/include/wgk/limits.hpp");
  std::stringstream text;
  text << file.rdbuf();
  const std::string header = text.str();
  std::set<std::string> declared;
  const std::regex declaration("inline constexpr [a-z0-9_:]+ (kMax[A-Za-z]+) =");
  for (std::sregex_iterator match(header.begin(), header.end(), declaration), end; match != end; ++match) {
    declared.insert((*match)[1]);
  }
  std::set<std::string> tested = {"kMaxWarnings"};
  for (const Row& row : kRows) tested.insert(row.limit);
  EXPECT_GT(declared.size(), 40u);
  EXPECT_EQ(declared, tested);
}

}  // namespace
}  // namespace wgk
