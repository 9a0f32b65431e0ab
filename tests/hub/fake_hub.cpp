// Starting the server with a certificate made on the spot.
#include "hub/fake_hub.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace wgk::test {
namespace {

namespace fs = std::filesystem;

bool make_certificate(const std::string& folder) {
  const auto made = run_process({"/usr/bin/env", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                                 "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=fake hub", "-addext",
                                 "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", folder + "/key.pem", "-out",
                                 folder + "/certificate.pem"});
  return made.exit_code == 0;
}

std::string read_line(int descriptor) {
  std::string line;
  char c = 0;
  while (::read(descriptor, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

FakeHub& FakeHub::instance() {
  static FakeHub hub;
  return hub;
}

FakeHub::FakeHub() {
  const std::string script = std::string(WGK_SOURCE_DIR) + "/tests/hub/fake_hub.py";
  const std::string root = folder_.path().string();
  certificate = root + "/certificate.pem";
  const std::string key = root + "/key.pem";
  if (!make_certificate(root)) {
    ADD_FAILURE() << "openssl could not make a certificate";
    return;
  }
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0) return;
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::execlp("python3", "python3", script.c_str(), root.c_str(), certificate.c_str(), key.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(output[1]);
  input_ = input[1];
  const json ports = json::parse(read_line(output[0]), nullptr, false);
  ::close(output[0]);
  if (!ports.is_object()) {
    ADD_FAILURE() << "the server did not start";
    return;
  }
  http = ports["http"];
  other = ports["other"];
  https = ports["https"];
}

FakeHub::~FakeHub() {
  if (input_ >= 0) ::close(input_);  // which ends it
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

World::World() {
  static std::atomic<int> counter{0};
  name_ = "w" + std::to_string(counter++);
  scenario_ = {{"branches", json::object()}, {"token", nullptr}, {"faults", json::array()}};
  save();
}

std::string World::endpoint(const std::string& scheme) const {
  const FakeHub& hub = FakeHub::instance();
  return scheme + "://127.0.0.1:" + std::to_string(scheme == "https" ? hub.https : hub.http) + "/" + name_;
}

HubOptions World::options() const {
  HubOptions options;
  options.endpoint = endpoint();
  options.cache = cache();
  options.token = "";
  options.attempts = 3;
  options.retry_delay = std::chrono::milliseconds(5);
  options.timeout = std::chrono::seconds(20);
  return options;
}

std::vector<std::pair<std::string, std::string>> World::environment() const {
  return {{"HF_ENDPOINT", endpoint()},
          {"HF_HUB_CACHE", cache()},
          {"KERNELS_CACHE", ""},
          {"HF_HOME", cache() + "/home"},
          {"HF_TOKEN", ""},
          {"HF_HUB_OFFLINE", ""},
          {"WGK_LOCK", ""}};
}

void World::write(const std::string& path, const std::string& text) const {
  const fs::path file = FakeHub::instance().root() / name_ / path;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void World::save() const { write("scenario.json", scenario_.dump()); }

void World::add(const std::string& repository, const std::string& commit,
                const std::map<std::string, std::string>& files) {
  for (const auto& [path, text] : files) write("repos/" + repository + "/" + commit + "/build/webgpu/" + path, text);
}

void World::add_double(const std::string& commit, const std::string& extra) {
  add(kRepository, commit, double_files(extra));
  set_branch(kRepository, "v1", commit);
}

void World::set_branch(const std::string& repository, const std::string& branch, const std::string& commit) {
  scenario_["branches"][repository][branch] = commit;
  save();
}

void World::set_token(const std::string& token) {
  scenario_["token"] = token;
  save();
}

void World::add_fault(json fault) {
  scenario_["faults"].push_back(std::move(fault));
  save();
}

void World::clear_faults() {
  // Kept as entries that match nothing: the server counts by position.
  for (json& fault : scenario_["faults"]) fault["match"] = "no such path";
  save();
}

std::vector<json> World::requests() const {
  std::vector<json> out;
  std::ifstream in(FakeHub::instance().root() / name_ / "requests.jsonl");
  for (std::string line; std::getline(in, line);) out.push_back(json::parse(line, nullptr, false));
  return out;
}

void World::forget_requests() const {
  std::error_code ignored;
  fs::remove(FakeHub::instance().root() / name_ / "requests.jsonl", ignored);
}

std::vector<std::string> World::cached_files() const {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(cache_.path())) {
    const fs::path path = entry.path().lexically_relative(cache_.path());
    if (*path.begin() == ".locks" || (entry.is_directory() && !entry.is_symlink())) continue;
    out.push_back(path.generic_string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::map<std::string, std::string> double_files(const std::string& extra) {
  std::map<std::string, std::string> files = double_package_files();
  files["double.wgsl.jinja"] += extra;
  files["test.json"] = R"({"cases": []})";
  files["metadata.json"] = metadata_for(files, "test.Double", "double.wgsl.jinja");
  return files;
}

}  // namespace wgk::test
