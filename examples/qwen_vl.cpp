// Positions of Qwen-VL with MRotaryEmbedding: text, then an image of 2 by 3 patches, then text. Each token has a
// temporal, a height and a width position; each part of a head follows one of them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <wgk/ops/mrotary_embedding.hpp>
#include <wgk/wgk.hpp>

namespace {

using wgk::HostTensor;

constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kHeadSize = 128;
constexpr std::int64_t kRows = 64;

struct Positions {
  std::vector<std::int64_t> t, h, w;

  std::int64_t next() const {
    if (t.empty()) return 0;
    return 1 + std::max({*std::max_element(t.begin(), t.end()), *std::max_element(h.begin(), h.end()),
                         *std::max_element(w.begin(), w.end())});
  }
  /// Text counts on in all three streams.
  void add_text(int tokens) {
    for (int i = 0; i < tokens; ++i) {
      const std::int64_t position = next();
      for (auto* stream : {&t, &h, &w}) stream->push_back(position);
    }
  }
  /// Patches share the time of their image and differ in row and column.
  void add_image(int height, int width) {
    const std::int64_t start = next();
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        t.push_back(start);
        h.push_back(start + y);
        w.push_back(start + x);
      }
    }
  }
  HostTensor tensor() const {
    std::vector<std::int64_t> all = t;
    all.insert(all.end(), h.begin(), h.end());
    all.insert(all.end(), w.begin(), w.end());
    return HostTensor::from<std::int64_t>({3, 1, static_cast<std::int64_t>(t.size())}, all);
  }
};

HostTensor cache(double (*function)(double)) {
  std::vector<float> values;
  for (std::int64_t position = 0; position < kRows; ++position) {
    for (std::int64_t i = 0; i < kHeadSize / 2; ++i) {
      const double frequency = std::pow(1e6, -2.0 * static_cast<double>(i) / static_cast<double>(kHeadSize));
      values.push_back(static_cast<float>(function(static_cast<double>(position) * frequency)));
    }
  }
  return HostTensor::from<float>({kRows, kHeadSize / 2}, values);
}

}  // namespace

int main() {
  try {
    const wgk::Device device = wgk::Device::open().value();
    const auto rope = wgk::MRotaryEmbedding::create(device).value();
    Positions positions;
    positions.add_text(3);
    positions.add_image(2, 3);
    positions.add_text(2);
    for (const auto& [name, stream] : {std::pair{"t", positions.t}, {"h", positions.h}, {"w", positions.w}}) {
      std::printf("%s:", name);
      for (const std::int64_t position : stream) std::printf(" %d", static_cast<int>(position));
      std::printf("\n");
    }

    const auto tokens = static_cast<std::int64_t>(positions.t.size());
    const HostTensor x = HostTensor::from<float>(
        {1, kHeads, tokens, kHeadSize}, std::vector<float>(static_cast<std::size_t>(kHeads * tokens * kHeadSize), 1));
    const HostTensor y = rope.run({.x = x,
                                   .cos_cache = cache(std::cos),
                                   .sin_cache = cache(std::sin),
                                   .position_ids = positions.tensor()},
                                  {.mrope_section = {16, 24, 24}})
                             .value();
    // The first slots of the three sections, for every token of the first head: each follows its own stream.
    for (const int slot : {0, 16, 40}) {
      std::printf("slot %2d:", slot);
      for (std::int64_t token = 0; token < tokens; ++token) {
        std::printf(" %.3f", static_cast<double>(y.as<float>()[static_cast<std::size_t>(token * kHeadSize + slot)]));
      }
      std::printf("\n");
    }
    return 0;
  } catch (const wgk::Exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
