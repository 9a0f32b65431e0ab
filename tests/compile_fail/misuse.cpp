// Each CASE but 0 is a mistake that the compiler must refuse; the message it must give is in CMakeLists.txt.
#include <utility>

#include <wgk/wgk.hpp>

void use(wgk::GpuTensor tensor, wgk::Prepared prepared, wgk::Bound bound, wgk::Profile profile,
         const wgk::Kernel& kernel, WGPUComputePassEncoder pass) {
#if CASE == 0
  const wgk::GpuTensor moved = std::move(tensor);
  const wgk::Kernel copy = kernel;
  bound.encode(pass);
#elif CASE == 1
  const wgk::GpuTensor copy = tensor;
#elif CASE == 2
  const wgk::Prepared copy = prepared;
#elif CASE == 3
  const wgk::Bound copy = bound;
#elif CASE == 4
  const wgk::Profile copy = profile;
#elif CASE == 5
  kernel.encode(pass);
#elif CASE == 6
  prepared.encode(pass);
#elif CASE == 7
  wgk::Device::open();
#elif CASE == 8
  const wgk::Prepared value = kernel.prepare({});
#endif
}
