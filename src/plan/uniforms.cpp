// Every field is one 32-bit word, so field k lies at byte 4k.
#include "plan/uniforms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "plan/evaluate.h"

namespace wgk::plan {
namespace {

using jinja::Value;
using package::Binding;
using package::UniformField;

constexpr std::size_t kWord = 4;
constexpr std::size_t kLeastUniformBytes = 16;

std::size_t padded_field_count(std::size_t fields) { return (fields + 3) / 4 * 4; }

void store_word(std::vector<std::byte>& bytes, std::size_t field, std::uint32_t word) {
  for (std::size_t i = 0; i < kWord; ++i) bytes[field * kWord + i] = static_cast<std::byte>(word >> (8 * i));
}

bool is_integer_in(double value, double low, double high) {
  return value >= low && value <= high && std::floor(value) == value;
}

class UniformPacking {
 public:
  UniformPacking(const Binding& binding, std::string_view op, const Value& scalars, const jinja::Scope& scope,
                 jinja::Budget& budget)
      : binding_(binding), op_(op), scalars_(scalars), scope_(scope), budget_(budget) {}

  Result<PlanUniform> pack() {
    PlanUniform uniform = zero_uniform(binding_);
    for (std::size_t i = 0; i < binding_.fields.size(); ++i) {
      const UniformField& field = binding_.fields[i];
      WGK_TRY(const double value, field_value(field));
      WGK_TRY(const std::uint32_t word, encode(field, value));
      uniform.fields[i].value = value;
      store_word(uniform.bytes, i, word);
    }
    return uniform;
  }

 private:
  /// A field costs a step however it gets its value, so that repeat groups cannot multiply fields for free.
  Result<double> field_value(const UniformField& field) {
    if (!budget_.spend()) {
      return Error{ErrorCode::kPackage, fmt::format("{}: uniform {}.{}: evaluation step limit ({}) exceeded", op_,
                                                    binding_.name, field.name, limits::kMaxEvaluationSteps)};
    }
    WGK_TRY(const std::optional<Value> value, source_value(field));
    if (!value) {
      if (!field.required) return 0.0;
      return Error{ErrorCode::kPackage, fmt::format("Missing uniform field {}.{}", binding_.struct_name, field.name)};
    }
    const bool number = value->is_number() && !std::isnan(value->as_number());
    if (!number || (field.type != "f32" && std::isinf(value->as_number()))) {
      return Error{ErrorCode::kPackage,
                   fmt::format("WebGPU uniform {}.{} must resolve to a finite number", binding_.name, field.name)};
    }
    return value->as_number();
  }

  Result<std::optional<Value>> source_value(const UniformField& field) {
    if (field.value) return evaluated(*field.value);
    if (const Value* scalar = scalars_.member(field.name)) return std::optional<Value>(*scalar);
    if (field.default_value) return evaluated(*field.default_value);
    return std::optional<Value>();
  }

  Result<std::optional<Value>> evaluated(const package::Formula& formula) {
    WGK_TRY(Value value, evaluate_or_fail(formula, op_, scope_, budget_));
    return std::optional<Value>(std::move(value));
  }

  Result<std::uint32_t> encode(const UniformField& field, double value) const {
    if (field.type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (field.type == "i32") {
      if (is_integer_in(value, -2147483648.0, 2147483647.0)) {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
      }
      return out_of_range(field, "an integer i32 in [-2147483648, 2147483647]");
    }
    if (is_integer_in(value, 0, 4294967295.0)) return static_cast<std::uint32_t>(value);
    return out_of_range(field, "an integer u32 in [0, 4294967295]");
  }

  Error out_of_range(const UniformField& field, std::string_view expected) const {
    return Error{ErrorCode::kPackage,
                 fmt::format("Uniform {}.{} must be {}", binding_.struct_name, field.name, expected)};
  }

  const Binding& binding_;
  std::string_view op_;
  const Value& scalars_;
  const jinja::Scope& scope_;
  jinja::Budget& budget_;
};

}  // namespace

std::vector<std::string> padding_fields(const std::vector<UniformField>& fields) {
  std::vector<std::string> pads;
  const std::size_t missing = padded_field_count(fields.size()) - fields.size();
  for (std::size_t number = 0; pads.size() < missing; ++number) {
    std::string name = fmt::format("_pad{}", number);
    const auto used = std::any_of(fields.begin(), fields.end(), [&](const UniformField& f) { return f.name == name; });
    if (!used) pads.push_back(std::move(name));
  }
  return pads;
}

std::string struct_declaration(const Binding& binding) {
  std::string members;
  const auto append = [&](std::string_view name, std::string_view type) {
    if (!members.empty()) members += ", ";
    members += fmt::format("{}: {}", name, type);
  };
  for (const UniformField& field : binding.fields) append(field.name, field.type);
  for (const std::string& pad : padding_fields(binding.fields)) append(pad, "u32");
  return fmt::format("struct {} {{ {} }};", binding.struct_name, members);
}

std::uint64_t uniform_size(const Binding& binding) {
  return std::max(kLeastUniformBytes, kWord * padded_field_count(binding.fields.size()));
}

Result<PlanUniform> pack_uniform(const Binding& binding, std::string_view op, const Value& scalars,
                                 const jinja::Scope& scope, jinja::Budget& budget) {
  return UniformPacking(binding, op, scalars, scope, budget).pack();
}

PlanUniform zero_uniform(const Binding& binding) {
  PlanUniform uniform;
  uniform.struct_name = binding.struct_name;
  uniform.bytes.resize(uniform_size(binding));
  for (const UniformField& field : binding.fields) uniform.fields.push_back({field.name, field.type, 0});
  return uniform;
}

}  // namespace wgk::plan
