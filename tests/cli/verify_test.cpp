// wgk verify: each check, with a package that is right in everything else.
#include <gtest/gtest.h>

#include "cli/author.h"

namespace wgk::test {
namespace {

ProcessResult verify(const std::string& package, std::vector<std::string> more = {"--no-device"}) {
  more.insert(more.begin(), {"verify", package});
  return wgk(std::move(more));
}

/// The line of the report that starts with `severity` and `check` and contains `part`.
void expect_finding(const ProcessResult& result, const std::string& severity, const std::string& check,
                    const std::string& part) {
  const std::string head =
      "  " + severity + std::string(8 - severity.size(), ' ') + check + std::string(11 - check.size(), ' ');
  const auto at = result.out.find(head);
  ASSERT_NE(at, std::string::npos) << "no " << severity << " of " << check << " in\n" << result.out << result.err;
  EXPECT_NE(result.out.find(part), std::string::npos) << "want: " << part << "\nin\n" << result.out;
}

std::string counts(std::size_t errors, std::size_t warnings) {
  return "  " + std::to_string(errors) + (errors == 1 ? " error, " : " errors, ") + std::to_string(warnings) +
         (warnings == 1 ? " warning\n" : " warnings\n");
}

void expect_counts(const ProcessResult& result, std::size_t errors, std::size_t warnings) {
  EXPECT_NE(result.out.find(counts(errors, warnings)), std::string::npos)
      << "want " << counts(errors, warnings) << "in\n"
      << result.out << result.err;
}

TEST(Verify, ARightPackageHasNoFindings) {
  const TemporaryFolder folder;
  const auto package = write_author_package(folder, author_files());
  // Files beside build/ belong to no digest.
  folder.write("p/README.md", "# card\n");
  folder.write("p/card-notes.md", "notes\n");
  const auto result = verify(package, {"--no-device", "--strict"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_counts(result, 0, 0);
  EXPECT_NE(result.out.find("test.Double"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("1 variant, 1 test case, "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("no shader compiled"), std::string::npos) << result.out;
}

class VerifyFirstParty : public testing::TestWithParam<const char*> {};

TEST_P(VerifyFirstParty, IsRight) {
  const auto result = verify(kernels_folder() + "/" + GetParam());
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_counts(result, 0, 0);
}

INSTANTIATE_TEST_SUITE_P(Cli, VerifyFirstParty,
                         testing::Values("ai.onnx.RotaryEmbedding", "com.microsoft.MRotaryEmbedding",
                                         "com.microsoft.GemmaRotaryEmbedding"));

// --- Files ----------------------------------------------------------------------------------------------------------

TEST(Verify, DigestsAreComparedBothWays) {
  const TemporaryFolder folder;
  Files files = author_files();
  files["gone.txt"] = "was here when the package was packed";
  const auto package = write_author_package(folder, files);
  std::filesystem::remove(folder.path() / "p/build/webgpu/gone.txt");
  folder.write("p/build/webgpu/added.txt", "came later");
  folder.write("p/build/webgpu/double.wgsl.jinja", files["double.wgsl.jinja"] + "// edited\n");
  const auto result = verify(package);
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "digest", "gone.txt is listed in metadata.json and absent");
  expect_finding(result, "error", "digest", "added.txt is not listed in metadata.json");
  expect_finding(result, "error", "digest", "double.wgsl.jinja does not match metadata.json");
  expect_counts(result, 3, 0);
}

TEST(Verify, AnIncludeThatMetadataDoesNotList) {
  const TemporaryFolder folder;
  Files files = author_files();
  files["double.wgsl.jinja"] = "{% include \"common.wgsl\" %}\n" + files["double.wgsl.jinja"];
  files["common.wgsl"] = "// shared\n";
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "metadata", "webgpu.variants.only does not list common.wgsl");
  expect_counts(result, 1, 0);
  const TemporaryFolder second;
  expect_counts(verify(write_author_package(second, files, {"common.wgsl"})), 0, 0);
}

TEST(Verify, ATemplateThatNoVariantRenders) {
  const TemporaryFolder folder;
  Files files = author_files();
  files["old.wgsl.jinja"] = "// nobody includes this\n";
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_finding(result, "warning", "unused", "template old.wgsl.jinja is rendered by no variant");
  expect_counts(result, 0, 1);
}

// --- Loading --------------------------------------------------------------------------------------------------------

TEST(Verify, EveryViolationOfTheManifestIsListed) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& manifest) {
    manifest["colour"] = "red";
    manifest["attributes"] = {{"alpha", {{"defalt", 2}}}};
    ordered second = manifest["variants"][0];
    second["id"] = "second";
    second["priority"] = "high";
    ordered third = manifest["variants"][0];
    third["id"] = "third";
    third["passes"][0]["dispatch"] = {{"threads", 4}};
    manifest["variants"].push_back(second);
    manifest["variants"].push_back(third);
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
  expect_finding(result, "error", "load", "unknown top-level key \"colour\"");
  expect_finding(result, "error", "load", "unknown key \"defalt\"");
  expect_finding(result, "error", "load", "did you mean \"default\"");
  // The pointers are those of the whole manifest, although the reading went on without what was wrong before.
  expect_finding(result, "error", "load", "/variants/1/priority");
  expect_finding(result, "error", "load", "/variants/2/passes/0/dispatch");
  expect_counts(result, 4, 0);
}

TEST(Verify, WhatIsNoPackageIsExitCode3) {
  const auto absent = verify("/no/such/folder");
  EXPECT_EQ(absent.exit_code, 3) << absent.out;
  const TemporaryFolder folder;
  Files files = author_files();
  files["manifest.json"] = "{\"inputs\": ";
  const auto broken =
      verify(write_package(folder, "p", files, metadata_for(files, "test.Double", "double.wgsl.jinja")));
  EXPECT_EQ(broken.exit_code, 3) << broken.out;
  expect_finding(broken, "error", "load", "manifest.json does not parse");
  const TemporaryFolder second;
  const auto unpacked = verify(write_package(second, "p", author_files(), "[]"));
  EXPECT_EQ(unpacked.exit_code, 3) << unpacked.out;
  expect_finding(unpacked, "error", "metadata", "metadata.json does not parse: not an object");
}

// --- Expressions ----------------------------------------------------------------------------------------------------

struct BadName {
  const char* name;
  std::function<void(ordered&)> change;
  const char* message;  ///< pointer, text, suggestion
};

class VerifyNames : public testing::TestWithParam<BadName> {};

TEST_P(VerifyNames, AreErrorsThatPointAtThePlace) {
  const TemporaryFolder folder;
  const auto result = verify(write_author_package(folder, author_files(GetParam().change)));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "expression", GetParam().message);
  EXPECT_NE(result.out.find("^\n"), std::string::npos) << "no caret in\n" << result.out;
}

ordered& first_variant(ordered& manifest) { return manifest["variants"][0]; }
ordered& first_pass(ordered& manifest) { return manifest["variants"][0]["passes"][0]; }

INSTANTIATE_TEST_SUITE_P(
    Cli, VerifyNames,
    testing::Values(
        BadName{"OutputShape", [](ordered& m) { m["outputs"]["y"]["shape"] = "shape.x"; },
                "manifest.json: /outputs/y/shape: unknown identifier \"shape\"; did you mean \"shapes\"?"},
        BadName{"OutputShapeItem", [](ordered& m) { m["outputs"]["y"]["shape"] = {"dim(shapes.x, 0) + zz"}; },
                "manifest.json: /outputs/y/shape/0: unknown identifier \"zz\""},
        BadName{"Derive",
                [](ordered& m) {
                  m["derive"] = {{"n", "numl(shapes.x)"}};
                },
                "manifest.json: /derive/n: unknown identifier \"numl\"; did you mean \"numel\"?"},
        BadName{"DeriveOfALaterOne",
                [](ordered& m) {
                  m["derive"] = {{"a", "b + 1"}, {"b", "2"}};
                },
                "/derive/a: unknown identifier \"b\": this derive comes later"},
        BadName{"ManifestWhen", [](ordered& m) { m["when"] = {"rank.x == 1"}; }, "unknown identifier \"rank\""},
        BadName{"When", [](ordered& m) { first_variant(m)["when"] = {"numel(shapes.x) > lo"}; },
                "/variants/0/when/0: unknown identifier \"lo\""},
        BadName{"WhenSeesNoVariantDerive",
                [](ordered& m) {
                  first_variant(m)["derive"] = {{"big", "numel(shapes.x) > 4"}};
                  first_variant(m)["when"] = {"not big"};
                },
                "/variants/0/when/0: unknown identifier \"big\": it is a derive of a variant, and not in scope here"},
        BadName{
            "WhenSeesNoBareDtype", [](ordered& m) { first_variant(m)["when"] = {"T == 'f32'"}; },
            "unknown identifier \"T\": it is a dtype (dtypes.T), which only passes see bare, and not in scope here"},
        BadName{"DemoteWhen", [](ordered& m) { first_variant(m)["demoteWhen"] = {"slow"}; },
                "/variants/0/demoteWhen/0: unknown identifier \"slow\""},
        BadName{"VariantDerive",
                [](ordered& m) {
                  first_variant(m)["derive"] = {{"n", "count"}};
                },
                "/variants/0/derive/n: unknown identifier \"count\""},
        BadName{"Intermediate",
                [](ordered& m) {
                  first_variant(m)["intermediates"] = {{{"id", "tmp"}, {"dtype", "float32"}, {"shape", "half"}}};
                },
                "/variants/0/intermediates/0/shape: unknown identifier \"half\""},
        BadName{"RepeatCount",
                [](ordered& m) {
                  const ordered passes = first_variant(m)["passes"];
                  first_variant(m)["passes"] = {
                      {{"id", "g"}, {"repeat", {{"index", "i"}, {"count", "turns"}}}, {"passes", passes}}};
                },
                "unknown identifier \"turns\""},
        BadName{"PassDerive",
                [](ordered& m) {
                  first_pass(m)["derive"] = {{"n", "cuont"}, {"count", "1"}};
                },
                "/variants/0/passes/0/derive/n: unknown identifier \"cuont\""},
        BadName{"Uniform", [](ordered& m) { first_pass(m)["bindings"][2]["struct"][0]["value"] = "n"; },
                "unknown identifier \"n\""},
        BadName{"UniformWritesANamespaceMemberBare",
                [](ordered& m) {
                  m["attributes"] = {{"alpha", {{"default", 2}}}};
                  first_pass(m)["bindings"][2]["struct"][0]["value"] = "alpha";
                },
                "unknown identifier \"alpha\"; write attrs.alpha"},
        BadName{"Dispatch", [](ordered& m) { first_pass(m)["dispatch"]["threads"] = "numel(shapes.x) * tuneables.k"; },
                "/variants/0/passes/0/dispatch/threads: unknown identifier \"tuneables\"; did you mean \"tunables\"?"}),
    [](const auto& info) { return info.param.name; });

TEST(Verify, NamesThatOnlyAPassSeesAreFineThere) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) {
    m["tunables"] = {{"WG", {{"default", 64}}}};
    m["derive"] = {{"n", "numel(shapes.x)"}};
    first_variant(m)["derive"] = {{"half", "n // 2"}};
    first_pass(m)["derive"] = {{"twice", "half * 2"}, {"again", "twice if T == 'f32' else n"}};
    first_pass(m)["dispatch"] = {{"threads", "max(again, 1)"}, {"workgroupSize", "tunables.WG"}};
  });
  const auto result = verify(write_author_package(folder, files), {"--no-device", "--strict"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Verify, SyntaxErrorsInAVariantPointAtTheColumn) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) {
    ordered second = first_variant(m);
    second["id"] = "second";
    second["when"] = {"numel(shapes.x) > > 3"};
    m["variants"].push_back(second);
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "expression", "manifest.json: /variants/1/when/0: ");
  // The caret stands below the second ">": both lines are indented alike.
  const auto line = result.out.find("numel(shapes.x) > > 3\n");
  ASSERT_NE(line, std::string::npos) << result.out;
  const auto indent = line - (result.out.rfind('\n', line) + 1);
  EXPECT_EQ(result.out.substr(line + 22, indent + 19), std::string(indent + 18, ' ') + "^") << result.out;
}

TEST(Verify, MembersThatCannotExistAreWarnings) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) {
    m["attributes"] = {{"alpha", {{"default", 2}}}};
    first_pass(m)["bindings"][2]["struct"].push_back({{"name", "a"}, {"type", "f32"}, {"value", "attrs.alpah or 1"}});
    first_pass(m)["bindings"][2]["struct"].push_back(
        {{"name", "b"}, {"type", "f32"}, {"value", "attrs.later if attrs.later is defined else attrs.alpha"}});
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_finding(result, "warning", "name", "attrs.alpah is never defined; did you mean \"alpha\"?");
  expect_counts(result, 0, 1);
}

// --- Test cases -----------------------------------------------------------------------------------------------------

TEST(Verify, ATemplateThatFailsForACase) {
  const TemporaryFolder folder;
  Files files = author_files();
  files["double.wgsl.jinja"] += "\n{% if dim(shapes.x, 0) == 2 %}\n  {{ nothing() }}\n{% endif %}\n";
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "render", "case \"two\"");
  expect_finding(result, "error", "render", "double.wgsl.jinja:9:");
  EXPECT_NE(result.out.find("^\n"), std::string::npos) << result.out;
  expect_counts(result, 1, 0);
}

TEST(Verify, AShaderThatDoesNotCompile) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  Files files = author_files();
  files["double.wgsl.jinja"] += "fn broken() -> u32 { return nonsense; }\n";
  const auto package = write_author_package(folder, files);
  const auto result = verify(package, {"--device", "software"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "compile", "double.wgsl.jinja, variant only pass main, case \"two\": ");
  EXPECT_NE(result.out.find("nonsense"), std::string::npos) << result.out;
  EXPECT_EQ(verify(package).exit_code, 0);
}

TEST(Verify, CompilesOnTheAdapter) {
  WGK_NEEDS_SOFTWARE_ADAPTER();
  const TemporaryFolder folder;
  const auto result = verify(write_author_package(folder, author_files()), {"--device", "software"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("1 shader compiled on "), std::string::npos) << result.out;
}

TEST(Verify, ACaseThatNoVariantTakes) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) { first_variant(m)["when"] = {"numel(shapes.x) > 100"}; });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "test", "case \"two\": No supported WebGPU variant for test.Double");
}

TEST(Verify, TestFilesThatAreAbsentOrWrong) {
  const TemporaryFolder folder;
  Files files = author_files();
  files.erase("test.json");
  const auto absent = verify(write_author_package(folder, files));
  EXPECT_EQ(absent.exit_code, 0) << absent.out;
  expect_finding(absent, "warning", "test", "there is no test.json");
  const TemporaryFolder second;
  files["test.json"] = "{\"cases\": 3}";
  const auto wrong = verify(write_author_package(second, files));
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out;
  expect_finding(wrong, "error", "test", "test.json: ");
}

// --- Variants and unused names --------------------------------------------------------------------------------------

TEST(Verify, VariantsThatNothingReaches) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) {
    ordered shadowed = first_variant(m);
    shadowed["id"] = "shadowed";
    ordered unreached = first_variant(m);
    unreached["id"] = "unreached";
    unreached["when"] = {"numel(shapes.x) > 100"};
    m["variants"].push_back(shadowed);
    m["variants"].push_back(unreached);
  });
  const auto package = write_author_package(folder, files);
  const auto result = verify(package);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_finding(result, "warning", "variant",
                 "variant shadowed is never selected: wherever it could be, an earlier one is taken (only)");
  expect_finding(result, "warning", "variant",
                 "variant unreached is never selected: no test case reaches it; most often: when clause failed: "
                 "`numel(shapes.x) > 100`");
  expect_counts(result, 0, 2);
  EXPECT_EQ(verify(package, {"--no-device", "--strict"}).exit_code, 1);
}

TEST(Verify, VariantsForOtherDevicesAreReached) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) {
    ordered wide = first_variant(m);
    wide["id"] = "wide";
    wide["priority"] = 10;
    wide["requires"] = {{"features", {"subgroups"}}, {"limits", {{"maxComputeInvocationsPerWorkgroup", 2048}}}};
    m["variants"].push_back(wide);
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_counts(result, 0, 0);
}

/// No one device selects them all: where everything is there, the first is taken.
TEST(Verify, VariantsThatNeedDifferentThingsAreReachedOnDevicesOfTheirOwn) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) {
    const ordered base = first_variant(m);
    const auto add = [&](const char* id, ordered change) {
      ordered variant = base;
      variant["id"] = id;
      variant["priority"] = 10;
      variant.update(change);
      m["variants"].push_back(variant);
    };
    add("matrix", {{"requires", {{"features", {"chromium-experimental-subgroup-matrix"}}}}});
    add("huge", {{"requires", {{"limits", {{"maxComputeInvocationsPerWorkgroup", 4096}}}}}});
    add("wide", {{"requires", {{"subgroupMinSize", 64}}}});
    add("half", {{"when", {"device.features.has('shader-f16')"}}});
    add("no_half", {{"when", {"not device.features.has('shader-f16')"}}});
    add("shadowed", {{"when", {"device.features.has('shader-f16')"}}});
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  for (const char* id : {"matrix", "huge", "wide", "half", "no_half"}) {
    EXPECT_EQ(result.out.find(std::string("variant ") + id + " is never"), std::string::npos) << result.out;
  }
  expect_finding(result, "warning", "variant", "variant shadowed is never selected");
}

// --- The fixtures that are not clean, on purpose (the others: the test verify.fixtures) -----------------------------

TEST(VerifyFixtures, BrokenVariant) {
  const auto result = verify(std::string(WGK_SOURCE_DIR) + "/tests/fixtures/broken-variant");
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "expression", "manifest.json: /variants/0/when/0: unexpected \"==\" at column 12");
  expect_finding(result, "warning", "name", "manifest.json: /variants/1/when/0: attrs.limit is never defined");
  expect_finding(result, "warning", "variant", "variant failing is never selected");
  expect_counts(result, 1, 2);
}

TEST(VerifyFixtures, UnreferencedBindingSet) {
  const auto result = verify(std::string(WGK_SOURCE_DIR) + "/tests/fixtures/v1-binding-sets");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_finding(result, "warning", "unused", "binding set \"$unused\" is used by no pass");
  expect_counts(result, 0, 1);
}

TEST(Verify, AShadowedVariantIsRenderedAsWell) {
  const TemporaryFolder folder;
  Files files = author_files([](ordered& m) {
    ordered shadowed = first_variant(m);
    shadowed["id"] = "shadowed";
    shadowed["passes"][0]["derive"] = {{"boom", "1 + none"}};
    m["variants"].push_back(shadowed);
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  expect_finding(result, "error", "render", "/variants/1/passes/0/derive/boom");
}

TEST(Verify, WhatIsDeclaredAndNotUsed) {
  const TemporaryFolder folder;
  Files files = author_files([](ordered& m) {
    m["tunables"] = {{"WG", {{"default", 64}}}, {"SPARE", {{"default", 1}}}};
    m["derive"] = {{"count", "numel(shapes.x)"}, {"leftover", "count + 1"}};
    m["bindings"] = {{"x_wide", {{"arg", "x"}, {"elementType", "vec4<f32>"}}}};
    first_variant(m)["tunables"] = {{"LOCAL", 2}};
    first_variant(m)["derive"] = {{"idle", "count"}};
    first_pass(m)["derive"] = {{"lazy", "count"}};
    first_pass(m)["dispatch"]["workgroupSize"] = "tunables.WG";
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_finding(result, "warning", "unused", "tunable \"SPARE\" is used by no expression and no template");
  expect_finding(result, "warning", "unused", "derive \"leftover\" is used");
  expect_finding(result, "warning", "unused", "binding \"x_wide\" is used by no pass");
  expect_finding(result, "warning", "unused", "tunable \"LOCAL\" of variant only is used");
  expect_finding(result, "warning", "unused", "derive \"idle\" of variant only is used");
  expect_finding(result, "warning", "unused", "derive \"lazy\" of variant only pass main is used");
  expect_counts(result, 0, 6);
}

TEST(Verify, TemplatesCountAsUse) {
  const TemporaryFolder folder;
  Files files = author_files([](ordered& m) {
    m["tunables"] = {{"WG", {{"default", 64}}}};
    m["derive"] = {{"shown", "numel(shapes.x)"}, {"byName", "1"}};
  });
  files["double.wgsl.jinja"] += "// {{ shown }} {{ derive.byName }} {{ tunables[\"WG\"] }} {# tunables.NONE #}\n";
  const auto result = verify(write_author_package(folder, files), {"--no-device", "--strict"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Verify, ABindingThatNoShaderUses) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) {
    m["inputs"]["extra"] = {{"onnx", "Extra"}, {"dtype", "T"}, {"optional", true}};
    first_variant(m)["intermediates"] = {{{"id", "tmp"}, {"dtype", "float32"}, {"shape", {4}}}};
    first_pass(m)["bindings"].push_back("tmp");
  });
  const auto result = verify(write_author_package(folder, files));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_finding(result, "warning", "unused",
                 "binding \"tmp\" of variant only pass main is used by none of the rendered shaders");
  expect_counts(result, 0, 1);
}

TEST(Verify, Json) {
  const TemporaryFolder folder;
  const auto files = author_files([](ordered& m) { m["tunables"] = {{"SPARE", {{"default", 1}}}}; });
  const auto good = write_author_package(folder, files);
  const auto result = wgk({"verify", good, "/no/such/folder", "--no-device", "--json"});
  EXPECT_EQ(result.exit_code, 3) << result.out << result.err;
  const json out = parse_output(result);
  EXPECT_EQ(out["device"], nullptr);
  ASSERT_EQ(out["packages"].size(), 2U);
  const json& first = out["packages"][0];
  EXPECT_EQ(first["package"], good);
  EXPECT_EQ(first["op"], "test.Double");
  EXPECT_EQ(first["loaded"], true);
  EXPECT_EQ(first["errors"], 0);
  EXPECT_EQ(first["warnings"], 1);
  EXPECT_EQ(first["cases"], 1);
  EXPECT_EQ(first["findings"][0], json({{"severity", "warning"},
                                        {"check", "unused"},
                                        {"message", "tunable \"SPARE\" is used by no expression and no template"}}));
  EXPECT_EQ(out["packages"][1]["loaded"], false);
  EXPECT_EQ(out["packages"][1]["findings"][0]["check"], "load");
}

}  // namespace
}  // namespace wgk::test
