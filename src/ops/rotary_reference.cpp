// RotaryEmbedding and MRotaryEmbedding on the CPU.
#include <cstring>

#include "base/try.h"
#include "ops/rotary.h"
#include "ops/rotary_rows.h"

namespace wgk::ops {
namespace {

/// Rotates one head from x to y. Elements that do not rotate are left alone in y.
template <typename Math, bool kInterleaved>
void rotate_head(const RotaryRow<Math>& row, const typename Math::Storage* x, typename Math::Storage* y) {
  const std::size_t half = row.cos.size();
  for (std::size_t p = 0; p < half; ++p) {
    if (row.rotates[p] == 0) continue;
    const auto [first, second] = elements_of_pair<kInterleaved>(p, half);
    const auto x0 = Math::widen(x[first]);
    const auto x1 = Math::widen(x[second]);
    y[first] = Math::narrow(x0 * row.cos[p] - x1 * row.sin[p]);
    y[second] = Math::narrow(x0 * row.sin[p] + x1 * row.cos[p]);
  }
}

template <typename Math, bool kInterleaved>
void rotate_all(RotaryKind kind, const RotaryCall& call, HostTensor& out) {
  using Storage = typename Math::Storage;
  const Storage* x = elements_of<Storage>(*call.x).data();
  Storage* y = reinterpret_cast<Storage*>(out.data.data());
  for_each_head<Math>(kind, call, [&](const RotaryRow<Math>& row, std::size_t head) {
    rotate_head<Math, kInterleaved>(row, x + head, y + head);
    return true;
  });
}

}  // namespace

std::vector<std::uint8_t> stream_of_slots(RotaryKind kind, const RotaryCall& call) {
  std::vector<std::uint8_t> streams(static_cast<std::size_t>(call.half()), 0);
  if (kind == RotaryKind::kStandard) return streams;
  // Valid sections are at most half, so three times a section cannot overflow.
  const auto temporal = static_cast<std::size_t>(call.sections[0]);
  const auto height = static_cast<std::size_t>(call.sections[1]);
  const auto width = static_cast<std::size_t>(call.sections[2]);
  for (std::size_t p = 0; p < streams.size(); ++p) {
    if (call.striped) {
      // Height and width own every third slot while their section lasts; all else is temporal.
      const bool is_height = p % 3 == 1 && p < 3 * height;
      const bool is_width = p % 3 == 2 && p < 3 * width;
      streams[p] = is_height ? 1 : is_width ? 2 : 0;
    } else {
      streams[p] = p < temporal ? 0 : p < temporal + height ? 1 : 2;
    }
  }
  return streams;
}

Result<OpOutputs> rotary_reference(RotaryOperator op, const OpCall& call) {
  OpCall trusted_values = call;
  trusted_values.check_values = false;
  trusted_values.host_data = true;
  WGK_TRY(const RotaryCall rotary, resolve_rotary(op, trusted_values, nullptr));

  // A copy of the bits: right for every element that does not rotate, whatever it holds.
  OpOutputs outputs;
  HostTensor& y = outputs.emplace_back(op.output(), *rotary.x).second;
  if (rotary.empty()) return outputs;
  with_math(rotary, [&](auto math) {
    using Math = decltype(math);
    rotary.interleaved ? rotate_all<Math, true>(op.kind, rotary, y) : rotate_all<Math, false>(op.kind, rotary, y);
  });
  return outputs;
}

}  // namespace wgk::ops
