// --device, --adapter, --timeout, --max-memory and --threads, and how a device is printed.
#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "cli.h"
#include "tuning_file.h"

namespace wgk::cli {

void DeviceFlags::add_to(CLI::App& command) {
  command.add_option("--device", kind, "Where to run: gpu, software (a CPU adapter), cpu (no adapter) or auto")
      ->check(CLI::IsMember({"auto", "gpu", "software", "cpu"}))
      ->capture_default_str();
  command.add_option("--adapter", adapter, "Only an adapter whose name contains this")->type_name("NAME");
  command.add_option("--timeout", timeout_seconds, "Seconds after which GPU work is given up (exit code 5)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double seconds = 0;
            // Written so that NaN fails too.
            const bool valid = CLI::detail::lexical_cast(text, seconds) && seconds >= 0.001 && seconds <= 1e6;
            return valid ? std::string() : text + " is not a number of seconds from 0.001 to 1000000";
          },
          "SECONDS"))
      ->capture_default_str();
  command.add_option("--max-memory", max_memory_mib, "Most GPU memory that one call may take")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
      ->type_name("MIB")
      ->capture_default_str();
  command.add_option("--threads", threads, "Most threads on --device cpu; 0: as many as there are CPUs, at most 16")
      ->check(CLI::Range(0U, 1024U))
      ->type_name("N")
      ->capture_default_str();
}

void DeviceFlags::add_tuning_to(CLI::App& command) {
  use_tuning_ = true;
  command.add_option("--tuning", tuning_file, "Tuning file of wgk tune, or none")->type_name("FILE");
}

Result<Device> DeviceFlags::open(std::span<const Package> packages) const {
  DeviceOptions options;
  if (use_tuning_) {
    auto tuning = load_tuning(tuning_file);
    if (!tuning) return tuning.error();
    options.tuning = *tuning;
    for (const Package& package : *tuning ? packages : std::span<const Package>()) {
      for (const std::string& remark : (*tuning)->stale(package)) note(remark);
    }
  }
  options.adapter_name = adapter;
  options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_seconds * 1000));
  options.max_call_bytes = max_memory_mib << 20;
  options.cpu_threads = threads;
  options.kind = kind == "gpu"        ? DeviceKind::kGpu
                 : kind == "software" ? DeviceKind::kSoftware
                 : kind == "cpu"      ? DeviceKind::kCpu
                                      : DeviceKind::kAuto;
  auto device = Device::open(options);
  if (device && !device->note().empty()) note(device->note());
  return device;
}

std::string DeviceFlags::tuning_in_use() const {
  if (!use_tuning_) return {};
  const auto tuning = load_tuning(tuning_file);
  return tuning && *tuning ? tuning_path(tuning_file) : std::string();
}

std::string_view kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return "gpu";
    case DeviceKind::kSoftware:
      return "software";
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kAuto:
      break;
  }
  return "auto";
}

std::string device_json(const Device& device) {
  const bool cpu = device.kind() == DeviceKind::kCpu;
  const AdapterInfo& adapter = device.profile().adapter;
  return fmt::format("{{\"kind\":\"{}\",\"name\":{},\"backend\":{}}}", kind_name(device.kind()),
                     json_string(cpu ? "CPU" : adapter.device),
                     json_string(cpu ? "none" : adapter.backend));
}

std::string device_text(const Device& device) {
  if (device.kind() == DeviceKind::kCpu) return "the CPU";
  const AdapterInfo& adapter = device.profile().adapter;
  return fmt::format("{} ({}, {})", adapter.device, kind_name(device.kind()), adapter.backend);
}

}  // namespace wgk::cli
