// Manifests of both dialects: every rule broken once, comments, the one model of twins, and the limits.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "package/manifest_support.h"

namespace wgk::package {
namespace {

/// tests/data/packages/bad_*.json: a good manifest, and changes of it with the error that each must give.
void check_table(const std::string& file, int dialect) {
  const Json table = Json::parse(read_data(file));
  EXPECT_EQ(manifest_error(table["base"], dialect), "");
  for (const Json& row : table["cases"]) {
    Json manifest = table["base"];
    if (row.contains("set")) {
      for (const auto& [pointer, value] : row["set"].items()) manifest[Json::json_pointer(pointer)] = value;
    }
    if (row.contains("remove")) {
      for (const Json& pointer : row["remove"]) {
        const Json::json_pointer place(pointer.get<std::string>());
        manifest[place.parent_pointer()].erase(place.back());
      }
    }
    EXPECT_EQ(manifest_error(manifest, dialect), row["error"].get<std::string>()) << row["name"];
  }
}

TEST(BadManifests, Dialect10) { check_table("bad_v1.json", 1); }
TEST(BadManifests, Dialect21) { check_table("bad_v2.json", 2); }

Json good(int dialect) { return Json::parse(read_data(dialect == 1 ? "bad_v1.json" : "bad_v2.json"))["base"]; }

TEST(Comments, AreRemovedEverywhereAndMustBeStrings) {
  for (const int dialect : {1, 2}) {
    Json json = good(dialect);
    json["$comment"] = "top";
    json["derive"]["$comment"] = "a derive map takes any name";
    json["variants"][0]["passes"][0]["$comment"] = "closed keys";
    EXPECT_EQ(manifest_error(json, dialect), "");
    EXPECT_EQ(read_manifest(json, dialect)->derives.size(), 1u);
    json["variants"][0]["$comment"] = 3;
    EXPECT_EQ(manifest_error(json, dialect), "manifest.variants[0].$comment must be a string");
  }
}

TEST(Dialect10, UnknownKeysOfOpenObjectsAreWarnings) {
  Json json = good(1);
  json["tunabels"] = 1;
  json["inputs"][0]["x"] = 1;
  json["args"]["x"]["y"] = 1;
  std::vector<std::string> warnings;
  const auto document = parse_document(json.dump());
  ASSERT_TRUE(document.ok());
  ASSERT_TRUE(v1::read_manifest(*document, warnings).ok());
  EXPECT_EQ(warnings,
            (std::vector<std::string>{"manifest.json: unknown key \"tunabels\" is ignored; did you mean \"tunables\"?",
                                      "manifest.json: /args/x: unknown key \"y\" is ignored",
                                      "manifest.json: /inputs/0: unknown key \"x\" is ignored"}));
}

TEST(Dialect10, UnreferencedBindingSetsAreNotRead) {
  Json json = good(1);
  json["bindingSets"]["$common"] = "anything";
  EXPECT_EQ(manifest_error(json, 1), "");
}

TEST(Variants, BrokenExpressionRejectsTheVariantOnly) {
  for (const int dialect : {1, 2}) {
    Json json = good(dialect);
    json["variants"][0]["when"] = {"ranks.x ==", "true"};
    const auto manifest = read_manifest(json, dialect);
    ASSERT_TRUE(manifest.ok());
    EXPECT_EQ(manifest->variants[0].unusable.find("expression syntax error in `ranks.x ==`: "), 0u)
        << manifest->variants[0].unusable;
  }
}

TEST(Variants, WhenAsWritten) {
  Json json = good(1);
  const std::pair<Json, std::size_t> rows[] = {
      {true, 0}, {false, 1}, {"ranks.x == 1", 1}, {Json{"true", "ranks.x == 1"}, 2}};
  for (const auto& [when, clauses] : rows) {
    json["variants"][0]["when"] = when;
    EXPECT_EQ(read_manifest(json, 1)->variants[0].when.size(), clauses) << when;
  }
  Json shared = good(2);
  shared["when"] = {"ranks.x == 1"};
  shared["variants"][0]["when"] = {"ranks.x == 2"};
  const auto manifest = read_manifest(shared, 2);
  ASSERT_EQ(manifest->variants[0].when.size(), 2u);
  EXPECT_EQ(manifest->variants[0].when[0].pointer(), "/when/0");
}

TEST(Variants, RequiresOfTheManifestIsMerged) {
  Json json = good(2);
  json["requires"] = {{"features", {"subgroups"}}, {"limits", {{"maxBufferSize", 10}}}, {"subgroupMinSize", 8}};
  json["variants"][0]["requires"] = {{"features", {"shader-f16", "subgroups"}},
                                     {"limits", {{"maxBufferSize", 7}, {"maxBindGroups", 2}}},
                                     {"subgroupMinSize", 16}};
  const auto manifest = read_manifest(json, 2);
  ASSERT_TRUE(manifest.ok());
  const Requires& merged = manifest->variants[0].requires_;
  EXPECT_EQ(merged.features, (std::vector<std::string>{"subgroups", "shader-f16"}));
  EXPECT_EQ(merged.limits,
            (std::vector<std::pair<std::string, std::uint64_t>>{{"maxBufferSize", 10}, {"maxBindGroups", 2}}));
  EXPECT_EQ(merged.subgroup_min_size, 16u);
}

TEST(Variants, SupersedingMustRankBefore) {
  Json json = good(2);
  json["variants"].push_back(json["variants"][0]);
  json["variants"][1]["id"] = "late";
  json["variants"][0]["supersededBy"] = {"late"};
  EXPECT_EQ(manifest_error(json, 2),
            "WebGPU variant plain supersededBy names \"late\", which does not rank before it (manifest.json: "
            "/variants/0/supersededBy)");
  json["variants"][1]["priority"] = 1;
  const auto manifest = read_manifest(json, 2);
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(manifest->variants[0].superseded_by, std::vector<std::uint32_t>{1});
}

TEST(Variants, GroupsMayShareTheirIdWithAPass) {
  Json json = good(2);
  Json& passes = json["variants"][0]["passes"];
  const Json pass = passes[0];
  passes.push_back({{"id", "main"}, {"repeat", {{"index", "i"}, {"count", 2}}}, {"passes", {pass}}});
  EXPECT_EQ(manifest_error(json, 2), "");
}

TEST(Twins, NormaliseToTheSameModel) {
  const auto old_one = read_manifest(good(1), 1);
  Json newer = good(2);
  newer["inputs"].erase("b");
  newer["inputs"]["p"]["onnx"] = "P";
  newer["attributes"].erase("to");
  const auto new_one = read_manifest(newer, 2);
  ASSERT_TRUE(old_one.ok() && new_one.ok());
  EXPECT_EQ(old_one->op, new_one->op);
  ASSERT_EQ(old_one->ports.size(), new_one->ports.size());
  for (std::size_t index = 0; index < old_one->ports.size(); ++index) {
    const Port& a = old_one->ports[index];
    const Port& b = new_one->ports[index];
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.onnx_name, b.onnx_name);
    EXPECT_EQ(a.direction, b.direction);
    EXPECT_EQ(a.dtype, b.dtype);
    EXPECT_EQ(a.storage, b.storage);
    EXPECT_EQ(a.narrowing, b.narrowing);
    EXPECT_EQ(a.optional, b.optional);
    EXPECT_EQ(a.shape.has_value(), b.shape.has_value());
  }
  EXPECT_EQ(old_one->type_vars, new_one->type_vars);
  EXPECT_EQ(old_one->scalars[0].one_of, new_one->scalars[0].one_of);
  EXPECT_EQ(old_one->attributes[0].default_value->as_number(), new_one->attributes[0].default_value->as_number());
  EXPECT_EQ(old_one->tunables[0].value.as_number(), new_one->tunables[0].value.as_number());
  EXPECT_EQ(old_one->derives[0].first, new_one->derives[0].first);
  const Pass& a = std::get<Pass>(old_one->variants[0].steps[0].node);
  Pass b = std::get<Pass>(new_one->variants[0].steps[0].node);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.label, "ai.onnx.Copy.plain.main");
  EXPECT_EQ(a.shader, b.shader);
  EXPECT_EQ(a.entry_point, b.entry_point);
  EXPECT_EQ(a.dispatch.form, b.dispatch.form);
  ASSERT_EQ(a.bindings.size(), b.bindings.size());
  // The published 1.0 manifests spell what 2.1 takes from the type variable.
  EXPECT_EQ(b.bindings[0].element_type, "$T");
  for (std::size_t index = 0; index < a.bindings.size(); ++index) {
    EXPECT_EQ(a.bindings[index].name, b.bindings[index].name);
    EXPECT_EQ(a.bindings[index].access, b.bindings[index].access);
    EXPECT_EQ(a.bindings[index].source, b.bindings[index].source);
    EXPECT_EQ(a.bindings[index].index, b.bindings[index].index);
    EXPECT_EQ(a.bindings[index].struct_name, b.bindings[index].struct_name);
    EXPECT_EQ(a.bindings[index].fields.size(), b.bindings[index].fields.size());
  }
}

/// A member list "key0": value, … of n members.
Json many(int n, const Json& value) {
  Json map = Json::object();
  for (int index = 0; index < n; ++index) map[fmt::format("k{}", index)] = value;
  return map;
}

/// `make(json, n)` puts n things into a good manifest: `limit` of them are accepted, one more is not.
template <typename Make>
void check_limit(int dialect, int limit, const std::string& error, Make&& make) {
  Json json = good(dialect);
  make(json, limit);
  EXPECT_EQ(manifest_error(json, dialect), "") << error;
  json = good(dialect);
  make(json, limit + 1);
  EXPECT_EQ(manifest_error(json, dialect), error);
}

TEST(Limits, Dialect21) {
  const std::string at = " (manifest.json: ";
  check_limit(2, 64, "ai.onnx.Copy: too many ports and scalars (65; the limit is 64) (manifest.json)",
              [](Json& json, int n) {
                for (int k = 5; k < n; ++k) json["args"][fmt::format("a{}", k)] = {{"kind", "u32"}};
                json["args"].erase("mode");
                json["outputs"]["x"] = {{"dtype", "T"}};  // an inout is one port
                json["args"]["last"] = {{"kind", "u32"}};
              });
  check_limit(2, 256, "ai.onnx.Copy: too many attributes (257; the limit is 256)" + at + "/attributes)",
              [](Json& json, int n) {
                json["attributes"] = many(n, {{"default", 0}});
              });
  check_limit(2, 1024, "ai.onnx.Copy: too many tunables (1025; the limit is 1024)" + at + "/tunables)",
              [](Json& json, int n) {
                json["tunables"] = many(n, {{"default", 0}});
              });
  check_limit(2, 1024, "WebGPU manifest ai.onnx.Copy: too many derives (1025; the limit is 1024)" + at + "/derive)",
              [](Json& json, int n) { json["derive"] = many(n, 1); });
  check_limit(2, 512, "ai.onnx.Copy: too many variants (513; the limit is 512)" + at + "/variants)",
              [](Json& json, int n) {
                const Json variant = json["variants"][0];
                for (int k = 1; k < n; ++k) {
                  json["variants"].push_back(variant);
                  json["variants"].back()["id"] = fmt::format("v{}", k);
                }
              });
  check_limit(
      2, 16,
      "ai.onnx.Copy variant plain: too many passes (17; the limit is 16)" + at + "/variants/0/passes/0/passes/16)",
      [](Json& json, int n) {
        Json passes = Json::array();
        for (int k = 0; k < n; ++k) {
          passes.push_back(json["variants"][0]["passes"][0]);
          passes.back().erase("id");
        }
        json["variants"][0]["passes"] = {{{"repeat", {{"index", "i"}, {"count", 2}}}, {"passes", passes}}};
      });
  check_limit(
      2, 32,
      "WebGPU variant plain pass main: too many bindings (33; the limit is 32)" + at + "/variants/0/passes/0/bindings)",
      [](Json& json, int n) {
        Json bindings = Json::array();
        for (int k = 0; k < n; ++k) bindings.push_back({{"name", fmt::format("b{}", k)}, {"arg", "x"}});
        json["variants"][0]["passes"][0]["bindings"] = bindings;
      });
  check_limit(2, 256,
              "WebGPU manifest ai.onnx.Copy bindings.params: too many struct fields (257; the limit is 256)" + at +
                  "/bindings/params/struct)",
              [](Json& json, int n) {
                Json fields = Json::array();
                for (int k = 0; k < n; ++k) fields.push_back({{"name", fmt::format("f{}", k)}, {"type", "u32"}});
                json["bindings"]["params"]["struct"] = fields;
              });
}

TEST(Limits, Dialect10) {
  const std::string at = " (manifest.json: ";
  check_limit(1, 64, "ai.onnx.Copy: too many ports and scalars (65; the limit is 64)" + at + "/args)",
              [](Json& json, int n) {
                for (int k = 4; k < n; ++k) json["args"][fmt::format("a{}", k)] = {{"kind", "u32"}};
              });
  check_limit(1, 256, "ai.onnx.Copy: too many attributes (257; the limit is 256) (manifest.json)",
              [](Json& json, int n) {
                json["attributes"] = many(n - 1, 0);
                json["attributeNames"] = {"k0", "other"};
              });
  check_limit(1, 1024, "ai.onnx.Copy: too many tunables (1025; the limit is 1024)" + at + "/tunables)",
              [](Json& json, int n) { json["tunables"] = many(n, 0); });
  check_limit(1, 1024, "ai.onnx.Copy: too many derives (1025; the limit is 1024)" + at + "/derive)",
              [](Json& json, int n) { json["derive"] = many(n, 1); });
  check_limit(1, 32, "WebGPU bindingSet io: too many bindings (33; the limit is 32)" + at + "/bindingSets/io)",
              [](Json& json, int n) {
                Json binding = json["bindingSets"]["io"][0];
                binding["arg"] = "x";
                json["bindingSets"]["io"] = Json::array();
                for (int k = 0; k < n; ++k) {
                  binding["name"] = fmt::format("b{}", k);
                  json["bindingSets"]["io"].push_back(binding);
                }
              });
}

TEST(Limits, ModelMadeOfSharedPartsIsBounded) {
  Json json = good(1);
  json["constants"] = many(1024, 1);
  const Json variant = json["variants"][0];
  for (int k = 1; k < 512; ++k) {
    json["variants"].push_back(variant);
    json["variants"].back()["id"] = fmt::format("v{}", k);
  }
  EXPECT_EQ(manifest_error(json, 1).find("WebGPU manifest ai.onnx.Copy: too many model items ("), 0u);
}

// ---- variant families

/// The ids of the variants that `family` expands to, or the error.
std::string ids(const Json& family) {
  Json json = good(2);
  json["variants"] = {family};
  const auto manifest = read_manifest(json, 2);
  if (!manifest.ok()) return manifest.error().message;
  std::string out;
  for (const Variant& variant : manifest->variants) out += (out.empty() ? "" : " ") + variant.id;
  return out;
}

Json form(const std::string& id, const Json& extra = Json::object()) {
  Json variant = good(2)["variants"][0];
  variant["id"] = id;
  for (const auto& [key, value] : extra.items()) variant[key] = value;
  return variant;
}

TEST(Families, CasesTimesForms) {
  EXPECT_EQ(ids({{"cases", {{{"n", "a"}}, {{"n", 2}}, {{"n", true}}}}, {"variants", {form("p_{n}"), form("q_{n}")}}}),
            "p_a q_a p_2 q_2 p_true q_true");
}

TEST(Families, AxesOuterFirstWithHolesAndOverrides) {
  const Json family = {{"axes",
                        {{"t", {{{"$key", "f32"}, {"k", 1}}, {{"$key", "f16"}, {"k", 2}}}},
                         {"w", {{{"$key", "w1"}, {"m", 3}}, {{"$key", "w4"}, {"m", 4}}}}}},
                       {"exclude", {{{"t", "f16"}, {"w", "w1"}}}},
                       {"cases", {{{"t", "f32"}, {"w", "w4"}, {"m", 9}}}},
                       {"variants", {form("v_{k}_{m}")}}};
  EXPECT_EQ(ids(family), "v_1_3 v_1_9 v_2_4");
}

TEST(Families, Substitution) {
  Json json = good(2);
  json["variants"] = {
      {{"cases", {{{"more", {"ranks.x == 1", "true"}}, {"gone", nullptr}, {"key", "W"}, {"big", 1e21}, {"one", 1}}}},
       {"variants",
        {form("a", {{"when", {"{more}", "1 == {one}"}},
                    {"description", "{gone}"},
                    {"demoteWhen", {"'{big}' == 1"}},
                    {"tunables", {{"{key}G", "{big}"}}}})}}}};
  const auto manifest = read_manifest(json, 2);
  ASSERT_TRUE(manifest.ok()) << manifest.error().message;
  const Variant& variant = manifest->variants[0];
  EXPECT_EQ(variant.when.size(), 3u);
  EXPECT_EQ(std::get<jinja::Expression>(variant.when[0].node).text(), "ranks.x == 1");
  EXPECT_EQ(std::get<jinja::Expression>(variant.when[2].node).text(), "1 == 1");
  EXPECT_EQ(variant.description, "");
  EXPECT_EQ(std::get<jinja::Expression>(variant.demote_when[0].node).text(), "'1e+21' == 1");
  EXPECT_EQ(variant.tunables[0].name, "WG");
  EXPECT_EQ(variant.tunables[0].value.as_number(), 1e21);
}

TEST(Families, Errors) {
  const std::string where = "WebGPU manifest ai.onnx.Copy variant family ";
  const std::string at = "/variants/0/variants/0";
  const auto one = [](const Json& record, const Json& variant) {
    return Json{{"cases", {record}}, {"variants", {variant}}};
  };
  const Json axis = {{{"$key", "a"}, {"v", 1}}, {{"$key", "b"}, {"v", 2}}};
  const Json other = {{{"$key", "c"}, {"u", 1}}};
  const auto axes = [&](const Json& extra) {
    Json family = {{"axes", {{"s", axis}, {"t", other}}}, {"variants", {form("x_{v}")}}};
    for (const auto& [key, value] : extra.items()) family[key] = value;
    return family;
  };
  const auto placed = [](const std::string& name, const std::string& text, const std::string& pointer) {
    return "WebGPU manifest ai.onnx.Copy: " + name + " " + text + " (manifest.json: " + pointer + ")";
  };
  const std::pair<Json, std::string> rows[] = {
      {one({{"n", 1}}, form("v_{m}")),
       where + "leaves unresolved placeholder \"{m}\" at " + at + "/id (manifest.json: " + at + "/id)"},
      {one({{"n", 1}}, form("v", {{"{m}", 1}})),
       where + "leaves unresolved placeholder \"{m}\" at " + at + "/{m} (manifest.json: " + at + "/{m})"},
      {one({{"n", "{m}"}, {"m", "1"}}, form("v", {{"description", "{n}"}})),
       where + "leaves unresolved placeholder \"{m}\" at " + at + "/description (manifest.json: " + at +
           "/description)"},
      {one({{"n", "{"}}, form("v", {{"description", "{n}n}"}})), where + "leaves unresolved placeholder \"{n}\" at " +
                                                                     at + "/description (manifest.json: " + at +
                                                                     "/description)"},
      {one({{"n", nullptr}}, form("v", {{"when", {"{n}"}}})),
       where + "has null for a list element (manifest.json: " + at + "/when/0)"},
      {one({{"n", nullptr}}, form("{n}")), placed("id", "must not be removed by null", at + "/id")},
      {one({{"n", nullptr}}, form("v", {{"passes", "{n}"}})),
       placed("passes", "must not be removed by null", at + "/passes")},
      {one({{"n", nullptr}}, form("v{n}")),
       where + "value \"n\" is null, which has no text inside a longer string (manifest.json: " + at + "/id)"},
      {one({{"n", {1}}}, form("v{n}")),
       where + "value \"n\" is [1], which has no text inside a longer string (manifest.json: " + at + "/id)"},
      {one({{"n", "id"}}, form("v", {{"{n}", "w"}})),
       where + "makes the key \"id\" twice (manifest.json: " + at + "/{n})"},
      {one({{"n", 1}}, 3), placed("0", "must be an object, got 3", at)},
      {{{"cases", {{{"n", 1}}, {{"n", 1}}}}, {"variants", {form("v")}}},
       "WebGPU manifest ai.onnx.Copy has duplicate expanded variant id \"v\" (manifest.json: " + at + ")"},
      {{{"cases", Json::array()}, {"variants", {form("v")}}},
       placed("cases", "must be a non-empty list, got []", "/variants/0/cases")},
      {{{"cases", {{{"n", 1}}}}}, placed("0", "is a variant family and must have variants", "/variants/0")},
      {{{"cases", {{{"a-b", 1}}}}, {"variants", {form("v")}}},
       "WebGPU manifest ai.onnx.Copy variant family: \"a-b\" is not the name of a value (manifest.json: "
       "/variants/0/cases/0/a-b)"},
      {{{"cases", {{{"n", 1}}}}, {"variants", {form("v")}}, {"exclude", Json::array()}},
       "WebGPU variant family has unknown key \"exclude\" (manifest.json: /variants/0/exclude)"},
      {axes({{"axes", {{"s", axis}}}}), placed("axes", "must have exactly two axes, got 1", "/variants/0/axes")},
      {axes({{"axes", {{"s", axis}, {"t", Json::array()}}}}),
       placed("t", "must be a non-empty list, got []", "/variants/0/axes/t")},
      {axes({{"axes", {{"s", axis}, {"t", {{{"u", 1}}}}}}}), placed("0", "must have $key", "/variants/0/axes/t/0")},
      {axes({{"axes", {{"s", axis}, {"t", {{{"$key", "c d"}}}}}}}),
       placed("$key", "must be a unique identifier, got \"c d\"", "/variants/0/axes/t/0/$key")},
      {axes({{"axes", {{"s", axis}, {"t", {other[0], other[0]}}}}}),
       placed("$key", "must be a unique identifier, got \"c\"", "/variants/0/axes/t/1/$key")},
      {axes({{"axes", {{"s", axis}, {"t", {{{"$key", "c"}, {"v", 1}}}}}}}),
       placed("axes", "use the value name \"v\" twice", "/variants/0/axes")},
      {axes({{"axes", {{"s", axis}, {"t", {{{"$key", "c"}, {"s", 1}}}}}}}),
       placed("axes", "use the value name \"s\" twice", "/variants/0/axes")},
      {axes({{"exclude", {{{"s", "a"}}}}}), placed("0", "must have t", "/variants/0/exclude/0")},
      {axes({{"exclude", {{{"s", "z"}, {"t", "c"}}}}}),
       placed("s", "is \"z\", which is no $key", "/variants/0/exclude/0/s")},
      {axes({{"exclude", {{{"s", "a"}, {"t", "c"}, {"v", 1}}}}}),
       placed("0", "must name the two axes and nothing else", "/variants/0/exclude/0")},
      {axes({{"exclude", {{{"s", "a"}, {"t", "c"}}, {{"s", "b"}, {"t", "c"}}}}}),
       placed("0", "excludes every cell", "/variants/0")},
      {axes({{"cases", {{{"s", "a"}, {"t", "c"}}, {{"s", "a"}, {"t", "c"}}}}}),
       placed("1", "names a cell a second time", "/variants/0/cases/1")},
      {axes({{"exclude", {{{"s", "a"}, {"t", "c"}}}}, {"cases", {{{"s", "a"}, {"t", "c"}}}}}),
       placed("cases", "names a cell that exclude removes", "/variants/0/cases")},
  };
  for (const auto& [family, error] : rows) EXPECT_EQ(ids(family), error) << family.dump();
}

TEST(Families, ExpansionIsBounded) {
  Json cases = Json::array();
  for (int k = 0; k < 257; ++k) cases.push_back({{"n", k}});
  EXPECT_EQ(ids({{"cases", cases}, {"variants", {form("a{n}"), form("b{n}")}}}),
            "ai.onnx.Copy: too many variants (514; the limit is 512) (manifest.json: /variants/0)");
  EXPECT_EQ(ids({{"cases", {many(257, 1)}}, {"variants", {form("a")}}}),
            "WebGPU manifest ai.onnx.Copy variant family: too many values (257; the limit is 256) (manifest.json: "
            "/variants/0/cases/0)");
  // A text of many "{" must not take quadratic time.
  EXPECT_EQ(ids({{"cases", {{{"n", 1}}}}, {"variants", {form("a", {{"description", std::string(1 << 20, '{')}})}}}),
            "a");
  const std::string big(1 << 20, 'x');
  EXPECT_NE(ids({{"cases", {{{"n", big}}}}, {"variants", {form("a", {{"when", Json(20, "{n}")}})}}})
                .find("expands to too much data"),
            std::string::npos);
}

}  // namespace
}  // namespace wgk::package
