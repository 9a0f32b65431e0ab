// References, URLs and the environment: no network.
#include "hub/reference.h"

#include <gtest/gtest.h>

#include "hub/settings.h"
#include "support/package_folder.h"

namespace wgk::test {
namespace {

const std::string kCommit = "0123456789abcdef0123456789abcdef01234567";

TEST(Reference, IsRead) {
  struct Row {
    std::string text;
    RevisionChoice choice;
    std::string wanted;
  };
  for (const Row& row : std::vector<Row>{
           {"webgpu-kernels/ai.onnx.Add@v1", {}, "webgpu-kernels/ai.onnx.Add@v1"},
           {"webgpu-kernels/ai.onnx.Add@v12", {}, "webgpu-kernels/ai.onnx.Add@v12"},
           {"some-org/x_y.Z-1@" + kCommit, {}, "some-org/x_y.Z-1@" + kCommit},
           {"a/b@0123456789ABCDEF0123456789ABCDEF01234567", {}, "a/b@" + kCommit},
           {"a/b", {3, ""}, "a/b@v3"},
           {"a/b", {0, "main"}, "a/b@main"},
           {"a/b", {0, "refs/pr/1"}, "a/b@refs/pr/1"},
           {"a/b", {0, kCommit}, "a/b@" + kCommit},
       }) {
    const auto reference = parse_reference(row.text, row.choice);
    ASSERT_TRUE(reference) << row.text << ": " << reference.error().message;
    EXPECT_EQ(reference->text(), row.wanted);
  }
}

TEST(Reference, IsRefused) {
  struct Row {
    std::string text;
    RevisionChoice choice;
    std::string part;
  };
  for (const Row& row : std::vector<Row>{
           {"a/b", {}, "say which version, for example a/b@v1"},
           {"a/b@main", {}, "another branch is given as --revision main"},
           {"a/b@v0", {}, "is no revision"},
           {"a/b@v01", {}, "is no revision"},
           {"a/b@v99999999999", {}, "is no revision"},
           {"a/b@", {}, "is no revision"},
           {"a/b@" + kCommit.substr(1), {}, "is no revision"},
           {"a/b@v1", {2, ""}, "names a revision already"},
           {"a/b", {2, "main"}, "not both"},
           {"a/b", {-2, ""}, "must be 1 or more"},
           {"a/b", {0, "../x"}, "neither a branch or tag"},
           {"a/b", {0, ".hidden"}, "neither a branch or tag"},
           {"a/b", {0, "x/.y"}, "neither a branch or tag"},
           {"b@v1", {}, "no reference"},
           {"/b@v1", {}, "no reference"},
           {"a/@v1", {}, "no reference"},
           {"a/b/c@v1", {}, "no reference"},
           {"../b@v1", {}, "no reference"},
           {"a/..@v1", {}, "no reference"},
           {"a--b/c@v1", {}, "no reference"},
           {"a/b c@v1", {}, "no reference"},
           {"a/b%2f@v1", {}, "no reference"},
           {std::string(97, 'a') + "/b@v1", {}, "no reference"},
       }) {
    const auto reference = parse_reference(row.text, row.choice);
    ASSERT_FALSE(reference) << row.text;
    EXPECT_EQ(reference.error().code, ErrorCode::kUsage);
    EXPECT_NE(reference.error().message.find(row.part), std::string::npos) << reference.error().message;
  }
}

TEST(Reference, OfAnotherOwnerNeedsTrust) {
  const PackageReference other{"someone", "ai.onnx.Add", "v1"};
  const auto refused = fetch_package(other, {.endpoint = "http://127.0.0.1:1", .cache = "/nowhere", .token = ""});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_NE(refused.error().message.find("--trust"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(load_reference(other, {.cache = "/nowhere", .offline = true}));
  EXPECT_TRUE(hub::check_trusted(other, true));
  EXPECT_TRUE(hub::check_trusted({"webgpu-kernels", "ai.onnx.Add", "v1"}, false));
}

TEST(Url, IsReadAndShown) {
  struct Row {
    const char* text;
    const char* origin;
    const char* shown;
  };
  for (const Row& row : {
           Row{"https://huggingface.co", "https://huggingface.co", "https://huggingface.co"},
           Row{"HTTPS://HuggingFace.co:443/a", "https://huggingface.co", "https://huggingface.co/a"},
           Row{"http://127.0.0.1:8080/a/b?c=d", "http://127.0.0.1:8080", "http://127.0.0.1:8080/a/b?…"},
           Row{"http://[::1]:80/", "http://[::1]", "http://[::1]/"},
       }) {
    const auto url = hub::parse_url(row.text);
    ASSERT_TRUE(url) << row.text;
    EXPECT_EQ(url->origin(), row.origin);
    EXPECT_EQ(url->shown(), row.shown);
  }
  for (const char* text :
       {"huggingface.co", "ftp://a", "https://", "https://user:secret@host/", "https://a:0/", "https://a:70000",
        "https://a:b", "https://a b/", "https://a/\r\nX: y", "http://a\\@b/", "http://[a", "https:///path"}) {
    const auto url = hub::parse_url(text);
    EXPECT_FALSE(url) << text;
    EXPECT_TRUE(url.ok() || url.error().message.find("secret") == std::string::npos);
  }
}

TEST(Url, OfARedirectIsResolved) {
  const hub::Url base = *hub::parse_url("https://h/a/b/c?q=1");
  struct Row {
    const char* location;
    const char* wanted;
  };
  for (const Row& row : {Row{"https://other/x?y", "https://other/x?y"}, Row{"//other/x", "https://other/x"},
                         Row{"/x/y", "https://h/x/y"}, Row{"d", "https://h/a/b/d"}, Row{"../d", "https://h/a/d"},
                         Row{"../../../../d", "https://h/d"}, Row{"d?u=http://z", "https://h/a/b/d?u=http://z"}}) {
    const auto url = hub::resolve(base, row.location);
    ASSERT_TRUE(url) << row.location;
    EXPECT_EQ(url->text(), row.wanted);
  }
  EXPECT_FALSE(hub::resolve(base, "file:///etc/passwd"));
}

TEST(Url, KnowsThisMachine) {
  for (const char* text : {"http://127.0.0.1", "http://127.8.9.1:1", "http://localhost", "http://[::1]"}) {
    EXPECT_TRUE(hub::parse_url(text)->is_loopback()) << text;
  }
  for (const char* text : {"http://127.evil.example", "http://127.0.0.1.example", "http://10.0.0.1", "http://h"}) {
    EXPECT_FALSE(hub::parse_url(text)->is_loopback()) << text;
  }
}

/// An environment of these variables alone.
hub::Environment environment(std::map<std::string, std::string> variables) {
  return [variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(Settings, FindTheCache) {
  using Variables = std::map<std::string, std::string>;
  struct Row {
    Variables variables;
    const char* wanted;
  };
  for (const Row& row : std::vector<Row>{
           {{{"HOME", "/h"}}, "/h/.cache/huggingface/hub"},
           {{{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}, "/x/huggingface/hub"},
           {{{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "~/hf"}}, "/h/hf/hub"},
           {{{"HF_HOME", "/hf"}, {"HUGGINGFACE_HUB_CACHE", "/old"}}, "/old"},
           {{{"HF_HOME", "/hf"}, {"HUGGINGFACE_HUB_CACHE", "/old"}, {"HF_HUB_CACHE", "/c"}}, "/c"},
           {{{"HF_HUB_CACHE", "/c"}, {"KERNELS_CACHE", "/k"}}, "/k"},
           {{{"HF_HUB_CACHE", "$BASE/c/${USER}"}, {"BASE", "/b"}, {"USER", "me"}}, "/b/c/me"},
           {{{"HF_HUB_CACHE", "/a$UNKNOWN/b"}}, "/a$UNKNOWN/b"},
       }) {
    EXPECT_EQ(hub::cache_folder({}, environment(row.variables)).value(), row.wanted);
  }
  EXPECT_FALSE(hub::cache_folder({}, environment({})));
  EXPECT_EQ(hub::cache_folder({.cache = "/o"}, environment({{"KERNELS_CACHE", "/k"}})).value(), "/o");
}

TEST(Settings, FindTheTokenAndTheHub) {
  const TemporaryFolder folder;
  folder.write("token", " hf_file\n");
  const std::string other = folder.write("elsewhere", "hf_elsewhere");
  const std::string home = folder.path().string();
  const auto token = [&](std::map<std::string, std::string> variables) {
    variables.emplace("HF_HOME", home);
    return hub::read_settings({}, environment(variables)).value().token;
  };
  EXPECT_EQ(token({}), "hf_file");
  EXPECT_EQ(token({{"HF_TOKEN_PATH", other}}), "hf_elsewhere");
  EXPECT_EQ(token({{"HF_TOKEN", "hf_variable\n"}}), "hf_variable");
  EXPECT_EQ(token({{"HUGGING_FACE_HUB_TOKEN", "hf_old"}}), "hf_old");
  EXPECT_EQ(token({{"HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"}, {"HF_TOKEN", "x"}}), "");

  const auto settings = [&](std::map<std::string, std::string> variables) {
    variables.emplace("HF_HOME", home);
    return hub::read_settings({}, environment(variables));
  };
  EXPECT_EQ(settings({}).value().endpoint.text(), "https://huggingface.co");
  EXPECT_EQ(settings({{"HF_ENDPOINT", "https://mirror.example/hub/"}}).value().endpoint.text(),
            "https://mirror.example/hub");
  EXPECT_EQ(settings({{"HF_HUB_DOWNLOAD_TIMEOUT", "3"}}).value().timeout, std::chrono::seconds(3));
  for (const char* value : {"1", "on", "YES", "True"}) {
    EXPECT_TRUE(settings({{"HF_HUB_OFFLINE", value}}).value().offline) << value;
  }
  EXPECT_FALSE(settings({{"HF_HUB_OFFLINE", "0"}}).value().offline);
  EXPECT_FALSE(settings({{"HF_ENDPOINT", "mirror"}}));
  EXPECT_FALSE(settings({{"HF_ENDPOINT", "https://user:password@mirror"}}));
  EXPECT_FALSE(settings({{"HF_HUB_DOWNLOAD_TIMEOUT", "soon"}}));
}

}  // namespace
}  // namespace wgk::test
