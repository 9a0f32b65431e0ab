// Indices far outside a binding reach nothing of another buffer, read or write.
#include <algorithm>
#include <array>
#include <string>

#include "gpu/call_buffers.h"
#include "gpu/plans.h"
#include "gpu/transfer.h"

namespace wgk::gpu::testing {
namespace {

constexpr WGPUBufferUsage kUsage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;
constexpr std::uint32_t kSecret = 0x5EC2E75Eu;
constexpr std::uint32_t kOwn = 7;
constexpr std::size_t kSecretWords = 4096;
constexpr std::size_t kResults = 4096;

/// Buffers of other calls, made before and after those of the call so that they lie on both sides of it.
class Bounds : public GpuTest {
 protected:
  void add_secrets() {
    for (int i = 0; i < 16; ++i) {
      auto buffer = create_buffer(device->context(), "secret", kSecretWords * 4, kUsage);
      ASSERT_TRUE(buffer.ok()) << buffer.error().message;
      const auto bytes = bytes_of(std::vector<std::uint32_t>(kSecretWords, kSecret));
      ASSERT_TRUE(write_buffer(device->context(), buffer->get(), 0, bytes, "secret").ok());
      secrets_.push_back(*std::move(buffer));
    }
  }

  void expect_secrets_untouched() {
    for (const Buffer& secret : secrets_) {
      auto pending = PendingRead::start(device, secret.get(), 0, kSecretWords * 4);
      ASSERT_TRUE(pending.ok()) << pending.error().message;
      const auto bytes = pending->get(std::chrono::seconds(60));
      ASSERT_TRUE(bytes.ok()) << bytes.error().message;
      const auto words = values_of<std::uint32_t>(*bytes);
      EXPECT_EQ(std::count(words.begin(), words.end(), kSecret), static_cast<std::ptrdiff_t>(words.size()));
    }
  }

  /// Runs `body` for i in [0, kResults) on x of four words and y of kResults words, twice, and returns y.
  std::vector<std::uint32_t> run_body(const std::string& body, const char* element = "u32") {
    const std::string wgsl = std::string("@group(0) @binding(0) var<storage, read> x: array<") + element +
                             ">;\n@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                             "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
                             "  let i = id.x;\n" +
                             body + "\n}";
    const Plan plan = plan_of({input("x", 16), output("y", kResults * 4)},
                              {pass("main", wgsl, {read(0, 16), write(1, kResults * 4)}, {kResults / 64, 1, 1})});
    add_secrets();
    std::vector<std::uint32_t> words;
    for (int times = 0; times < 2; ++times) {
      const auto result = run(*device, plan, {bytes_of(std::vector<std::uint32_t>(4, kOwn))});
      if (!result.ok()) {
        ADD_FAILURE() << result.error().message;
        return {};
      }
      words = values_of<std::uint32_t>((*result)[0]);
      add_secrets();
    }
    return words;
  }

  std::vector<Buffer> secrets_;
};

TEST_F(Bounds, ReadsReturnNothingOfAnotherBuffer) {
  // Just outside, a page outside, and far outside on both sides of the buffer.
  const std::pair<const char*, const char*> reads[] = {
      {"y[i] = x[i];", "u32"},
      {"y[i] = x[4u + i * 1024u];", "u32"},
      {"y[i] = x[i * 1048583u];", "u32"},
      {"y[i] = x[0u - i * 16u];", "u32"},
      {"let k = i32(i) * -64; y[i] = x[k];", "u32"},
      {"y[i] = x[4294967295u - i];", "u32"},
      {"y[i] = x[i].w;", "vec4<u32>"},
      {"y[i] = x[i * 65536u][i];", "vec4<u32>"},
  };
  for (const auto& [body, element] : reads) {
    SCOPED_TRACE(body);
    const auto words = run_body(body, element);
    ASSERT_EQ(words.size(), kResults);
    // What WebGPU allows: zero, or a value of the binding itself.
    EXPECT_TRUE(std::all_of(words.begin(), words.end(), [](std::uint32_t word) { return word == 0 || word == kOwn; }));
  }
}

TEST_F(Bounds, WritesReachNoOtherBuffer) {
  for (const char* body : {"y[4096u + i * 1024u] = 666u;", "y[i * 1048583u + 4096u] = 666u;", "y[0u - 1u - i] = 666u;",
                           "let k = -1 - i32(i) * 64; y[k] = 666u;"}) {
    SCOPED_TRACE(body);
    ASSERT_EQ(run_body(body).size(), kResults);
    expect_secrets_untouched();
  }
}

TEST_F(Bounds, LengthIsThatOfTheBinding) {
  const auto words = run_body("y[i] = arrayLength(&x);");
  EXPECT_EQ(words, std::vector<std::uint32_t>(kResults, 4));
}

TEST_F(Bounds, NewOutputsHoldZeros) {
  // Nothing is written, and the memory of the sixteen buffers before it is free again.
  add_secrets();
  secrets_.clear();
  const auto words = run_body("if (i == kNever()) { y[0] = x[0]; }\n}\nfn kNever() -> u32 { return 4294967295u;");
  EXPECT_EQ(words, std::vector<std::uint32_t>(kResults, 0));
}

}  // namespace
}  // namespace wgk::gpu::testing
