// A Plan: everything a device needs to run one call, as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wgk/export.hpp>
#include <wgk/tensor.hpp>

namespace wgk::inline v0 {

/// What the WGSL sees in a storage buffer. The bytes on the device differ from HostTensor::data where storage differs
/// from the logical dtype (docs/format-support.md, "Storage").
struct StorageFormat {
  DType logical = DType::kFloat32;
  DType storage = DType::kFloat32;  ///< equal to logical, or a projection: int64 -> uint32 / int32
  bool packed = false;              ///< uint8 only: four elements per 32-bit word
  bool saturating = false;          ///< narrowing of int64 clamps instead of failing

  friend bool operator==(const StorageFormat&, const StorageFormat&) = default;
};

/// A tensor of the call: an input that the caller gives, or an output.
struct PlanTensor {
  std::string key;        ///< bind key
  std::string onnx_name;  ///< name in the ONNX operator, equal to key when the manifest gives none
  StorageFormat format;
  Shape shape;
  std::uint64_t storage_bytes = 0;  ///< byteLength of package-format section 9; the buffer has max(4, rounded up to 4)
  bool is_input = false;            ///< an inout tensor has both
  bool is_output = false;

  friend bool operator==(const PlanTensor&, const PlanTensor&) = default;
};

/// An intermediate buffer of the call.
struct PlanScratch {
  std::string id;
  DType storage = DType::kFloat32;
  Shape shape;
  std::uint64_t storage_bytes = 0;
  bool zero_init = false;

  friend bool operator==(const PlanScratch&, const PlanScratch&) = default;
};

/// The bytes of one uniform buffer, laid out as package-format section 14 says.
struct PlanUniform {
  struct Field {
    std::string name;
    std::string type;  ///< "u32", "i32" or "f32"
    double value = 0;
    friend bool operator==(const Field&, const Field&) = default;
  };
  std::string struct_name;
  std::vector<Field> fields;  ///< without padding, for people
  std::vector<std::byte> bytes;

  friend bool operator==(const PlanUniform&, const PlanUniform&) = default;
};

enum class BindingAccess : std::uint8_t { kReadOnlyStorage, kStorage, kUniform };

/// Entry of the one bind group (group 0); its position in PlanPass::bindings is the binding index in WGSL.
struct PlanBinding {
  enum class Source : std::uint8_t { kTensor, kScratch, kUniform };
  static constexpr std::uint32_t kNotAllocated = 0xFFFFFFFF;
  std::string name;  ///< variable name in WGSL
  BindingAccess access = BindingAccess::kReadOnlyStorage;
  Source source = Source::kTensor;
  /// Into Plan::tensors, Plan::scratch or Plan::uniforms; kNotAllocated for scratch that only skipped passes bind.
  std::uint32_t index = 0;
  std::uint64_t size_bytes = 0;    ///< bound size, a multiple of 4 and at least 4
  std::string element_type;        ///< WGSL element type; empty for uniforms
  std::uint64_t fixed_length = 0;  ///< elements of a fixed-size array; 0 for a runtime-sized one
  std::uint64_t element_align = 0; ///< bytes the binding's offset should be a multiple of (element size); 0 for uniforms

  friend bool operator==(const PlanBinding&, const PlanBinding&) = default;
};

/// One compute dispatch.
struct PlanPass {
  std::string id;     ///< with repeat groups expanded: "group[2].main"
  std::string label;  ///< for debuggers
  std::string shader; ///< template path, for messages
  std::string wgsl;   ///< final text, enable lines included
  std::string entry_point = "main";
  std::vector<PlanBinding> bindings;
  std::array<std::uint32_t, 3> workgroups{0, 0, 0};  ///< an axis of 0: nothing is dispatched
  bool submit_after = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> view_alias;  ///< pairs of indices into bindings

  bool skipped() const { return workgroups[0] == 0 || workgroups[1] == 0 || workgroups[2] == 0; }
  friend bool operator==(const PlanPass&, const PlanPass&) = default;
};

/// What became of one candidate variant.
struct VariantDecision {
  enum class Outcome : std::uint8_t {
    kSelected,
    kEligible,  ///< would also do, but one before it was selected
    kDemoted,   ///< eligible only if nothing else is
    kRejected,
    kNotTried,  ///< comes after the selected one, and PlanOptions::explain_all is off
  };
  std::string id;
  double priority = 0;
  Outcome outcome = Outcome::kRejected;
  std::string reason;  ///< why it was rejected or demoted; empty otherwise

  friend bool operator==(const VariantDecision&, const VariantDecision&) = default;
};

/// One named value that was computed on the way, printed as JSON-like text; for `explain`.
struct PlanValue {
  std::string name;
  std::string value;
  friend bool operator==(const PlanValue&, const PlanValue&) = default;
};

/// How much a plan tells about the road not taken.
struct PlanOptions {
  /// Check every candidate, so that each has its verdict. Off, candidates after the selected one are kNotTried, which
  /// saves their evaluation on a hot path; everything else of the plan is the same.
  bool explain_all = true;
};

/// The result of planning. Owns all it refers to: it can be copied, stored, compared and run on any device whose
/// profile it was made for. Immutable use from any thread.
struct WGK_API Plan {
  std::string op;       ///< "ai.onnx.RotaryEmbedding"
  std::string variant;  ///< id of the selected variant
  std::vector<PlanTensor> tensors;  ///< bound inputs in the manifest's order, then outputs (inout once, as input)
  std::vector<PlanScratch> scratch;
  std::vector<PlanUniform> uniforms;
  std::vector<PlanPass> passes;  ///< in order of execution
  std::vector<VariantDecision> decisions;  ///< every candidate, in the order they were tried
  std::vector<PlanValue> derives;          ///< manifest derives, then those of the variant

  /// True when every output has zero elements: nothing is submitted.
  bool empty = false;

  /// JSON form, stable and documented in docs/command-line.md ("explain").
  std::string to_json(bool with_wgsl = true) const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace wgk::inline v0
