// What a program that uses the installed library looks like: it must compile, link, start, and find the packages.
#include <cstdio>

#include <wgk/ops/rotary_embedding.hpp>
#include <wgk/wgk.h>
#include <wgk/wgk.hpp>

#ifdef CONSUMER_EMBEDS
#include <wgk_embedded.hpp>
#endif

int main() {
  const auto device = wgk::Device::open({.kind = wgk::DeviceKind::kCpu});
  if (!device.ok()) return 1;
  const auto rope = wgk::RotaryEmbedding::create(*device);
  if (!rope.ok()) {
    std::fprintf(stderr, "%s\n", rope.error().message.c_str());
    return 1;
  }
  const auto y = rope->run({.x = wgk::HostTensor::from<float>({1, 1, 1, 2}, {1, 2}),
                            .cos_cache = wgk::HostTensor::from<float>({1, 1, 1}, {0}),
                            .sin_cache = wgk::HostTensor::from<float>({1, 1, 1}, {1})});
  if (!y.ok()) {
    std::fprintf(stderr, "%s\n", y.error().message.c_str());
    return 1;
  }
#ifdef CONSUMER_EMBEDS
  const auto embedded = wgk_embedded::load("com.microsoft.GemmaRotaryEmbedding");
  if (!embedded.ok() || wgk_embedded::load("ai.onnx.RotaryEmbedding").ok()) {
    std::fprintf(stderr, "%s\n", embedded.ok() ? "a package that is not embedded" : embedded.error().message.c_str());
    return 1;
  }
#endif
  std::printf("wgk %s: %g %g\n", wgk_version(), static_cast<double>(y->as<float>()[0]),
              static_cast<double>(y->as<float>()[1]));
  return 0;
}
