// The server that plays the Hub, and a world of its own for each test.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

#include <nlohmann/json.hpp>

#include <wgk/hub.hpp>

#include "support/package_folder.h"
#include "support/subprocess.h"

namespace wgk::test {

using nlohmann::json;

/// tests/hub/fake_hub.py, running; one for the test program.
class FakeHub {
 public:
  /// Starts it on first use. Fails the test, with port 0, when it does not start.
  static FakeHub& instance();

  int http = 0;
  int other = 0;  ///< a second server: for the client another host
  int https = 0;
  std::string certificate;  ///< the file that clients of `https` must trust
  const std::filesystem::path& root() const { return folder_.path(); }

 private:
  FakeHub();
  ~FakeHub();
  TemporaryFolder folder_;
  int input_ = -1;
  pid_t process_ = -1;
};

inline const std::string kFirst(40, 'a');   ///< a commit
inline const std::string kSecond(40, 'b');  ///< another
inline const char* const kRepository = "webgpu-kernels/test.Double";

/// What one test sees of the Hub: its repositories, its faults, its cache.
class World {
 public:
  World();

  std::string endpoint(const std::string& scheme = "http") const;
  std::string cache() const { return cache_.path().string(); }
  /// Options for this world, without the environment's token and with short waits.
  HubOptions options() const;
  /// The environment that makes the command line use this world.
  std::vector<std::pair<std::string, std::string>> environment() const;

  /// Puts a revision into a repository.
  void add(const std::string& repository, const std::string& commit, const std::map<std::string, std::string>& files);
  /// The same for the small package; `change` edits its files before they are digested.
  void add_double(const std::string& commit = kFirst, const std::string& extra = {});
  void set_branch(const std::string& repository, const std::string& branch, const std::string& commit);
  void set_token(const std::string& token);
  void add_fault(json fault);
  void clear_faults();

  /// What was asked, in order.
  std::vector<json> requests() const;
  void forget_requests() const;
  void write(const std::string& path, const std::string& text) const;

  /// Every file and link of the cache but for locks, relative to it.
  std::vector<std::string> cached_files() const;

 private:
  void save() const;
  std::string name_;
  TemporaryFolder cache_;
  json scenario_;
};

/// The files of the small package with metadata.json, by path below build/webgpu/.
std::map<std::string, std::string> double_files(const std::string& extra = {});

inline PackageReference reference_to(const std::string& text) { return parse_reference(text).value(); }

}  // namespace wgk::test
