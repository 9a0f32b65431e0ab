// A program that carries its kernels: no file, no search path, no network (examples/CMakeLists.txt embeds the package).
#include <cstdio>
#include <vector>
#include <wgk_embedded.hpp>

#include <wgk/wgk.hpp>

using wgk::HostTensor;

int main() {
  try {
    const auto package = wgk_embedded::load("ai.onnx.RotaryEmbedding").value();
    const wgk::Kernel kernel(wgk::Device::open({}).value(), package);

    const auto x = HostTensor::from<float>({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    const auto cos = HostTensor::from<float>({3, 2}, {1, 1, 0, 1, -1, 0});
    const auto sin = HostTensor::from<float>({3, 2}, {0, 0, 1, 0, 0, 1});
    const auto positions = HostTensor::from<std::int64_t>({1, 2}, {1, 2});
    const auto y = kernel({{"x", x}, {"cos", cos}, {"sin", sin}, {"positionIds", positions}},
                          {.attrs = {{"interleaved", 1}}})["y"];
    for (const float value : y.as<float>()) std::printf("%g ", static_cast<double>(value));
    std::printf("\n");
    return 0;
  } catch (const wgk::Exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
