// Error scopes and the wording of what they catch.
#include "gpu/error_scope.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/visible.h"

namespace wgk::gpu {
namespace {

/// A compiler quotes the source, which may be one line of megabytes.
constexpr std::size_t kMaxMessageBytes = 4096;

constexpr WGPUErrorFilter kFilters[] = {WGPUErrorFilter_OutOfMemory, WGPUErrorFilter_Validation};

struct ScopeResult {
  WGPUPopErrorScopeStatus status = WGPUPopErrorScopeStatus_Success;
  WGPUErrorType type = WGPUErrorType_NoError;
};

void on_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView message, void* userdata,
              void*) noexcept {
  deliver(userdata, ScopeResult{status, type}, message);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool blank(std::string_view line) { return indentation(line) == line.size(); }

bool is_frame(std::string_view line) {
  line.remove_prefix(indentation(line));
  return line.empty() || line == "Validation Error" || line == "Caused by:" || line.starts_with("In wgpu");
}

/// Whether a whole line is this text. A shader that does not compile is quoted in the message, between other things on
/// its line, and must not pass for a fault of the device.
bool has_line(std::string_view text, std::string_view wanted) {
  const std::vector<std::string_view> lines = lines_of(text);
  return std::any_of(lines.begin(), lines.end(), [&](std::string_view line) {
    line.remove_prefix(indentation(line));
    return line == wanted || (line.ends_with('.') && line.substr(0, line.size() - 1) == wanted);
  });
}

// wgpu-native reports these as validation errors.
bool means_lost(std::string_view text) { return has_line(text, "Parent device is lost"); }
bool means_out_of_memory(std::string_view text) {
  return has_line(text, "Not enough memory left") || has_line(text, "Out of memory") || has_line(text, "out of memory");
}

}  // namespace

Error device_error(std::string message) { return {ErrorCode::kDevice, std::move(message)}; }

Status check_not_lost(const DeviceContext& context) {
  if (!context.events.lost()) return {};
  return device_error(fmt::format("the device is lost ({}); open it again", context.events.lost_reason()));
}

std::string tidy_message(std::string_view message) {
  std::vector<std::string_view> lines = lines_of(message);
  while (!lines.empty() && is_frame(lines.front())) lines.erase(lines.begin());
  while (!lines.empty() && blank(lines.back())) lines.pop_back();
  const std::size_t indent = lines.empty() ? 0 : indentation(lines.front());
  std::string text;
  for (std::string_view line : lines) {
    line.remove_prefix(std::min(indent, indentation(line)));
    if (!text.empty()) text += '\n';
    text += line;
  }
  return base::visible(text, kMaxMessageBytes, true);
}

ErrorScope::ErrorScope(DeviceContext& context) : context_(context), lock_(context.scopes) {
  for (const WGPUErrorFilter filter : kFilters) {
    procs().wgpuDevicePushErrorScope(context_.device.get(), filter);
    ++open_;
  }
}

ErrorScope::~ErrorScope() {
  while (open_ > 0) static_cast<void>(pop(""));
}

Status ErrorScope::end(std::string_view what) {
  Status first;
  while (open_ > 0) {
    Status status = pop(what);
    if (first.ok()) first = std::move(status);
  }
  const std::string uncaught = context_.events.take_error();
  if (lock_.owns_lock()) lock_.unlock();
  if (first.ok() && !uncaught.empty()) first = device_error(fmt::format("{}: {}", what, uncaught));
  return first;
}

Status ErrorScope::pop(std::string_view what) {
  --open_;
  const auto reply = std::make_shared<Reply<ScopeResult>>();
  WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.callback = on_scope;
  info.userdata1 = reply_userdata(reply);
  procs().wgpuDevicePopErrorScope(context_.device.get(), info);
  if (!context_.wait(reply->arrived, context_.timeout)) {
    return device_error(fmt::format("{}: the WebGPU implementation does not answer", what));
  }
  if (reply->payload.status == WGPUPopErrorScopeStatus_Success && reply->payload.type == WGPUErrorType_NoError) {
    return {};
  }
  const std::string text = tidy_message(reply->message);
  if (means_lost(text)) {
    context_.events.report_lost(text);
    return check_not_lost(context_);
  }
  if (reply->payload.type == WGPUErrorType_OutOfMemory || means_out_of_memory(text)) {
    return device_error(fmt::format("{}: out of GPU memory", what));
  }
  return device_error(fmt::format("{}: {}", what, text.empty() ? "the WebGPU implementation gave no reason" : text));
}

}  // namespace wgk::gpu
