// What a call costs on the host before anything reaches a device: loading, planning, cached planning, rendering.
// Targets: load with digests < 2 ms, plan of the 12-variant package < 150 us, plan from the cache < 20 us.
#include <map>
#include <string>

#include <benchmark/benchmark.h>

#include <wgk/wgk.hpp>

#include "allocations.h"
#include "jinja/template.h"
#include "package/model.h"
#include "plan/plan_cache.h"

namespace wgk::bench {
namespace {

constexpr const char* kRotary = "ai.onnx.RotaryEmbedding";
constexpr const char* kMRotary = "com.microsoft.MRotaryEmbedding";
constexpr const char* kGemma = "com.microsoft.GemmaRotaryEmbedding";

DeviceProfile profile() {
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.features.insert("shader-f16");
  return profile;
}

/// One decode step of a model with 32 heads of 128: rank 4, positions, float16.
PlanRequest rotary_request() {
  PlanRequest request;
  request.inputs = {{"x", {DType::kFloat16, {1, 32, 1, 128}}},
                    {"cos", {DType::kFloat16, {4096, 64}}},
                    {"sin", {DType::kFloat16, {4096, 64}}},
                    {"positionIds", {DType::kInt64, {1, 1}}}};
  return request;
}

PlanRequest mrotary_request() {
  PlanRequest request = rotary_request();
  request.inputs["positionIds"] = {DType::kInt64, {3, 1, 1}};
  request.attributes = {{"mrope_section", AttributeValue::List{16, 24, 24}}};
  return request;
}

PlanRequest gemma_request() {
  PlanRequest request;
  request.inputs["embT"] = {DType::kFloat32, {1, 16, 128}};
  for (const char* key : {"qT", "qRotT", "kT", "kRotT"}) request.inputs[key] = {DType::kFloat16, {1, 8, 16, 128}};
  return request;
}

void load(benchmark::State& state, const char* op) {
  const AllocationMeter meter;
  for (auto _ : state) {
    auto package = Package::load(op);
    if (!package.ok()) return state.SkipWithError(package.error().message.c_str());
    benchmark::DoNotOptimize(package);
  }
  meter.report(state);
}

void plan(benchmark::State& state, const char* op, PlanRequest (*make_request)(), PlanOptions options) {
  const auto package = Package::load(op);
  if (!package.ok()) return state.SkipWithError(package.error().message.c_str());
  const DeviceProfile device = profile();
  const PlanRequest request = make_request();
  const AllocationMeter meter;
  for (auto _ : state) {
    auto plan = package->plan(request, device, options);
    if (!plan.ok()) return state.SkipWithError(plan.error().message.c_str());
    benchmark::DoNotOptimize(plan);
  }
  meter.report(state);
}

void plan_cached(benchmark::State& state, const char* op, PlanRequest (*make_request)()) {
  const auto package = Package::load(op);
  if (!package.ok()) return state.SkipWithError(package.error().message.c_str());
  const DeviceProfile device = profile();
  const PlanRequest request = make_request();
  plan::PlanCache cache;
  for (int i = 0; i < 2; ++i) {
    const auto plan = cache.plan(package->impl(), request, device);
    if (!plan.ok()) return state.SkipWithError(plan.error().message.c_str());
  }
  const AllocationMeter meter;
  for (auto _ : state) {
    auto plan = cache.plan(package->impl(), request, device);
    benchmark::DoNotOptimize(plan);
  }
  meter.report(state);
  if (cache.stats().misses != 1) state.SkipWithError("the cache missed");
}

/// Rendering alone: the constructs that kernels use, 200 lines of output.
void render(benchmark::State& state) {
  std::string text = "{% macro load(i) %}let v{{ i }} = {{ T }}(x[base + {{ i }}u]);{% endmacro %}";
  text +=
      "{% for i in range(100) %}{% if i % 2 == 0 %}  {{ load(i) }}\n{% else %}  y[{{ i }}u] = v{{ i - 1 }} * {{ scale "
      "}};\n{% endif %}  // of {{ loop.length }}\n{% endfor %}";
  const auto parsed = jinja::Template::parse(text, "bench.wgsl.jinja");
  if (!parsed.ok()) return state.SkipWithError(parsed.error().message.c_str());
  jinja::Scope scope;
  scope.set("T", jinja::Value::string("f32"));
  scope.set("scale", jinja::Value::number(0.5));
  std::size_t bytes = 0;
  const AllocationMeter meter;
  for (auto _ : state) {
    jinja::Budget budget;
    auto rendered = parsed->render(scope, budget);
    if (!rendered.ok()) return state.SkipWithError(rendered.error().message.c_str());
    bytes = rendered->size();
    benchmark::DoNotOptimize(rendered);
  }
  meter.report(state);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

BENCHMARK_CAPTURE(load, rotary, kRotary)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(load, mrotary, kMRotary)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(load, gemma, kGemma)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan, rotary, kRotary, rotary_request, PlanOptions{false})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan, rotary_explain, kRotary, rotary_request, PlanOptions{true})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan, mrotary, kMRotary, mrotary_request, PlanOptions{false})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan, gemma, kGemma, gemma_request, PlanOptions{false})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan_cached, rotary, kRotary, rotary_request)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan_cached, mrotary, kMRotary, mrotary_request)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(plan_cached, gemma, kGemma, gemma_request)->Unit(benchmark::kMicrosecond);
BENCHMARK(render)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace wgk::bench
