// A second implementation of the rotary operators for tests: one element at a time, from the coordinates of the
// element, in extended precision for float32 and in integers for float16. It shares no code with the reference.
#pragma once

#include <array>
#include <cmath>
#include <random>

#include "ops/call_builder.h"

namespace wgk::ops::testing {

/// The knobs of a rotary call.
struct RotaryShape {
  bool multimodal = false;
  bool rank3 = false;
  bool cache_per_token = false;  ///< RotaryEmbedding without positions
  bool interleaved = false;
  bool striped = false;
  std::int64_t batch = 1, sequence = 1, heads = 1, head_size = 2, rotary_dim = 2, rows = 4;
  std::array<std::int64_t, 3> sections{};
  double scale = 1;

  std::int64_t half() const { return rotary_dim / 2; }
  Shape x_shape() const {
    if (rank3) return {batch, sequence, heads * head_size};
    return {batch, heads, sequence, head_size};
  }
  Shape cache_shape() const {
    if (cache_per_token) return {batch, sequence, half()};
    return {rows, half()};
  }
  std::string_view id() const { return multimodal ? kMultimodalId : kStandardId; }
};

inline RotaryShape random_shape(std::mt19937& random) {
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  RotaryShape shape;
  shape.multimodal = pick(0, 1) == 1;
  shape.rank3 = pick(0, 1) == 1;
  shape.cache_per_token = !shape.multimodal && pick(0, 2) == 0;
  shape.interleaved = pick(0, 1) == 1;
  shape.striped = shape.multimodal && pick(0, 1) == 1;
  shape.batch = pick(1, 3);
  shape.sequence = pick(1, 4);
  shape.heads = pick(1, 3);
  shape.rotary_dim = 2 * pick(1, 9);
  shape.head_size = shape.rotary_dim + (shape.multimodal ? pick(0, 5) : 2 * pick(0, 2));
  shape.rows = pick(1, 6);
  shape.sections[0] = pick(0, shape.half());
  shape.sections[1] = pick(0, shape.half() - shape.sections[0]);
  shape.sections[2] = shape.half() - shape.sections[0] - shape.sections[1];
  return shape;
}

/// A call of that shape; float_at() gives the elements, positions are random valid rows.
template <typename MakeTensor>
OwnedCall make_call(const RotaryShape& shape, std::mt19937& random, MakeTensor make_tensor) {
  OwnedCall call;
  call.tensors = {{"x", make_tensor(shape.x_shape())},
                  {"cos", make_tensor(shape.cache_shape())},
                  {"sin", make_tensor(shape.cache_shape())}};
  const std::int64_t streams = shape.multimodal ? 3 : 1;
  std::vector<std::int64_t> ids(static_cast<std::size_t>(streams * shape.batch * shape.sequence));
  for (auto& id : ids) id = std::uniform_int_distribution<std::int64_t>(0, shape.rows - 1)(random);
  const Shape position_shape =
      shape.multimodal ? Shape{3, shape.batch, shape.sequence} : Shape{shape.batch, shape.sequence};
  if (!shape.cache_per_token) call.tensors.emplace("positionIds", positions(position_shape, ids));
  call.options.attributes = {{"num_heads", shape.heads},
                             {"interleaved", shape.interleaved ? 1 : 0},
                             {"rotary_embedding_dim", shape.rotary_dim}};
  if (shape.multimodal) {
    call.options.attributes.emplace("mrope_section", sections(shape.sections[0], shape.sections[1], shape.sections[2]));
    call.options.attributes.emplace("mrope_layout", shape.striped ? 1 : 0);
    call.options.attributes.emplace("scale", shape.scale);
  }
  return call;
}

/// Where an output element comes from.
struct ElementSource {
  bool copied = false;
  bool second = false;         ///< the second element of its pair
  std::size_t x0 = 0, x1 = 0;  ///< flat indices into x
  std::size_t cache = 0;       ///< flat index into cos and sin
};

/// From the flat index of an output element, by division.
inline ElementSource source_of(const RotaryShape& shape, const OwnedCall& call, std::size_t flat) {
  auto rest = static_cast<std::int64_t>(flat);
  const std::int64_t i = rest % shape.head_size;
  rest /= shape.head_size;
  const std::int64_t head_start = static_cast<std::int64_t>(flat) - i;
  std::int64_t b = 0;
  std::int64_t s = 0;
  if (shape.rank3) {
    rest /= shape.heads;
    s = rest % shape.sequence;
    b = rest / shape.sequence;
  } else {
    s = rest % shape.sequence;
    b = rest / shape.sequence / shape.heads;
  }
  ElementSource source;
  source.copied = i >= shape.rotary_dim;
  if (source.copied) return source;

  const std::int64_t half = shape.half();
  const std::int64_t pair = shape.interleaved ? i / 2 : (i < half ? i : i - half);
  source.second = shape.interleaved ? i % 2 == 1 : i >= half;
  source.x0 = static_cast<std::size_t>(head_start + (shape.interleaved ? 2 * pair : pair));
  source.x1 = static_cast<std::size_t>(head_start + (shape.interleaved ? 2 * pair + 1 : pair + half));

  std::int64_t stream = 0;
  if (shape.multimodal && !shape.striped) {
    if (pair >= shape.sections[0]) stream = 1;
    if (pair >= shape.sections[0] + shape.sections[1]) stream = 2;
  } else if (shape.multimodal) {
    if (pair % 3 == 1 && pair < 3 * shape.sections[1]) stream = 1;
    if (pair % 3 == 2 && pair < 3 * shape.sections[2]) stream = 2;
  }
  std::int64_t row = b * shape.sequence + s;
  if (!shape.cache_per_token) {
    const auto index = static_cast<std::size_t>((stream * shape.batch + b) * shape.sequence + s);
    row = call.tensors.at("positionIds").as<std::int64_t>()[index];
  }
  source.cache = static_cast<std::size_t>(row * half + pair);
  return source;
}

}  // namespace wgk::ops::testing
