// Times calls on the CPU path for bench/cpu/compare.py, which takes turns with another program.
//
// usage: wgk_cpu_bench PACKAGE REQUEST.json THREADS
// Reads commands from stdin and answers each with a line: "reuse N" and "fresh N" run N calls, into memory that is
// there or into new memory, and print their milliseconds; "peak" prints what one call took in KiB beyond its outputs;
// "save FILE" writes the first output of the last call.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <wgk/kernel.hpp>
#include <wgk/request.hpp>

namespace {

double milliseconds(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// A field of /proc/self/status in KiB; 0 where there is none.
long memory_kib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(field + ":", 0) == 0) return std::atol(line.c_str() + field.size() + 1);
  }
  return 0;
}

wgk::Request read_request(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return wgk::request_from_json(text.str(), std::filesystem::path(path).parent_path()).value();
}

class Bench {
 public:
  Bench(wgk::Kernel kernel, wgk::Request request) : kernel_(std::move(kernel)), request_(std::move(request)) {}

  std::string answer(const std::string& command) {
    std::istringstream words(command);
    std::string name, argument;
    words >> name >> argument;
    if (name == "reuse" || name == "fresh") return times(name == "fresh", std::atoi(argument.c_str()));
    if (name == "peak") return std::to_string(peak_kib());
    if (name == "save") return save(argument);
    return "unknown command";
  }

 private:
  std::string times(bool fresh, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const double ms = milliseconds([&] {
        if (fresh) {
          result_ = kernel_.run(request_.inputs, request_.options).value();
        } else {
          kernel_.run_into(request_.inputs, result_, request_.options).check();
        }
      });
      text += (i == 0 ? "" : " ") + std::to_string(ms);
    }
    return text;
  }

  long peak_kib() {
    result_ = {};
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak is that from here on
    const long before = memory_kib("VmRSS");
    result_ = kernel_.run(request_.inputs, request_.options).value();
    long outputs = 0;
    for (const auto& output : result_.outputs) outputs += static_cast<long>(output.second.data.size() >> 10);
    return memory_kib("VmHWM") - before - outputs;
  }

  std::string save(const std::string& file) {
    const auto& data = result_.outputs.at(0).second.data;
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    return out ? "saved" : "cannot write";
  }

  wgk::Kernel kernel_;
  wgk::Request request_;
  wgk::RunResult result_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: wgk_cpu_bench PACKAGE REQUEST.json THREADS\n");
    return 2;
  }
  try {
    wgk::DeviceOptions options;
    options.kind = wgk::DeviceKind::kCpu;
    options.cpu_threads = static_cast<unsigned>(std::atoi(argv[3]));
    Bench bench(wgk::Kernel(wgk::Device::open(options).value(), wgk::Package::load(argv[1]).value()),
                read_request(argv[2]));
    for (std::string line; std::getline(std::cin, line);) std::cout << bench.answer(line) << std::endl;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "wgk_cpu_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
