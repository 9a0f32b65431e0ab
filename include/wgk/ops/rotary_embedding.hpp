// ai.onnx.RotaryEmbedding with named inputs and attributes instead of maps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <wgk/kernel.hpp>
#include <wgk/ops/operator_kernel.hpp>
#include <wgk/prepared.hpp>

namespace wgk::inline v0 {

/// Attributes of RotaryEmbedding.
struct RotaryEmbeddingAttributes {
  bool interleaved = false;               ///< pairs are neighbours, not half a head apart
  std::int64_t num_heads = 0;             ///< needed where x has rank 3; 0: not given
  std::int64_t rotary_embedding_dim = 0;  ///< 0: the whole head rotates
};

/// Rotary position embedding of ONNX opset 23.
/// Every call checks the whole contract of the operator (docs/operators.md). Cheap to copy. Const use from any thread.
class RotaryEmbedding {
 public:
  static constexpr const char* kOperator = "ai.onnx.RotaryEmbedding";

  using Attributes = RotaryEmbeddingAttributes;

  /// Tensors in host memory.
  struct Inputs {
    HostTensor x;
    HostTensor cos_cache;
    HostTensor sin_cache;
    std::optional<HostTensor> position_ids{};  ///< int64; without them the caches have one row per token
  };
  /// Tensors on the device; positions are uint32 there.
  struct GpuInputs {
    GpuView x;
    GpuView cos_cache;
    GpuView sin_cache;
    std::optional<GpuView> position_ids{};
  };
  /// Dtypes and shapes.
  struct Specs {
    TensorSpec x;
    TensorSpec cos_cache;
    TensorSpec sin_cache;
    std::optional<TensorSpec> position_ids{};
  };

  /// With the installed package of the operator. Error: kPackage.
  static Result<RotaryEmbedding> create(const Device& device) {
    auto kernel = load_operator(device, kOperator);
    if (!kernel.ok()) return std::move(kernel).error();
    return RotaryEmbedding(*std::move(kernel));
  }
  /// With a package of your own for the same operator. Error: kUsage.
  static Result<RotaryEmbedding> from(Kernel kernel) {
    if (Status status = expect_operator(kernel, kOperator); !status.ok()) return std::move(status).error();
    return RotaryEmbedding(std::move(kernel));
  }

  /// Runs and waits. Returns y, shaped and typed as x.
  Result<HostTensor> run(Inputs inputs, const Attributes& attributes = {}, Check check = Check::kFull) const {
    TensorMap tensors;
    tensors.emplace("x", std::move(inputs.x));
    tensors.emplace("cos", std::move(inputs.cos_cache));
    tensors.emplace("sin", std::move(inputs.sin_cache));
    if (inputs.position_ids) tensors.emplace("positionIds", std::move(*inputs.position_ids));
    RunOptions options{.attrs = map_of(attributes)};
    options.check = check;
    auto result = kernel_.run(tensors, options);
    if (!result.ok()) return std::move(result).error();
    return (*std::move(result))["y"];
  }

  /// Submits and does not wait. Returns a new y.
  Result<GpuTensor> run(const GpuInputs& inputs, const Attributes& attributes = {}) const {
    return take_output(kernel_.run(tensors(inputs), {.attrs = map_of(attributes)}));
  }
  /// Submits and does not wait. Writes y.
  Status run(const GpuInputs& inputs, const GpuView& y, const Attributes& attributes = {}) const {
    auto result = kernel_.run(tensors(inputs, y), {.attrs = map_of(attributes)});
    return result.ok() ? Status() : Status(std::move(result).error());
  }

  /// Prepares a call; bind it with tensors(inputs, y).
  Result<Prepared> prepare(const Specs& specs, const Attributes& attributes = {}) const {
    CallSpec spec;
    spec.inputs = {{"x", specs.x}, {"cos", specs.cos_cache}, {"sin", specs.sin_cache}};
    if (specs.position_ids) spec.inputs.emplace("positionIds", *specs.position_ids);
    spec.attrs = map_of(attributes);
    return kernel_.prepare(spec);
  }

  static GpuTensors tensors(const GpuInputs& inputs) {  ///< the inputs by bind key
    GpuTensors named{{"x", inputs.x}, {"cos", inputs.cos_cache}, {"sin", inputs.sin_cache}};
    if (inputs.position_ids) named.push_back({"positionIds", *inputs.position_ids});
    return named;
  }
  static GpuTensors tensors(const GpuInputs& inputs, const GpuView& y) {  ///< for Prepared::bind()
    GpuTensors named = tensors(inputs);
    named.push_back({"y", y});
    return named;
  }

  const Kernel& kernel() const { return kernel_; }  ///< for what this class does not offer

 private:
  explicit RotaryEmbedding(Kernel kernel) : kernel_(std::move(kernel)) {}

  static wgk::Attributes map_of(const Attributes& attributes) {
    wgk::Attributes map{{"interleaved", attributes.interleaved ? 1 : 0},
                        {"rotary_embedding_dim", attributes.rotary_embedding_dim}};
    if (attributes.num_heads != 0) map.emplace("num_heads", attributes.num_heads);
    return map;
  }

  Kernel kernel_;
};

}  // namespace wgk::inline v0
