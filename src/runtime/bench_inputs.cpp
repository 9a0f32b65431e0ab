// Makes values on the device where they are large, on the host where they decide what the call does.
#include "runtime/bench_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/storage.h"
#include "base/try.h"
#include "gpu/bench_plans.h"
#include "gpu/bound_plan.h"
#include "gpu/prepared_plan.h"
#include "ops/index_use.h"
#include "ops/positions.h"
#include "runtime/device_access.h"

namespace wgk::runtime {
namespace {

const PlanTensor* find_tensor(const Plan& plan, std::string_view key) {
  const auto found =
      std::find_if(plan.tensors.begin(), plan.tensors.end(), [&](const PlanTensor& t) { return t.key == key; });
  return found == plan.tensors.end() ? nullptr : &*found;
}

HostTensor rows_in_order(const PlanTensor& tensor, std::int64_t rows) {
  const auto count = static_cast<std::size_t>(element_count(tensor.shape).value_or(0));
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int64_t>(i) % std::max<std::int64_t>(rows, 1);
  return HostTensor::from(tensor.shape, values);
}

/// The part of `rows` that occurs among the values.
double part_named(const HostTensor& values, std::int64_t rows) {
  if (rows <= 0) return 0;
  const ops::Positions positions(values);
  std::vector<bool> named(static_cast<std::size_t>(rows));
  const std::int64_t count = element_count(values.shape).value_or(0);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = positions.at(static_cast<std::size_t>(i));
    if (row >= 0 && row < rows) named[static_cast<std::size_t>(row)] = true;
  }
  return static_cast<double>(std::count(named.begin(), named.end(), true)) / static_cast<double>(rows);
}

gpu::FillPattern pattern_of(const StorageFormat& format) {
  if (format.storage == DType::kFloat32) return gpu::FillPattern::kFloat32;
  if (format.storage == DType::kFloat16) return gpu::FillPattern::kFloat16;
  return gpu::FillPattern::kBytes;
}

Status fill(const Device& device, const GpuTensor& tensor) {
  WGK_TRY(std::shared_ptr<gpu::GpuDevice> gpu, webgpu_device_of(device, "bench"));
  // A tensor may be larger than what a binding can show.
  constexpr std::uint64_t kChunk = std::uint64_t{256} << 20;
  const std::uint64_t chunk = std::min(kChunk, gpu->profile().limit("maxStorageBufferBindingSize", kChunk) / 256 * 256);
  const std::uint64_t whole = base::storage_buffer_size(tensor.size_bytes());
  for (std::uint64_t offset = 0; offset < whole; offset += chunk) {
    const std::uint64_t bytes = std::min(chunk, whole - offset);
    WGK_TRY(auto prepared, gpu::PreparedPlan::create(gpu, gpu::fill_plan(bytes, pattern_of(tensor.format()))));
    const gpu::BufferRange range{tensor.buffer(), tensor.offset() + offset, bytes};
    WGK_TRY(const gpu::BoundPlan bound, gpu::BoundPlan::create(std::move(prepared), {&range, 1}));
    WGK_CHECK(bound.submit(nullptr));
  }
  return {};
}

Result<GpuTensor> make_tensor(const Prepared& prepared, const PlanTensor& tensor, const TensorMap& data,
                              const BenchIndex& index) {
  if (tensor.key == index.key) return prepared.upload(tensor.key, index.values);
  if (const auto given = data.find(tensor.key); given != data.end()) return prepared.upload(tensor.key, given->second);
  WGK_TRY(GpuTensor result, prepared.create_tensor(tensor.key));
  if (tensor.is_input) WGK_CHECK(fill(prepared.device(), result));
  return result;
}

}  // namespace

BenchIndex bench_index(const Plan& plan, const TensorMap& data) {
  BenchIndex result;
  const auto use = ops::index_use(plan.op);
  const PlanTensor* index = use ? find_tensor(plan, use->index) : nullptr;
  if (index == nullptr) return result;
  result.key = index->key;
  std::int64_t rows = 0;
  for (const std::string_view key : use->tables) {
    const PlanTensor* table = find_tensor(plan, key);
    if (table == nullptr || table->shape.empty()) continue;
    rows = table->shape.front();
    result.read.emplace(key, 1);
  }
  const auto given = data.find(index->key);
  result.values = given != data.end() ? given->second : rows_in_order(*index, rows);
  const double part = part_named(result.values, rows);
  for (auto& [key, read] : result.read) read = part;
  return result;
}

std::uint64_t useful_bytes(const Plan& plan, const BenchIndex& index) {
  std::uint64_t sum = 0;
  for (const PlanTensor& tensor : plan.tensors) {
    std::uint64_t bytes = tensor.storage_bytes;
    if (const auto part = index.read.find(tensor.key); part != index.read.end()) {
      bytes = static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * part->second));
    }
    sum += bytes * ((tensor.is_input ? 1u : 0u) + (tensor.is_output ? 1u : 0u));
  }
  return sum;
}

std::uint64_t BenchTensors::set_bytes(const Plan& plan, const BenchIndex& index) {
  std::uint64_t sum = 0;
  for (const PlanTensor& tensor : plan.tensors) {
    if (!index.shared(tensor.key)) sum += base::storage_buffer_size(tensor.storage_bytes);
  }
  return sum;
}

Result<BenchTensors> BenchTensors::create(const Prepared& prepared, const TensorMap& data, const BenchIndex& index,
                                          std::uint32_t sets) {
  BenchTensors result;
  result.own_.resize(sets);
  for (const PlanTensor& tensor : prepared.plan().tensors) {
    const bool common = index.shared(tensor.key);
    for (std::uint32_t set = 0; set < (common ? 1 : sets); ++set) {
      WGK_TRY(GpuTensor made, make_tensor(prepared, tensor, data, index));
      (common ? result.common_ : result.own_[set]).emplace_back(tensor.key, std::move(made));
    }
  }
  return result;
}

GpuTensors BenchTensors::views(std::uint32_t set) const {
  GpuTensors views;
  for (const Named* named : {&common_, &own_[set]}) {
    for (const auto& [key, tensor] : *named) views.push_back({key, tensor});
  }
  return views;
}

HostTensor host_values(const TensorSpec& spec) {
  const auto count = static_cast<std::size_t>(element_count(spec.shape).value_or(0));
  const std::size_t size = dtype_size(spec.dtype);
  HostTensor tensor{spec.dtype, spec.shape, std::vector<std::byte>(count * size)};
  constexpr std::size_t kPeriod = 16384;
  const std::size_t first = std::min(count, kPeriod);
  for (std::size_t i = 0; i < first; ++i) {
    const float value = 1.0F + static_cast<float>(i % 1021) / 1024.0F;
    std::byte* place = tensor.data.data() + i * size;
    if (spec.dtype == DType::kFloat32) {
      std::memcpy(place, &value, sizeof value);
    } else if (spec.dtype == DType::kFloat16) {
      const Float16 half = float_to_float16(value);
      std::memcpy(place, &half, sizeof half);
    } else {
      *place = static_cast<std::byte>(i & 1);
    }
  }
  // What is there is copied until the tensor is full, which costs less than making every value.
  for (std::size_t done = first * size; done < tensor.data.size();) {
    const std::size_t step = std::min(done, tensor.data.size() - done);
    std::memcpy(tensor.data.data() + done, tensor.data.data(), step);
    done += step;
  }
  return tensor;
}

}  // namespace wgk::runtime
