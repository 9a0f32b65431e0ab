// Cosines and sines of a run of tokens are computed once and serve the heads of q and of k.
#include "cpu/gemma.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "cpu/gemma_kernels.h"
#include "cpu/outputs.h"
#include "cpu/work_split.h"
#include "ops/gemma.h"

namespace wgk::cpu {
namespace {

constexpr std::size_t kFactors = 4096;  ///< of cos and of sin, in a unit

std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

/// value, rotated -> out.
struct Rotation {
  const std::uint16_t* value;
  const std::uint16_t* rotated;
  std::uint16_t* out;
};

class GemmaWork {
 public:
  GemmaWork(const ops::OpCall& call, HostTensor& output1, HostTensor& output2, unsigned thread_limit)
      : shape_(output1.shape),
        sequence_(at(shape_[2])),
        heads_(at(shape_[1])),
        size_(at(shape_[3])),
        angles_(call.inputs.at("embT")->as<float>().data()),
        rotations_{rotation(call, "qT", "qRotT", output1), rotation(call, "kT", "kRotT", output2)},
        split_(at(shape_[0]), sequence_, heads_, std::max<std::size_t>(1, kFactors / size_), 6 * output1.data.size(),
               thread_limit) {}

  const WorkSplit& split() const { return split_; }

  void run_unit(std::size_t index) const {
    const WorkUnit unit = split_.unit(index);
    // The tokens of a head lie one after the other, as their angles do. A long token is cut.
    const std::size_t count = unit.tokens * size_;
    for (std::size_t first = 0; first < count; first += kFactors) {
      run_block(unit, first, std::min(kFactors, count - first));
    }
  }

 private:
  static Rotation rotation(const ops::OpCall& call, std::string_view value, std::string_view rotated, HostTensor& out) {
    const auto bits = [&](std::string_view key) {
      return reinterpret_cast<const std::uint16_t*>(call.inputs.find(key)->second->data.data());
    };
    return {bits(value), bits(rotated), reinterpret_cast<std::uint16_t*>(out.data.data())};
  }

  void run_block(const WorkUnit& unit, std::size_t first, std::size_t count) const {
    alignas(64) std::array<float, kFactors> cos;  // left uninitialised, like the next
    alignas(64) std::array<float, kFactors> sin;
    const std::size_t token = unit.batch * sequence_ + unit.first_token;
    gemma_factors(angles_ + token * size_ + first, count, cos.data(), sin.data());
    for (std::size_t head = unit.first_head; head < unit.first_head + unit.heads; ++head) {
      const std::size_t row = ((unit.batch * heads_ + head) * sequence_ + unit.first_token) * size_ + first;
      for (const Rotation& r : rotations_) {
        gemma_rotate(r.value + row, r.rotated + row, cos.data(), sin.data(), count, r.out + row);
      }
    }
  }

  const Shape& shape_;
  std::size_t sequence_, heads_, size_;
  const float* angles_;
  std::array<Rotation, 2> rotations_;
  WorkSplit split_;
};

}  // namespace

Status compute_gemma(const ops::OpCall& call, ThreadPool& threads, ops::OpOutputs& outputs) {
  ops::OpCall host_call = call;
  host_call.host_data = true;
  WGK_CHECK(ops::gemma_check(host_call, nullptr));
  const HostTensor& q = *call.inputs.find("qT")->second;
  output_like(outputs, 0, "output1T", q);
  output_like(outputs, 1, "output2T", q);
  outputs.resize(2);
  HostTensor& output1 = outputs[0].second;
  HostTensor& output2 = outputs[1].second;
  if (q.data.empty()) return {};
  const GemmaWork work(call, output1, output2, threads.limit());
  threads.run(work.split().count(), work.split().threads(), [&](std::size_t unit) { work.run_unit(unit); });
  return {};
}

}  // namespace wgk::cpu
