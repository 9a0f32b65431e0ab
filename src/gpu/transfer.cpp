// Queue writes, buffer copies, and reading through mappable buffers of the pool.
#include "gpu/transfer.h"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "gpu/error_scope.h"
#include "gpu/plan_check.h"
#include "gpu/submit.h"

namespace wgk::gpu {
namespace {

void on_mapped(WGPUMapAsyncStatus status, WGPUStringView message, void* userdata, void*) noexcept {
  deliver(userdata, status, message);
}

}  // namespace

Status write_buffer(DeviceContext& context, WGPUBuffer buffer, std::uint64_t offset, std::span<const std::byte> bytes,
                    std::string_view name) {
  ErrorScope scope(context);
  const std::size_t whole = bytes.size() / 4 * 4;
  if (whole > 0) procs().wgpuQueueWriteBuffer(context.queue.get(), buffer, offset, bytes.data(), whole);
  if (whole < bytes.size()) {
    std::array<std::byte, 4> last{};
    std::memcpy(last.data(), bytes.data() + whole, bytes.size() - whole);
    procs().wgpuQueueWriteBuffer(context.queue.get(), buffer, offset + whole, last.data(), last.size());
  }
  return scope.end(fmt::format("cannot upload '{}' ({} bytes)", name, bytes.size()));
}

Status copy_buffer(DeviceContext& context, WGPUBuffer source, std::uint64_t source_offset, WGPUBuffer target,
                   std::uint64_t target_offset, std::uint64_t size) {
  WGK_CHECK(check_not_lost(context));
  WGK_TRY(CommandBuffer commands, record_commands(context, [&](const CommandEncoder& encoder) -> Status {
            procs().wgpuCommandEncoderCopyBufferToBuffer(encoder.get(), source, source_offset, target, target_offset,
                                                         size);
            return {};
          }));
  return submit(context, std::move(commands));
}

Result<PendingRead> PendingRead::start(std::shared_ptr<GpuDevice> device, WGPUBuffer buffer, std::uint64_t offset,
                                       std::uint64_t bytes) {
  DeviceContext& context = device->context();
  const std::uint64_t size = buffer_size(bytes);
  PendingRead read;
  WGK_TRY(read.staging_, device->staging_pool().take(context, size));
  read.bytes_ = bytes;
  read.device_ = std::move(device);
  WGK_CHECK(copy_buffer(context, buffer, offset, read.staging_.get(), 0, size));

  ErrorScope scope(context);
  read.reply_ = std::make_shared<Reply<WGPUMapAsyncStatus>>();
  WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.callback = on_mapped;
  info.userdata1 = reply_userdata(read.reply_);
  procs().wgpuBufferMapAsync(read.staging_.get(), WGPUMapMode_Read, 0, static_cast<std::size_t>(size), info);
  WGK_CHECK(scope.end("cannot read the buffer back"));
  return read;
}

PendingRead::~PendingRead() {
  // A buffer whose mapping is pending or in use must not be lent again.
  if (reply_) staging_.discard();
}

bool PendingRead::ready() const {
  if (!reply_) return true;
  if (!reply_->arrived.load(std::memory_order_acquire)) {
    const DeviceContext& context = device_->context();
    if (context.polls) poll_once(context.instance.get(), context.device.get());
  }
  return reply_->arrived.load(std::memory_order_acquire);
}

Result<std::vector<std::byte>> PendingRead::get(Timeout timeout) {
  if (!reply_) return Error{ErrorCode::kUsage, "the data of this download were already taken"};
  DeviceContext& context = device_->context();
  if (!context.wait(reply_->arrived, timeout)) {
    return device_error(fmt::format("the data did not arrive within {} ms", timeout.count()));
  }
  if (reply_->payload != WGPUMapAsyncStatus_Success) {
    WGK_CHECK(check_not_lost(context));
    return device_error(fmt::format("cannot read the buffer back: {}", tidy_message(reply_->message)));
  }
  const void* mapped =
      procs().wgpuBufferGetConstMappedRange(staging_.get(), 0, static_cast<std::size_t>(buffer_size(bytes_)));
  if (mapped == nullptr) return device_error("cannot read the buffer back: no mapped memory");
  const auto* first = static_cast<const std::byte*>(mapped);
  std::vector<std::byte> bytes(first, first + bytes_);
  procs().wgpuBufferUnmap(staging_.get());
  reply_.reset();
  staging_ = PooledBuffer();
  return bytes;
}

}  // namespace wgk::gpu
