// Scratch shapes are expressions; scratch that nothing runs on is not allocated.
#include "plan/scratch.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <wgk/limits.hpp>

#include "base/storage.h"
#include "base/try.h"
#include "plan/bind_request.h"
#include "plan/brief_text.h"
#include "plan/evaluate.h"

namespace wgk::plan {
namespace {

using jinja::Value;

Result<std::int64_t> scratch_dimension(const package::ScratchDecl& decl, const Value& value) {
  constexpr auto kMaxDimension = static_cast<double>(limits::kMaxElements);
  const bool valid = value.is_number() && value.as_number() >= 0 && value.as_number() <= kMaxDimension &&
                     std::floor(value.as_number()) == value.as_number();
  if (valid) return static_cast<std::int64_t>(value.as_number());
  return Error{ErrorCode::kPackage,
               fmt::format("WebGPU scratch {} shape dimension must be a nonnegative integer, got {}", decl.id,
                           brief_text(value))};
}

Result<Shape> scratch_shape(const package::ScratchDecl& decl, const Value& value) {
  Shape shape;
  if (value.kind() != Value::Kind::kList) {
    WGK_TRY(const std::int64_t dim, scratch_dimension(decl, value));
    shape.push_back(dim);
    return shape;
  }
  for (const Value& item : value.as_list()) {
    WGK_TRY(const std::int64_t dim, scratch_dimension(decl, item));
    shape.push_back(dim);
  }
  return shape;
}

}  // namespace

Result<std::vector<PlanScratch>> evaluate_scratch(const package::Variant& variant, std::string_view op,
                                                  const jinja::Scope& scope, jinja::Budget& budget) {
  std::vector<PlanScratch> all;
  all.reserve(variant.scratch.size());
  for (const package::ScratchDecl& decl : variant.scratch) {
    WGK_TRY(const Value value, evaluate_or_fail(decl.shape, op, scope, budget));
    WGK_TRY(Shape shape, scratch_shape(decl, value));
    const auto elements = checked_elements(shape);
    if (!elements) {
      return Error{ErrorCode::kPackage, fmt::format("{}: scratch \"{}\" shape is out of range", op, decl.id)};
    }
    const StorageFormat format{decl.storage, decl.storage, false, false};
    all.push_back(PlanScratch{decl.id, decl.storage, std::move(shape), base::storage_byte_length(format, *elements),
                              decl.zero_init});
  }
  return all;
}

void drop_unused_scratch(Plan& plan) {
  std::vector<std::uint32_t> renumbered(plan.scratch.size(), PlanBinding::kNotAllocated);
  for (const PlanPass& pass : plan.passes) {
    for (const PlanBinding& binding : pass.bindings) {
      if (binding.source == PlanBinding::Source::kScratch && !pass.skipped()) renumbered[binding.index] = 0;
    }
  }
  std::vector<PlanScratch> kept;
  for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
    if (renumbered[i] == PlanBinding::kNotAllocated) continue;
    renumbered[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(plan.scratch[i]));
  }
  plan.scratch = std::move(kept);
  for (PlanPass& pass : plan.passes) {
    for (PlanBinding& binding : pass.bindings) {
      if (binding.source == PlanBinding::Source::kScratch) binding.index = renumbered[binding.index];
    }
  }
}

}  // namespace wgk::plan
