// One small 2.1 manifest whose members a test replaces one at a time.
#pragma once

#include <map>
#include <string>

#include "plan_fixture.h"

namespace wgk::plan::testing_support {

/// Members of an operator that copies x to y; every string is JSON text.
struct SmallManifest {
  std::string inputs = R"("x": {"dtype": "float32"}, "b": {"dtype": "float32", "optional": true})";
  std::string outputs = R"("y": {"dtype": "float32", "shape": "shapes.x"})";
  std::string args = "";
  std::string attributes = R"("n": {"default": 1})";
  std::string constraints = "";  ///< typeConstraints
  std::string derive = "";
  std::string more = "";     ///< further top-level members, each with a comma in front
  std::string variant = "";  ///< further members of the variant, each with a comma in front
  std::string bindings = R"("x", "y")";
  std::string dispatch = R"({"x": 1})";
  std::string pass = "";    ///< further members of the pass, each with a comma in front
  std::string passes = "";  ///< replaces bindings, dispatch and pass
  std::string shader = std::string(kTemplate);

  std::string json() const {
    const std::string own = R"({"id": "p", "shader": "a.wgsl.jinja", "bindings": [)" + bindings + R"(], "dispatch": )" +
                            dispatch + pass + "}";
    return R"({"name": "Op", "inputs": {)" + inputs + R"(}, "outputs": {)" + outputs + R"(}, "args": {)" + args +
           R"(}, "attributes": {)" + attributes + R"(}, "typeConstraints": {)" + constraints + R"(}, "derive": {)" +
           derive + "}" + more + R"(, "variants": [{"id": "v")" + variant + R"(, "passes": [)" +
           (passes.empty() ? own : passes) + "]}]}";
  }

  PackagePtr load() const { return testing_support::load(json(), {{"a.wgsl.jinja", shader}}); }

  Result<Plan> plan(const PlanRequest& request, const DeviceProfile& profile = DeviceProfile::webgpu_defaults(),
                    const PlanOptions& options = {}) const {
    const PackagePtr package = load();
    if (package == nullptr) return Error{ErrorCode::kPackage, "did not load"};
    return make_plan(*package, request, profile, options);
  }
};

inline PlanRequest x_request(Shape shape = {4}) {
  PlanRequest request;
  request.inputs = {{"x", {DType::kFloat32, std::move(shape)}}};
  return request;
}

/// The message of the error, "" when there is a plan.
inline std::string message(const Result<Plan>& plan) { return plan.ok() ? std::string() : plan.error().message; }

}  // namespace wgk::plan::testing_support
