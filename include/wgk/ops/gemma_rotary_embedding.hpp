// com.microsoft.GemmaRotaryEmbedding with named inputs instead of maps.
#pragma once

#include <utility>

#include <wgk/kernel.hpp>
#include <wgk/ops/operator_kernel.hpp>
#include <wgk/prepared.hpp>

namespace wgk::inline v0 {

/// The fused rotary embedding of Gemma: output1 = q cos(emb) + q_rot sin(emb), output2 = k cos(emb) + k_rot sin(emb).
/// Every call checks the whole contract of the operator (docs/operators.md). Cheap to copy. Const use from any thread.
class GemmaRotaryEmbedding {
 public:
  static constexpr const char* kOperator = "com.microsoft.GemmaRotaryEmbedding";

  /// What the five inputs are, as tensors in host memory, tensors on the device, or dtypes and shapes.
  template <typename Tensor>
  struct InputsOf {
    Tensor emb;    ///< float32 angles, [batch, sequence, head size]
    Tensor q;      ///< float16, [batch, heads, sequence, head size]
    Tensor q_rot;  ///< as q
    Tensor k;      ///< as q
    Tensor k_rot;  ///< as q
  };
  template <typename Tensor>
  struct OutputsOf {
    Tensor output1;  ///< of q
    Tensor output2;  ///< of k
  };
  using Inputs = InputsOf<HostTensor>;
  using Outputs = OutputsOf<HostTensor>;
  using GpuInputs = InputsOf<GpuView>;
  using GpuOutputs = OutputsOf<GpuView>;
  using Specs = InputsOf<TensorSpec>;

  /// With the installed package of the operator. Error: kPackage.
  static Result<GemmaRotaryEmbedding> create(const Device& device) {
    auto kernel = load_operator(device, kOperator);
    if (!kernel.ok()) return std::move(kernel).error();
    return GemmaRotaryEmbedding(*std::move(kernel));
  }
  /// With a package of your own for the same operator. Error: kUsage.
  static Result<GemmaRotaryEmbedding> from(Kernel kernel) {
    if (Status status = expect_operator(kernel, kOperator); !status.ok()) return std::move(status).error();
    return GemmaRotaryEmbedding(std::move(kernel));
  }

  /// Runs and waits.
  Result<Outputs> run(Inputs inputs) const {
    TensorMap tensors;
    tensors.emplace("embT", std::move(inputs.emb));
    tensors.emplace("qT", std::move(inputs.q));
    tensors.emplace("qRotT", std::move(inputs.q_rot));
    tensors.emplace("kT", std::move(inputs.k));
    tensors.emplace("kRotT", std::move(inputs.k_rot));
    auto result = kernel_.run(tensors);
    if (!result.ok()) return std::move(result).error();
    return Outputs{(*result)["output1T"], (*result)["output2T"]};
  }

  /// Submits and does not wait. Writes both outputs.
  Status run(const GpuInputs& inputs, const GpuOutputs& outputs) const {
    auto result = kernel_.run(tensors(inputs, outputs));
    return result.ok() ? Status() : Status(std::move(result).error());
  }

  /// Prepares a call; bind it with tensors(inputs, outputs).
  Result<Prepared> prepare(const Specs& specs) const {
    CallSpec spec;
    spec.inputs = {
        {"embT", specs.emb}, {"qT", specs.q}, {"qRotT", specs.q_rot}, {"kT", specs.k}, {"kRotT", specs.k_rot}};
    return kernel_.prepare(spec);
  }

  static GpuTensors tensors(const GpuInputs& inputs, const GpuOutputs& outputs) {  ///< for Prepared::bind()
    return {{"embT", inputs.emb},         {"qT", inputs.q},
            {"qRotT", inputs.q_rot},      {"kT", inputs.k},
            {"kRotT", inputs.k_rot},      {"output1T", outputs.output1},
            {"output2T", outputs.output2}};
  }

  const Kernel& kernel() const { return kernel_; }  ///< for what this class does not offer

 private:
  explicit GemmaRotaryEmbedding(Kernel kernel) : kernel_(std::move(kernel)) {}

  Kernel kernel_;
};

}  // namespace wgk::inline v0
