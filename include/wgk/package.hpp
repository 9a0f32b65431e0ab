// A loaded kernel package.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <wgk/attribute.hpp>
#include <wgk/device_profile.hpp>
#include <wgk/export.hpp>
#include <wgk/plan.hpp>
#include <wgk/status.hpp>

namespace wgk::package {
struct LoadedPackage;
}

namespace wgk::inline v0 {

/// How Package::load checks what it reads.
struct LoadOptions {
  bool verify_digests = true;         ///< compare every file with metadata.json before use
  bool require_all_templates = true;  ///< refuse a package with a bad template now; false: when a call needs it
  std::string expected_op;            ///< when not empty: fail unless the package provides this operator id
};

/// One input of a planned call: dtype and shape, no data.
struct TensorSpec {
  DType dtype = DType::kFloat32;
  Shape shape;
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

/// What planning needs to know of a call. Keys are bind keys.
struct PlanRequest {
  std::map<std::string, TensorSpec, std::less<>> inputs;
  std::map<std::string, TensorSpec, std::less<>> outputs;  ///< outputs the caller gives, or asks for although optional
  Attributes attributes;
  Attributes args;                                              ///< scalar arguments
  std::map<std::string, AttributeValue, std::less<>> tunables;  ///< overrides
  std::string variant;                                          ///< pin this variant; empty: select
  std::vector<std::string> wanted_outputs;                      ///< optional outputs to infer and produce as well
};

/// An immutable, verified package. Cheap to copy (shared state). Const use from any thread.
class WGK_API Package {
 public:
  /// Loads `location`: a folder that holds build/webgpu/ (or is such a folder), or the id of an installed or
  /// first-party package ("ai.onnx.RotaryEmbedding", "webgpu-kernels/ai.onnx.RotaryEmbedding"), searched in
  /// WGK_KERNELS_PATH, the installation and the build tree. A library built with WGK_WITH_HUB also takes
  /// "webgpu-kernels/ai.onnx.RotaryEmbedding@v1" (load_reference()). Error: kPackage; kUsage for a bad reference.
  static Result<Package> load(std::string_view location, const LoadOptions& options = {});

  /// Builds a package from file contents keyed by their path below build/webgpu/. With metadata.json among them it is
  /// loaded as from a folder; without, manifest.json and the templates are taken unverified. Error: kPackage.
  static Result<Package> from_memory(const std::map<std::string, std::string>& files, std::string_view name,
                                     const LoadOptions& options = {});

  const std::string& op() const;        ///< operator id: domain + "." + name
  const std::string& location() const;  ///< the package folder load() resolved to, or the name given to from_memory()
  const std::vector<std::string>& warnings() const;  ///< what loading noticed and tolerated

  /// The contract as JSON: ports, attributes, type constraints, tunables, variants. docs/command-line.md, "inspect".
  std::string contract_json() const;
  /// The README card in Markdown. A package from a folder adds the card-notes.md beside build/, when there is one.
  std::string contract_markdown() const;

  /// Plans one call for a device. Pure: no GPU, no files, no globals. Errors: kRequest (the request does not fit the
  /// manifest or the device), kPackage (the manifest fails for this request).
  Result<Plan> plan(const PlanRequest& request, const DeviceProfile& profile, const PlanOptions& options = {}) const;

  /// Internal: the loaded model.
  const std::shared_ptr<const package::LoadedPackage>& impl() const { return impl_; }
  explicit Package(std::shared_ptr<const package::LoadedPackage> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const package::LoadedPackage> impl_;
};

}  // namespace wgk::inline v0
