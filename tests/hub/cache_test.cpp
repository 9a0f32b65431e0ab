// Loading by reference, offline, lock files, and the care of the cache.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "hub/fake_hub.h"

namespace wgk::test {
namespace {

namespace fs = std::filesystem;

const char* const kText = "webgpu-kernels/test.Double@v1";

/// A variable of the environment while this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

fs::path snapshot_of(const World& world, const std::string& commit = kFirst) {
  return fs::path(world.cache()) / "kernels--webgpu-kernels--test.Double/snapshots" / commit;
}

/// As another tool would leave the package: blobs and links, written by hand.
void fill_cache_by_hand(const World& world) {
  const fs::path repository = fs::path(world.cache()) / "kernels--webgpu-kernels--test.Double";
  fs::create_directories(repository / "blobs");
  fs::create_directories(repository / "refs");
  fs::create_directories(snapshot_of(world) / "build/webgpu");
  int number = 0;
  for (const auto& [path, text] : double_files()) {
    const std::string blob = "etag" + std::to_string(number++);
    std::ofstream(repository / "blobs" / blob) << text;
    fs::create_symlink("../../../../blobs/" + blob, snapshot_of(world) / "build/webgpu" / path);
  }
  std::ofstream(repository / "refs/v1") << kFirst;
}

TEST(Load, TakesWhatOtherToolsFetched) {
  World world;
  fill_cache_by_hand(world);
  const auto loaded = load_reference(reference_to(kText), world.options());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->origin, PackageOrigin::kCache);
  EXPECT_EQ(loaded->package.op(), "test.Double");
  EXPECT_EQ(loaded->package.location(), snapshot_of(world).string());
  EXPECT_EQ(world.requests().size(), 0u);
  EXPECT_TRUE(verify_cache(world.options())->front().problems.empty());
}

TEST(Load, FollowsLinksIntoTheCacheOnly) {
  World world;
  fill_cache_by_hand(world);
  const fs::path manifest = snapshot_of(world) / "build/webgpu/manifest.json";
  const TemporaryFolder elsewhere;
  const std::string outside = elsewhere.write("manifest.json", double_files()["manifest.json"]);
  fs::remove(manifest);
  fs::create_symlink(outside, manifest);
  const auto loaded = load_reference(reference_to(kText), world.options());
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("manifest.json resolves outside the package"), std::string::npos)
      << loaded.error().message;

  // blobs/ itself may not lead out of the repository either.
  const fs::path blobs = snapshot_of(world).parent_path().parent_path() / "blobs";
  fs::remove(manifest);
  fs::remove_all(blobs);
  fs::create_directory_symlink(elsewhere.path(), blobs);
  fs::create_symlink("../../../../blobs/manifest.json", manifest);
  EXPECT_FALSE(load_reference(reference_to(kText), world.options()));

  // Content that newer tools share between repositories.
  fs::remove(manifest);
  fs::create_directories(fs::path(world.cache()) / "blobs/ab");
  fs::remove(blobs);
  fs::create_directories(blobs);
  for (const auto& [path, text] : double_files()) {
    std::ofstream(fs::path(world.cache()) / "blobs/ab" / path) << text;
    fs::create_symlink("../../blobs/ab/" + path, blobs / path);
    fs::remove(snapshot_of(world) / "build/webgpu" / path);
    fs::create_symlink("../../../../blobs/" + path, snapshot_of(world) / "build/webgpu" / path);
  }
  EXPECT_TRUE(load_reference(reference_to(kText), world.options()));
}

TEST(Load, LooksInItsPlacesInOrder) {
  World world;
  world.add_double();
  // The Hub, then the cache.
  auto loaded = load_reference(reference_to(kText), world.options());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->origin, PackageOrigin::kHub);
  world.forget_requests();
  loaded = load_reference(reference_to(kText), world.options());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->origin, PackageOrigin::kCache);
  EXPECT_EQ(world.requests().size(), 0u) << "a branch in the cache is used as it stands";
  // WGK_KERNELS_PATH before both, for the version that it has.
  const TemporaryFolder folder;
  write_package(folder, "test.Double", double_package_files(), double_files()["metadata.json"]);
  folder.write("test.Double/build/webgpu/test.json", double_files()["test.json"]);
  const Variable path("WGK_KERNELS_PATH", folder.path().string());
  loaded = load_reference(reference_to(kText), world.options());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->origin, PackageOrigin::kOverride);
  loaded = load_reference(reference_to("webgpu-kernels/test.Double@" + kFirst), world.options());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->origin, PackageOrigin::kCache) << "a commit is never something else";
  world.set_branch(kRepository, "v2", kFirst);
  loaded = load_reference(reference_to("webgpu-kernels/test.Double@v2"), world.options());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->origin, PackageOrigin::kHub) << "another version is passed over";
}

TEST(Load, PrefersAnInstalledPackageToTheNetwork) {
  World world;
  const auto loaded = load_reference(reference_to("webgpu-kernels/ai.onnx.RotaryEmbedding@v1"), world.options());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->origin, PackageOrigin::kInstalled);
  EXPECT_FALSE(load_reference(reference_to("webgpu-kernels/ai.onnx.RotaryEmbedding@v9"), world.options()));
}

TEST(Load, IsKnownToPackageLoad) {
  World world;
  world.add_double();
  const Variable endpoint("HF_ENDPOINT", world.endpoint());
  const Variable cache("HF_HUB_CACHE", world.cache());
  const Variable token("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1");
  const auto package = Package::load(kText);
  ASSERT_TRUE(package) << package.error().message;
  EXPECT_EQ(package->op(), "test.Double");
  EXPECT_EQ(Package::load("webgpu-kernels/test.Double@latest").error().code, ErrorCode::kUsage);
  EXPECT_EQ(Package::load("someone/test.Double@v1").error().code, ErrorCode::kUsage);
  LoadOptions other;
  other.expected_op = "test.Triple";
  EXPECT_EQ(Package::load(kText, other).error().message,
            std::string(kText) + ": expected op id test.Triple, artifact provides test.Double (in the cache, " +
                snapshot_of(world).string() + "; wgk fetch " + kText + " repairs it)");
}

TEST(Offline, UsesTheCacheAlone) {
  World world;
  world.add_double();
  HubOptions offline = world.options();
  offline.offline = true;
  for (const auto& error :
       {fetch_package(reference_to(kText), offline).error(), load_reference(reference_to(kText), offline).error()}) {
    EXPECT_EQ(error.code, ErrorCode::kPackage);
    EXPECT_NE(error.message.find("offline; run wgk fetch webgpu-kernels/test.Double@v1 once"), std::string::npos)
        << error.message;
  }
  EXPECT_EQ(world.requests().size(), 0u);
  ASSERT_TRUE(fetch_package(reference_to(kText), world.options()));
  world.forget_requests();
  EXPECT_TRUE(fetch_package(reference_to(kText), offline));
  EXPECT_TRUE(load_reference(reference_to(kText), offline));
  const Variable variable("HF_HUB_OFFLINE", "1");
  EXPECT_TRUE(fetch_package(reference_to(kText), world.options()));
  EXPECT_EQ(world.requests().size(), 0u);
  std::ofstream(snapshot_of(world) / "build/webgpu/manifest.json", std::ios::trunc) << "{}";
  const auto broken = fetch_package(reference_to(kText), world.options());
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("to repair it"), std::string::npos) << broken.error().message;
}

PackageLock lock_of(const FetchedPackage& fetched) {
  PackageLock lock;
  lock.packages[fetched.reference.text()] = {fetched.package.revision, fetched.package.digests};
  return lock;
}

TEST(Lock, HoldsARevision) {
  World world;
  world.add_double(kFirst);
  const auto fetched = fetch_package(reference_to(kText), world.options());
  ASSERT_TRUE(fetched);
  const TemporaryFolder folder;
  HubOptions locked = world.options();
  locked.lock_file = folder.write("wgk.lock", lock_of(*fetched).to_json());

  // The branch moves on; who has the lock stays, with and without the cache.
  world.add_double(kSecond, "// second\n");
  ASSERT_TRUE(fetch_package(reference_to(kText), world.options()));
  auto loaded = load_reference(reference_to(kText), locked);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->package.location(), snapshot_of(world, kFirst).string());
  fs::remove_all(fs::path(world.cache()) / "kernels--webgpu-kernels--test.Double");
  loaded = load_reference(reference_to(kText), locked);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->package.location(), snapshot_of(world, kFirst).string());
  EXPECT_TRUE(load_reference(reference_to("webgpu-kernels/test.Double@" + kFirst), locked));
}

TEST(Lock, RefusesWhatDiffers) {
  World world;
  world.add_double(kFirst);
  const auto fetched = fetch_package(reference_to(kText), world.options());
  ASSERT_TRUE(fetched);
  const TemporaryFolder folder;
  HubOptions locked = world.options();
  locked.lock_file = folder.write("wgk.lock", lock_of(*fetched).to_json());

  const auto expect_check = [&](const Error& error, const std::string& part) {
    EXPECT_EQ(error.code, ErrorCode::kCheckFailed) << error.message;
    EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
  };
  // A reference that the file does not have, also by another commit.
  expect_check(load_reference(reference_to("webgpu-kernels/test.Double@v2"), locked).error(),
               "add it with wgk lock webgpu-kernels/test.Double@v2");
  expect_check(load_reference(reference_to("webgpu-kernels/test.Double@" + kSecond), locked).error(), "is not in");

  // Other bytes under the locked revision, in the cache and, once that is gone, on the Hub: a package that is right in
  // itself.
  for (const auto& [path, text] : double_files("// replaced\n")) {
    const fs::path file = snapshot_of(world) / "build/webgpu" / path;
    fs::remove(file);
    std::ofstream(file) << text;
  }
  expect_check(load_reference(reference_to(kText), locked).error(), "double.wgsl.jinja, metadata.json differ");
  world.add_double(kFirst, "// replaced\n");
  fs::remove_all(snapshot_of(world));
  expect_check(fetch_package(reference_to(kText), locked).error(), "on the Hub is not what the lock file says");
  EXPECT_FALSE(fs::exists(snapshot_of(world)));

  // A folder of the same operator.
  const auto lock = PackageLock::read(locked.lock_file);
  ASSERT_TRUE(lock);
  auto files = double_files("// mine\n");
  const std::string metadata = files["metadata.json"];
  files.erase("metadata.json");
  const auto mine = Package::load(write_package(folder, "mine", files, metadata));
  ASSERT_TRUE(mine);
  expect_check(lock->check(*mine).error(), "double.wgsl.jinja differs");
}

TEST(Lock, IsReadStrictly) {
  const std::string digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
  const json good = {{"lockVersion", 1},
                     {"packages", {{kText, {{"revision", kFirst}, {"files", {{"metadata.json", digest}}}}}}}};
  const auto lock = PackageLock::parse(good.dump());
  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_EQ(PackageLock::parse(lock->to_json())->packages, lock->packages);

  const auto changed = [&](const char* pointer, const json& value) {
    json out = good;
    out[json::json_pointer(pointer)] = value;
    return out.dump();
  };
  const std::string entry = "/packages/webgpu-kernels~1test.Double@v1";
  struct Row {
    std::string text;
    std::string part;
  };
  for (const Row& row : std::vector<Row>{
           {"[]", "must be an object"},
           {"{", "column"},
           {changed("/lockVersion", 2), "/lockVersion: must be 1"},
           {changed("/package", 1), "unknown key; did you mean \"packages\"?"},
           {changed("/packages", 1), "/packages: must be an object"},
           {changed((entry + "/revision").c_str(), "v1"), entry + "/revision: must be the 40 hexadecimal digits"},
           {changed((entry + "/files/x").c_str(), "abc"), entry + "/files/x: must be the base64 of a SHA-256"},
           {changed((entry + "/files/..~1x").c_str(), digest), "is no path below build/webgpu/"},
           {changed((entry + "/files").c_str(), json::object()), "must list metadata.json"},
           {changed("/packages/test.Double", json::object()), "must be owner/name@revision"},
       }) {
    const auto bad = PackageLock::parse(row.text);
    ASSERT_FALSE(bad) << row.text;
    EXPECT_EQ(bad.error().code, ErrorCode::kUsage);
    EXPECT_NE(bad.error().message.find(row.part), std::string::npos) << bad.error().message;
  }
  EXPECT_NE(PackageLock::read("/nowhere/wgk.lock").error().message.find("writes a lock file"), std::string::npos);
}

TEST(Verify, FindsWhatIsBroken) {
  World world;
  EXPECT_TRUE(list_cache(world.options())->empty());
  world.add_double();
  ASSERT_TRUE(fetch_package(reference_to(kText), world.options()));
  EXPECT_TRUE(verify_cache(world.options())->at(0).problems.empty());
  std::ofstream(snapshot_of(world) / "build/webgpu/test.json", std::ios::app) << " ";
  fs::remove(snapshot_of(world) / "build/webgpu/double.wgsl.jinja");
  const auto packages = verify_cache(world.options());
  ASSERT_TRUE(packages);
  EXPECT_EQ(packages->at(0).problems,
            (std::vector<std::string>{"cannot read build/webgpu/double.wgsl.jinja: No such file or directory",
                                      "test.json does not match metadata.json"}));
}

TEST(Prune, RemovesWhatNobodyNeeds) {
  World world;
  world.add_double(kFirst);
  ASSERT_TRUE(fetch_package(reference_to(kText), world.options()));
  world.add_double(kSecond, "// second\n");
  ASSERT_TRUE(fetch_package(reference_to(kText), world.options()));
  const fs::path repository = fs::path(world.cache()) / "kernels--webgpu-kernels--test.Double";
  const auto all = world.cached_files();
  EXPECT_TRUE(prune_cache({}, world.options())->empty()) << "all of it is in use";

  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
  const auto add = [&](const fs::path& path, bool is_old) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    if (is_old) fs::last_write_time(path, old);
  };
  add(repository / ".wgk-1234/snapshot/x", false);
  add(repository / "blobs/0123.incomplete", true);
  add(repository / "blobs/4567", true);
  add(repository / "blobs/89ab", false);  // maybe another tool is at work
  add(fs::path(world.cache()) / "kernels--someone--else/blobs/0123", true);
  const auto dry = prune_cache({.dry_run = true}, world.options());
  ASSERT_TRUE(dry);
  EXPECT_EQ(dry->size(), 3u);
  EXPECT_TRUE(fs::exists(repository / "blobs/4567"));
  EXPECT_EQ(prune_cache({}, world.options())->size(), 3u);
  fs::remove(repository / "blobs/89ab");
  fs::remove_all(fs::path(world.cache()) / "kernels--someone--else");
  EXPECT_EQ(world.cached_files(), all);

  // The first revision has no branch any more: it stays while a lock file needs it, and then goes with its content.
  const TemporaryFolder folder;
  HubOptions locked = world.options();
  const auto packages = list_cache(locked);
  PackageLock lock;
  lock.packages[kText] = {kFirst, packages->at(0).digests};
  locked.lock_file = folder.write("wgk.lock", lock.to_json());
  EXPECT_TRUE(prune_cache({.unreferenced = true}, locked)->empty());
  EXPECT_EQ(prune_cache({.unreferenced = true}, world.options())->size(), 3u) << "the revision, metadata, template";
  EXPECT_FALSE(fs::exists(snapshot_of(world, kFirst)));
  EXPECT_TRUE(verify_cache(world.options())->at(0).problems.empty());

  // What is broken goes too.
  std::ofstream(snapshot_of(world, kSecond) / "build/webgpu/test.json", std::ios::app) << " ";
  EXPECT_FALSE(prune_cache({}, world.options())->empty());
  EXPECT_TRUE(list_cache(world.options())->empty());
}

}  // namespace
}  // namespace wgk::test
