// What the subcommands of wgk share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <CLI/CLI.hpp>

#include <wgk/device.hpp>
#include <wgk/package.hpp>
#include <wgk/limits.hpp>
#include <wgk/request.hpp>
#include <wgk/status.hpp>

namespace wgk::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitCheckFailed = 1;
inline constexpr int kExitUsage = 2;

/// 1 check, 2 usage, 3 package, 4 request, 5 device.
int exit_code(ErrorCode code);

/// Prints the message on stderr and, with `json`, {"error": {"code", "message"}} on stdout. Returns the exit code.
int report(const Error& error, bool json);

/// Writes to stdout and flushes. Returns false, with a message on stderr, when stdout takes no more (a full disk).
bool write_stdout(std::string_view text);

/// A remark on stderr.
void note(std::string_view text);

/// Prints `text` (a result) on stdout, or puts it into `file` when that is not empty: written beside it and renamed, so
/// that no reader ever sees half a file. Returns the exit code.
int deliver(std::string_view text, const std::string& file, bool json);

/// The check of options that name a file to write: an empty name must not mean standard output.
CLI::Validator file_to_write();

/// Whole contents of a file, or of standard input for "-". Error: kUsage.
Result<std::string> read_text(const std::string& path);

/// Reads a request file, or standard input for "-"; npy paths are relative to the file's folder.
Result<Request> read_request(const std::string& path);

/// "NAME=JSON" of --attr, --arg and --tunable into `target`. Error: kUsage, naming `option`.
Status apply_assignments(const std::vector<std::string>& assignments, std::string_view option, Attributes& target);

/// A string as a JSON string, quotes included; bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);

/// --device, --adapter, --timeout, --max-memory and --threads.
struct DeviceFlags {
  std::string kind = "auto";
  std::string adapter;
  double timeout_seconds = 60;
  std::uint64_t max_memory_mib = limits::kMaxCallBytes >> 20;
  unsigned threads = 0;
  std::string tuning_file;  ///< of --tuning; empty: where tuning_path() says

  void add_to(CLI::App& command);
  /// --tuning, for commands that run calls as an application would.
  void add_tuning_to(CLI::App& command);
  /// Opens the device and prints its note on stderr.
  /// With --tuning, says also what the file knows that these packages do not have.
  Result<Device> open(std::span<const Package> packages = {}) const;
  /// The tuning file that open() gives to the device; empty: none.
  std::string tuning_in_use() const;

 private:
  bool use_tuning_ = false;
};

/// "gpu", "software" or "cpu".
std::string_view kind_name(DeviceKind kind);
/// {"kind": …, "name": …, "backend": …}.
std::string device_json(const Device& device);
/// "NVIDIA H200 (gpu, vulkan)".
std::string device_text(const Device& device);

/// Ends the process with exit code 5 when GPU work does not come back: a shader that loops for ever cannot be
/// interrupted, and would hang the process even at exit.
class Watchdog {
 public:
  Watchdog(double seconds, bool json);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Starts the time anew: for commands that do many pieces of work.
  void restart();
  /// From now on the process may grow by what a shader compiler needs, and by a few times `tensor_bytes`. A shader can
  /// make a compiler take any amount, and nothing but the end of the process stops it.
  void limit_memory(std::uint64_t tensor_bytes);
  /// The work is done. Called before results are printed: a slow reader of stdout is not a hanging device.
  void stop();

 private:
  void wait();

  [[noreturn]] void end_process(const std::string& message) const;

  double seconds_;
  bool json_;
  std::uint64_t most_bytes_ = ~std::uint64_t{0};  ///< of the process
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  unsigned turn_ = 0;
  std::thread thread_;
};

/// Registers a subcommand; its callback puts the exit code into `exit`.
void add_run(CLI::App& app, int& exit);
void add_test(CLI::App& app, int& exit);
void add_explain(CLI::App& app, int& exit);
void add_inspect(CLI::App& app, int& exit);
void add_devices(CLI::App& app, int& exit);
void add_verify(CLI::App& app, int& exit);
void add_pack(CLI::App& app, int& exit);
void add_new(CLI::App& app, int& exit);
void add_onnx_node(CLI::App& app, int& exit);
void add_fetch(CLI::App& app, int& exit);  // these three where there is WGK_WITH_HUB
void add_lock(CLI::App& app, int& exit);
void add_cache(CLI::App& app, int& exit);
void add_bench(CLI::App& app, int& exit);
void add_tune(CLI::App& app, int& exit);

}  // namespace wgk::cli
