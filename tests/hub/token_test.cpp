// The token goes to the Hub and nowhere else, and is never shown.
#include <gtest/gtest.h>

#include "hub/fake_hub.h"

namespace wgk::test {
namespace {

const char* const kReference = "webgpu-kernels/test.Double@v1";
const char* const kToken = "hf_SecretSecretSecret";

/// Options whose log is kept, as --verbose prints it.
HubOptions with_token(const World& world, std::string& log, const std::string& token = kToken) {
  HubOptions options = world.options();
  options.token = token;
  options.attempts = 2;
  options.log = [&log](std::string_view line) { log += std::string(line) + "\n"; };
  return options;
}

TEST(Token, IsSentToTheHub) {
  World world;
  world.add_double();
  world.set_token(kToken);
  std::string log;
  const auto fetched = fetch_package(reference_to(kReference), with_token(world, log));
  ASSERT_TRUE(fetched) << fetched.error().message;
  for (const json& request : world.requests()) EXPECT_EQ(request["authorization"], std::string("Bearer ") + kToken);
  EXPECT_NE(log.find("GET http://127.0.0.1"), std::string::npos);
  EXPECT_EQ(log.find(kToken), std::string::npos);
}

TEST(Token, IsNotSentToAnotherHost) {
  // Another port, and another name of the same address: both are other hosts.
  for (const char* location : {"http://127.0.0.1:{other}/WORLD/cdn/file?signature=private",
                               "http://localhost:{http}/WORLD/cdn/file?signature=private"}) {
    SCOPED_TRACE(location);
    World world;
    world.add_double();
    world.set_token(kToken);
    const std::string endpoint = world.endpoint();
    std::string target = location;
    target.replace(target.find("WORLD"), 5, endpoint.substr(endpoint.rfind('/') + 1));
    world.write("cdn/file", double_files()["manifest.json"]);
    world.add_fault({{"match", "manifest.json"}, {"kind", "redirect"}, {"location", target}});
    std::string log;
    const auto fetched = fetch_package(reference_to(kReference), with_token(world, log));
    ASSERT_TRUE(fetched) << fetched.error().message;
    int to_other = 0;
    for (const json& request : world.requests()) {
      const bool other = request["path"].get<std::string>().find("/cdn/") != std::string::npos;
      to_other += other ? 1 : 0;
      EXPECT_EQ(request["authorization"], other ? std::string() : std::string("Bearer ") + kToken);
    }
    EXPECT_EQ(to_other, 1);
    EXPECT_EQ(log.find("private"), std::string::npos) << "a signed address is a secret too: " << log;
  }
}

TEST(Token, IsKeptOnTheHubsOwnRedirects) {
  World world;
  world.add_double();
  world.set_token(kToken);
  // As after a repository was renamed: a relative address on the same server.
  world.add_fault(
      {{"match", "/v1/"},
       {"kind", "redirect"},
       {"status", 307},
       {"times", 1},
       {"location", world.endpoint().substr(world.endpoint().rfind('/')) +
                        "/kernels/webgpu-kernels/test.Double/resolve/v1/./build/x/../webgpu/metadata.json"}});
  std::string log;
  const auto fetched = fetch_package(reference_to(kReference), with_token(world, log));
  ASSERT_TRUE(fetched) << fetched.error().message;
}

TEST(Token, IsNeverInAMessage) {
  struct Row {
    const char* name;
    json fault;
    const char* part;
  };
  for (const Row& row : {
           Row{"wrong", {{"kind", "status"}, {"status", 401}}, "the Hub does not accept the token (401)"},
           Row{"may not read", {{"kind", "status"}, {"status", 403}}, "the token in HF_TOKEN may not read it"},
           Row{"a server that repeats it",
               {{"kind", "status"}, {"status", 400}, {"headers", {{"X-Error-Message", "you sent {authorization}"}}}},
               "you sent Bearer ***"},
           Row{"broken", {{"kind", "reset"}, {"stage", "connect"}}, "no complete answer"},
       }) {
    SCOPED_TRACE(row.name);
    World world;
    world.add_double();
    json fault = row.fault;
    fault["match"] = "metadata";
    world.add_fault(fault);
    std::string log;
    const auto fetched = fetch_package(reference_to(kReference), with_token(world, log));
    ASSERT_FALSE(fetched);
    EXPECT_NE(fetched.error().message.find(row.part), std::string::npos) << fetched.error().message;
    EXPECT_EQ(fetched.error().message.find(kToken), std::string::npos);
    EXPECT_EQ(log.find(kToken), std::string::npos);
  }
}

TEST(Token, ThatCannotBeOneIsNotRepeated) {
  World world;
  std::string log;
  const auto fetched = fetch_package(reference_to(kReference), with_token(world, log, "hf_Secret\r\nX-Injected: yes"));
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kUsage);
  EXPECT_EQ(fetched.error().message.find("hf_Secret"), std::string::npos);
  EXPECT_EQ(world.requests().size(), 0u);
}

TEST(Https, NeedsACertificateThatIsTrusted) {
  World world;
  world.add_double();
  HubOptions options = world.options();
  options.endpoint = world.endpoint("https");
  options.attempts = 1;
  options.token = kToken;
  for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}) ::unsetenv(name);
  const auto refused = fetch_package(reference_to(kReference), options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("SSL_CERT_FILE"), std::string::npos) << refused.error().message;
  EXPECT_EQ(world.requests().size(), 0u);

  ::setenv("SSL_CERT_FILE", FakeHub::instance().certificate.c_str(), 1);
  const auto fetched = fetch_package(reference_to(kReference), options);
  EXPECT_TRUE(fetched) << fetched.error().message;

  // From https a redirect must not lead to http, where anyone could listen.
  World plain;
  plain.add_double();
  plain.add_fault({{"match", "manifest"}, {"kind", "redirect"}, {"location", "http://127.0.0.1:{http}/x"}});
  options = plain.options();
  options.endpoint = plain.endpoint("https");
  const auto downgraded = fetch_package(reference_to(kReference), options);
  ::unsetenv("SSL_CERT_FILE");
  ASSERT_FALSE(downgraded);
  EXPECT_NE(downgraded.error().message.find("which is not encrypted"), std::string::npos) << downgraded.error().message;
}

TEST(Proxy, IsUsedAndSeesNoToken) {
  World world;
  world.add_double();
  world.add_fault({{"match", "metadata"}, {"kind", "status"}, {"status", 401}});
  const std::string local = world.endpoint();
  HubOptions options = world.options();
  options.endpoint = "http://hub.invalid" + local.substr(local.rfind('/'));
  options.token = kToken;
  ::setenv("http_proxy", local.substr(0, local.rfind('/')).c_str(), 1);
  const auto fetched = fetch_package(reference_to(kReference), options);
  ::unsetenv("http_proxy");
  ASSERT_EQ(world.requests().size(), 1u);
  EXPECT_EQ(world.requests()[0]["path"].get<std::string>().find("http://hub.invalid/"), 0u);
  EXPECT_EQ(world.requests()[0]["authorization"], "");
  ASSERT_FALSE(fetched);
  EXPECT_NE(fetched.error().message.find("none was sent because http://hub.invalid"), std::string::npos)
      << fetched.error().message;
}

}  // namespace
}  // namespace wgk::test
