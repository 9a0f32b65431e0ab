// The one model of a package that both manifest dialects are normalised into (package-format section 5).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <wgk/plan.hpp>
#include <wgk/tensor.hpp>

#include "jinja/value.h"
#include "package/formula.h"
#include "package/lazy_template.h"
#include "package/tree.h"

namespace wgk::package {

enum class Direction : std::uint8_t { kInput, kOutput, kInout };

/// A tensor of the operator.
struct Port {
  std::string key;  ///< bind key
  std::string onnx_name;
  std::string description;
  Direction direction = Direction::kInput;
  std::string dtype;             ///< logical dtype name or type variable; empty: none declared (output: float32)
  std::optional<DType> storage;  ///< declared storage, when it is explicit
  enum class Narrowing : std::uint8_t { kNone, kChecked, kSaturating } narrowing = Narrowing::kNone;
  bool optional = false;
  bool packed = false;
  std::optional<Formula> shape;          ///< outputs
  std::string rank_text;                 ///< informative, for cards: "2" or the expression; empty if absent
  std::vector<std::string> scope_names;  ///< names under which expressions see it (package-format 6.8)
};

/// A scalar argument.
struct ScalarArg {
  enum class Kind : std::uint8_t { kU32, kI32, kF32, kBool, kString };
  std::string name;
  std::string description;
  Kind kind = Kind::kU32;
  bool required = true;
  std::vector<std::string> one_of;
};

struct AttributeDecl {
  std::string name;
  std::string description;
  std::optional<jinja::Value> default_value;
  bool required = false;
  std::vector<jinja::Value> values;  ///< allowed values; empty: any
};

struct Tunable {
  std::string name;
  std::string description;
  jinja::Value value;
};

/// `f16-*-8x8x8` of requires.subgroupMatrixConfigs: members that the pattern gives.
using MatrixConfig = std::map<std::string, std::string, std::less<>>;

struct Requires {
  std::vector<std::string> features;
  std::vector<std::pair<std::string, std::uint64_t>> limits;
  std::optional<std::uint32_t> subgroup_min_size;
  std::vector<MatrixConfig> subgroup_matrix_configs;
};

struct UniformField {
  std::string name;
  std::string type;              ///< "u32", "i32", "f32"
  std::optional<Formula> value;  ///< 1.0: the pass's override, else the field's value
  std::optional<Formula> default_value;
  bool required = true;  ///< false also for `internal`
};

/// A binding of a pass with its resource resolved.
struct Binding {
  std::string name;
  BindingAccess access = BindingAccess::kReadOnlyStorage;
  PlanBinding::Source source = PlanBinding::Source::kTensor;
  std::uint32_t index = 0;   ///< into Manifest::ports or Variant::scratch; unused for uniforms
  std::string element_type;  ///< "f32", "vec4<f16>", or "$NAME"
  std::optional<std::variant<std::uint64_t, std::string>> length;  ///< a count, or the NAME of "$NAME"
  std::string struct_name;
  std::vector<UniformField> fields;
};

struct Dispatch {
  /// kWorkgroups and kThreads fold n onto the free axes; kGridStride clamps x; kAxes takes them as given.
  enum class Form : std::uint8_t { kAxes, kThreads, kWorkgroups, kGridStride } form = Form::kAxes;
  std::optional<Formula> x, y, z;  ///< axes as given, or the one pinned axis
  std::optional<Formula> count;    ///< threads, workgroups or gridStride
  std::optional<Formula> workgroup_size;
};

struct Pass {
  std::string id;
  std::string label;
  std::string shader;
  std::string entry_point = "main";
  std::vector<NamedFormula> values;  ///< constants or pass derives, outermost first; a later name replaces an earlier
  bool values_see_earlier = false;   ///< 2.1: each value sees the ones before it
  std::vector<NamedFormula> source_inputs;
  std::vector<Binding> bindings;
  Dispatch dispatch;
  bool submit_after = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> view_alias;  ///< (input, output) indices into bindings
};

struct Step;
struct RepeatGroup {
  std::string id;
  std::string index_name;
  Formula count;
  std::vector<Step> steps;
};
struct Step {
  std::variant<Pass, RepeatGroup> node;
};

struct ScratchDecl {
  std::string id;
  DType storage = DType::kFloat32;
  Formula shape;
  bool zero_init = false;
};

struct Variant {
  std::string id;
  std::string description;
  bool is_default = false;
  double priority = 0;
  std::vector<Formula> when;  ///< the manifest's clauses, then the variant's
  std::optional<Formula> select_above;
  std::vector<Formula> demote_when;
  std::vector<std::uint32_t> superseded_by;  ///< indices into Manifest::variants
  Requires requires_;
  std::vector<Tunable> tunables;
  std::vector<NamedFormula> derives;
  std::vector<ScratchDecl> scratch;
  std::vector<Step> steps;
  std::string unusable;                ///< not empty: why it is permanently rejected
  std::vector<std::string> templates;  ///< every template its passes render, includes aside
};

struct Manifest {
  std::shared_ptr<const TreeArena> memory;  ///< of the places of all formulas
  std::string domain;
  std::string name;
  std::string op;  ///< domain + "." + name
  std::optional<std::int64_t> since_version;
  std::string description;
  std::vector<Port> ports;  ///< inputs (and inouts) in order, then outputs
  std::vector<ScalarArg> scalars;
  std::vector<AttributeDecl> attributes;
  std::vector<std::pair<std::string, std::vector<DType>>> type_vars;
  std::vector<Tunable> tunables;
  std::vector<NamedFormula> derives;
  std::vector<Variant> variants;  ///< in declaration order
  /// What a dialect fixes for evaluation, so that nothing later asks which dialect it was.
  bool legacy_functions = false;      ///< rank, cols, f16Allowed
  bool fold_by_device_limit = false;  ///< the fold width is the device's limit, not the literal 65535
};

/// A template file with its text as stored, digest-checked.
struct TemplateFile {
  std::string path;  ///< below build/webgpu/
  std::string text;
};

/// A package as the rest of the library sees it. Immutable.
struct LoadedPackage {
  std::string location;
  std::string folder;  ///< the package folder on disk; empty for a package from memory
  Manifest manifest;
  std::map<std::string, TemplateFile, std::less<>> files;      ///< every template of the package, by path
  std::map<std::string, LazyTemplate, std::less<>> templates;  ///< what passes render, by shader path
  std::vector<std::string> warnings;
  std::string spec;                            ///< "1.0" or "2.1", informative (inspect)
  std::string license;                         ///< informative
  std::optional<std::int64_t> version;         ///< metadata `version`, the major version of the contract
  std::map<std::string, std::string> digests;  ///< metadata digest.files
};

}  // namespace wgk::package
