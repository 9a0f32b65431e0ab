// Prepared and bound calls on the software adapter.
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/allocation_count.h"
#include "runtime/engine_support.h"
#include "runtime/prepared_impl.h"

namespace wgk::test {
namespace {

class Engine : public ::testing::Test {
 protected:
  void SetUp() override { WGK_NEEDS_SOFTWARE_DEVICE(); }
  const Device& device() const { return *software_device(); }
};

std::string message_of(const Result<Bound>& result) { return result.ok() ? "(no error)" : result.error().message; }

/// One token of one head of eight elements, for a cache of 16 rows.
struct RopeCall {
  HostTensor x = floats({1, 1, 1, 8}, {});
  HostTensor cos = floats({16, 4}, {});
  HostTensor sin = floats({16, 4}, {});
  HostTensor positions = HostTensor::from<std::int64_t>({1, 1}, {0});

  /// Values that differ from call to call; none of them special.
  static RopeCall number(int n) {
    RopeCall call;
    std::vector<float> x;
    std::vector<float> cos;
    std::vector<float> sin;
    for (int i = 0; i < 8; ++i) x.push_back(static_cast<float>((n * 37 + i * 101) % 1009) / 97.0F - 5.0F);
    for (int i = 0; i < 64; ++i) {
      cos.push_back(static_cast<float>((i * 29) % 61) / 61.0F);
      sin.push_back(static_cast<float>((i * 43) % 53) / -53.0F);
    }
    call.x = floats({1, 1, 1, 8}, x);
    call.cos = floats({16, 4}, cos);
    call.sin = floats({16, 4}, sin);
    call.positions = HostTensor::from<std::int64_t>({1, 1}, {n % 16});
    return call;
  }
  TensorMap inputs() const { return {{"x", x}, {"cos", cos}, {"sin", sin}, {"positionIds", positions}}; }
  CallSpec spec() const {
    return {.inputs = {
                {"x", spec_of(x)}, {"cos", spec_of(cos)}, {"sin", spec_of(sin)}, {"positionIds", spec_of(positions)}}};
  }
};

TEST_F(Engine, AThousandEncodedCallsEqualAThousandRuns) {
  constexpr int kCalls = 1000;
  const Kernel kernel(device(), rope_package());
  const RopeCall first = RopeCall::number(0);
  auto prepared = kernel.prepare(first.spec());
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  const GpuTensor cos = upload(device(), first.cos);
  const GpuTensor sin = upload(device(), first.sin);

  std::vector<GpuTensor> inputs;
  std::vector<GpuTensor> outputs;
  std::vector<Bound> calls;
  for (int n = 0; n < kCalls; ++n) {
    const RopeCall call = RopeCall::number(n);
    inputs.push_back(upload(device(), call.x));
    inputs.push_back(prepared->upload("positionIds", call.positions).value());
    outputs.push_back(prepared->create_tensor("y").value());
    calls.push_back(prepared
                        ->bind({{"x", inputs[inputs.size() - 2]},
                                {"cos", cos},
                                {"sin", sin},
                                {"positionIds", inputs.back()},
                                {"y", outputs.back()}})
                        .value());
  }
  submit_pass(device(), [&](WGPUComputePassEncoder pass) {
    for (const Bound& call : calls) call.encode(pass);
  });
  for (int n = 0; n < kCalls; ++n) {
    const auto encoded = outputs[static_cast<std::size_t>(n)].download();
    const auto run = kernel.run(RopeCall::number(n).inputs());
    ASSERT_TRUE(encoded.ok() && run.ok());
    ASSERT_EQ(*encoded, (*run)["y"]) << "call " << n;
  }
}

TEST_F(Engine, RecordingAllocatesNothing) {
  const Kernel kernel = double_kernel(device());
  auto prepared = kernel.prepare({.inputs = {{"x", {DType::kFloat32, {64}}}}}).value();
  const GpuTensor x = prepared.create_tensor("x").value();
  const GpuTensor y = prepared.create_tensor("y").value();
  const Bound bound = prepared.bind({{"x", x}, {"y", y}}).value();
  std::size_t allocated = 0;
  submit_pass(device(), [&](WGPUComputePassEncoder pass) {
    const std::size_t before = allocation_count();
    for (int i = 0; i < 100; ++i) bound.encode(pass);
    allocated = allocation_count() - before;
  });
  EXPECT_EQ(allocated, 0U);
  EXPECT_EQ(bound.dispatch_count(), 1U);
}

TEST_F(Engine, ChainedCallsSeeEachOthersResults) {
  const Kernel kernel = double_kernel(device());
  auto prepared = kernel.prepare({.inputs = {{"x", {DType::kInt32, {3}}}}}).value();
  std::vector<GpuTensor> tensors;
  tensors.push_back(prepared.upload("x", HostTensor::from<std::int32_t>({3}, {1, -2, 5})).value());
  std::vector<Bound> calls;
  for (int i = 0; i < 10; ++i) {
    tensors.push_back(prepared.create_tensor("y").value());
    calls.push_back(prepared.bind({{"x", tensors[tensors.size() - 2]}, {"y", tensors.back()}}).value());
  }
  submit_pass(device(), [&](WGPUComputePassEncoder pass) {
    for (const Bound& call : calls) call.encode(pass);
  });
  EXPECT_EQ(tensors.back().download().value(), HostTensor::from<std::int32_t>({3}, {1024, -2048, 5120}));
}

TEST_F(Engine, RunOnGpuTensorsChainsWithoutReadBack) {
  const Kernel kernel = double_kernel(device());
  const GpuTensor x = upload(device(), floats({2}, {1.5F, -3}));
  auto first = kernel.run(GpuTensors{{"x", x}});
  ASSERT_TRUE(first.ok()) << first.error().message;
  ASSERT_EQ(first->outputs.size(), 1U);
  EXPECT_EQ(first->outputs[0].first, "y");
  EXPECT_EQ(first->variant, "only");
  EXPECT_TRUE(first->dispatched);
  const GpuTensor second = GpuTensor::create(device(), DType::kFloat32, {2}).value();
  // "X" and "Y" are the names in ONNX.
  const auto chained = kernel.run(GpuTensors{{"X", first->outputs[0].second}, {"Y", second}});
  ASSERT_TRUE(chained.ok()) << chained.error().message;
  EXPECT_TRUE(chained->outputs.empty());
  EXPECT_EQ(second.download().value(), floats({2}, {6, -12}));
}

TEST_F(Engine, EmptyTensorsNeedNoDispatch) {
  const Kernel kernel = double_kernel(device());
  const GpuTensor x = GpuTensor::create(device(), DType::kFloat32, {0, 4}).value();
  const auto result = kernel.run(GpuTensors{{"x", x}});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(result->dispatched);
  EXPECT_EQ(result->outputs.at(0).second.download().value(), (HostTensor{DType::kFloat32, {0, 4}, {}}));
}

TEST_F(Engine, ScratchIsClearedForEveryCall) {
  const Kernel kernel(device(), package_of(accumulate_files(), "accumulate"));
  auto prepared = kernel.prepare({.inputs = {{"x", {DType::kFloat32, {1000}}}}});
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  const GpuTensor x = upload(device(), floats({1000}, std::vector<float>(1000, 3)));
  const GpuTensor y = prepared->create_tensor("y").value();
  const Bound bound = prepared->bind({{"x", x}, {"y", y}}).value();
  submit_pass(device(), [&](WGPUComputePassEncoder pass) {
    for (int i = 0; i < 5; ++i) bound.encode(pass);
  });
  EXPECT_EQ(y.download().value(), floats({1000}, std::vector<float>(1000, 3)));
}

TEST_F(Engine, ATensorChangedInPlaceIsBoundOnce) {
  const Kernel kernel(device(), package_of(in_place_files(), "increment"));
  auto prepared = kernel.prepare({.inputs = {{"x", {DType::kFloat32, {3}}}}});
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  const GpuTensor x = upload(device(), floats({3}, {1, 2, 3}));
  const Bound bound = prepared->bind({{"x", x}}).value();
  submit_pass(device(), [&](WGPUComputePassEncoder pass) {
    bound.encode(pass);
    bound.encode(pass);
  });
  EXPECT_EQ(x.download().value(), floats({3}, {3, 4, 5}));
  const auto run = kernel.run(GpuTensors{{"x", x}});
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_TRUE(run->outputs.empty());
  EXPECT_EQ(x.download().value(), floats({3}, {4, 5, 6}));
}

TEST_F(Engine, AliasingIsRefusedWithBothNames) {
  const Kernel kernel = double_kernel(device());
  auto prepared = kernel.prepare({.inputs = {{"x", {DType::kFloat32, {64}}}}}).value();
  const GpuTensor x = prepared.create_tensor("x").value();
  const std::string message = message_of(prepared.bind({{"x", x}, {"y", x}}));
  EXPECT_NE(message.find("aliasing"), std::string::npos) << message;
  EXPECT_NE(message.find("\"x\""), std::string::npos) << message;
  EXPECT_NE(message.find("\"y\""), std::string::npos) << message;
  EXPECT_FALSE(kernel.run(GpuTensors{{"x", x}, {"y", x}}).ok());
}

TEST_F(Engine, BindRefusesWhatDoesNotFit) {
  const Kernel kernel = double_kernel(device());
  auto prepared = kernel.prepare({.inputs = {{"x", {DType::kFloat32, {64}}}}}).value();
  const GpuTensor x = prepared.create_tensor("x").value();
  const GpuTensor y = prepared.create_tensor("y").value();
  const GpuTensor small = GpuTensor::create(device(), DType::kFloat32, {63}).value();
  const auto with = [&](auto change) {
    GpuView view = x.view();
    change(view);
    return GpuTensors{{"x", view}, {"y", y}};
  };
  struct Row {
    const char* what;
    GpuTensors tensors;
    const char* message;
  };
  const Row rows[] = {
      {"missing", {{"y", y}}, "test.Double: x: no buffer is bound"},
      {"twice", {{"x", x}, {"X", x}, {"y", y}}, "test.Double: x: bound twice"},
      {"unknown", {{"x", x}, {"y", y}, {"z", x}}, "test.Double: z: the call was prepared without this tensor"},
      {"shape", {{"x", small}, {"y", y}}, "x: float32 [63] is bound, but the call was prepared for float32 [64]"},
      {"dtype", with([](GpuView& view) { view.dtype = DType::kInt32; }), "x: int32 [64] is bound"},
      {"size", with([](GpuView& view) { view.size = 252; }), "x: 252 bytes are bound, but float32 [64] needs 256"},
      {"outside", with([](GpuView& view) { view.offset = 512; }), "x: bytes 512 to 768 lie outside the buffer"},
      {"overflow", with([](GpuView& view) {
         view.offset = 256;
         view.size = ~std::uint64_t{0};
       }),
       "lie outside"},
      {"offset", with([](GpuView& view) {
         view.offset = 4;
         view.size = 0;
       }),
       "x: "},
  };
  for (const Row& row : rows) {
    const auto bound = prepared.bind(row.tensors);
    ASSERT_FALSE(bound.ok()) << row.what;
    EXPECT_EQ(bound.error().code, ErrorCode::kRequest) << row.what;
    EXPECT_NE(bound.error().message.find(row.message), std::string::npos) << bound.error().message;
  }
}

TEST_F(Engine, OffsetsFollowTheLimitOfTheDevice) {
  const std::uint64_t alignment = device().profile().limit("minStorageBufferOffsetAlignment");
  ASSERT_GT(alignment, 4U);
  const Kernel kernel = double_kernel(device());
  auto prepared = kernel.prepare({.inputs = {{"x", {DType::kFloat32, {2}}}}}).value();
  const auto floats_per_step = static_cast<std::int64_t>(alignment / 4);
  std::vector<float> values(static_cast<std::size_t>(floats_per_step) + 2, 0.5F);
  values[static_cast<std::size_t>(floats_per_step)] = 7;
  const GpuTensor big = upload(device(), floats({floats_per_step + 2}, values));
  const GpuTensor y = prepared.create_tensor("y").value();
  GpuView view{big.buffer(), DType::kFloat32, {2}, alignment, 0};
  const Bound bound = prepared.bind({{"x", view}, {"y", y}}).value();
  ASSERT_TRUE(bound.submit().ok());
  EXPECT_EQ(y.download().value(), floats({2}, {14, 1}));

  view.offset = alignment - 4;
  view.size = 8;
  const std::string message = message_of(prepared.bind({{"x", view}, {"y", y}}));
  EXPECT_NE(message.find("minStorageBufferOffsetAlignment"), std::string::npos) << message;
  const auto run = kernel.run(GpuTensors{{"x", view}, {"y", y}});
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().message.find("minStorageBufferOffsetAlignment"), std::string::npos) << run.error().message;
}

TEST(Offsets, AVariantThatReadsNarrowerElementsSteps) {
  const Package package = package_of(two_width_files(), "copy");
  DeviceProfile profile = DeviceProfile::webgpu_defaults();
  profile.limits["minStorageBufferOffsetAlignment"] = 4;
  PlanRequest request;
  request.inputs["x"] = {DType::kFloat32, {16}};
  const auto variant = [&](const runtime::Offsets& offsets) {
    const auto plan = runtime::plan_for_offsets(package, request, profile, offsets);
    return plan.ok() ? plan->variant : plan.error().message;
  };
  EXPECT_EQ(variant({}), "wide");
  EXPECT_EQ(variant({{"x", 32}, {"y", 16}}), "wide");
  EXPECT_EQ(variant({{"x", 4}}), "narrow");
  EXPECT_EQ(variant({{"y", 12}}), "narrow");
  EXPECT_NE(variant({{"x", 2}}).find("must be a multiple of 4, the limit minStorageBufferOffsetAlignment"),
            std::string::npos);
  request.variant = "wide";
  EXPECT_NE(variant({{"x", 4}}).find("must be a multiple of 16, the size of vec4<f32> that variant 'wide' reads"),
            std::string::npos);
}

TEST_F(Engine, TheContractIsCheckedBeforeAnythingIsMade) {
  const Kernel kernel(device(), rope_package());
  CallSpec spec = RopeCall::number(0).spec();
  spec.inputs["cos"].shape = {16, 3};
  spec.inputs["sin"].shape = {16, 3};
  const auto prepared = kernel.prepare(spec);
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().code, ErrorCode::kRequest);
  EXPECT_EQ(prepared.error().message.rfind("ai.onnx.RotaryEmbedding: cos: width 3", 0), 0U) << prepared.error().message;
}

TEST_F(Engine, AShaderErrorIsThatOfTheCall) {
  Files files = double_package_files();
  files["double.wgsl.jinja"] += "\nfn broken( {";
  const Kernel broken(device(), package_of(files, "double"));
  const CallSpec spec{.inputs = {{"x", {DType::kFloat32, {4}}}}};
  const CallSpec other{.inputs = {{"x", {DType::kInt32, {4}}}}};
  const auto prepared = broken.prepare(spec);
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().code, ErrorCode::kDevice);
  EXPECT_EQ(prepared.error().message.rfind("test.Double: variant 'only', pass 'main': shader does not compile", 0), 0U)
      << prepared.error().message;
  const std::vector<CallSpec> both{spec, other};
  EXPECT_EQ(broken.prepare_many(both).error().message, prepared.error().message);
  auto later = broken.prepare_async(spec);
  EXPECT_EQ(later.get().error().message, prepared.error().message);
  EXPECT_TRUE(double_kernel(device()).prepare(spec).ok()) << "the device stays usable";
}

TEST_F(Engine, PreparesOnAnotherThread) {
  const Kernel kernel = double_kernel(device());
  PreparedFuture future = kernel.prepare_async({.inputs = {{"x", {DType::kFloat32, {5}}}}});
  auto prepared = future.get(std::chrono::seconds(60));
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  EXPECT_TRUE(future.ready());
  EXPECT_EQ(prepared->plan().variant, "only");
  EXPECT_EQ(future.get().error().code, ErrorCode::kUsage) << "it can be taken once";
}

TEST_F(Engine, PreparesManyAtOnce) {
  const Kernel kernel(device(), rope_package());
  std::vector<CallSpec> specs;
  for (int interleaved = 0; interleaved < 2; ++interleaved) {
    for (std::int64_t size = 4; size <= 12; size += 2) {
      CallSpec spec = RopeCall::number(0).spec();
      spec.inputs["x"].shape = {1, 1, 1, size};
      spec.inputs["cos"].shape = {16, size / 2};
      spec.inputs["sin"].shape = {16, size / 2};
      spec.attrs = {{"interleaved", interleaved}};
      specs.push_back(spec);
    }
  }
  const auto prepared = kernel.prepare_many(specs);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  ASSERT_EQ(prepared->size(), specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ((*prepared)[i].plan().tensors.at(0).shape, specs[i].inputs["x"].shape);
  }
}

TEST_F(Engine, DownloadsAndCopies) {
  const HostTensor values = floats({3}, {1, 2, 3});
  const GpuTensor a = upload(device(), values);
  GpuTensor b = GpuTensor::create(device(), DType::kFloat32, {3}).value();
  EXPECT_EQ(b.download().value(), floats({3}, {0, 0, 0})) << "a new tensor is zero";
  ASSERT_TRUE(b.copy_from(a).ok());
  Download download = b.download_async().value();
  const auto start = std::chrono::steady_clock::now();
  while (!download.ready() && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(download.ready());
  EXPECT_EQ(download.get().value(), values);
  EXPECT_EQ(download.get().error().code, ErrorCode::kUsage);
  EXPECT_FALSE(b.write(floats({4}, {1, 2, 3, 4})).ok());
  EXPECT_FALSE(b.write(HostTensor::from<std::int32_t>({3}, {1, 2, 3})).ok());
  EXPECT_FALSE(b.copy_from(GpuTensor::create(device(), DType::kFloat32, {4}).value()).ok());

  const HostTensor positions = HostTensor::from<std::int64_t>({2}, {0, 4294967295});
  EXPECT_EQ(upload(device(), positions).download().value(), positions);
  EXPECT_FALSE(GpuTensor::upload(device(), HostTensor::from<std::int64_t>({1}, {-1})).ok());
  const HostTensor halves{DType::kFloat16, {3}, std::vector<std::byte>(6, std::byte{0x3c})};
  EXPECT_EQ(upload(device(), halves).download().value(), halves) << "an odd number of halves";
  const HostTensor bytes = HostTensor::from<std::int8_t>({3}, {-1, 0, 127});
  EXPECT_EQ(upload(device(), bytes).download().value(), bytes);
}

TEST_F(Engine, TensorsNeedADevice) {
  const Device cpu = Device::open({.kind = DeviceKind::kCpu}).value();
  EXPECT_EQ(GpuTensor::create(cpu, DType::kFloat32, {1}).error().code, ErrorCode::kDevice);
  EXPECT_EQ(double_kernel(cpu).prepare({.inputs = {{"x", {DType::kFloat32, {1}}}}}).error().code, ErrorCode::kDevice);
  EXPECT_EQ(GpuTensor::create(device(), DType::kFloat32, {-1}).error().code, ErrorCode::kRequest);
  EXPECT_EQ(GpuTensor::create(device(), DType::kFloat32, {std::int64_t{1} << 45}).error().code, ErrorCode::kRequest);
}

TEST_F(Engine, CallsAreTimed) {
  auto profile = Profile::create(device(), 3);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  const Kernel kernel = double_kernel(device());
  const GpuTensor x = upload(device(), floats({4}, {1, 2, 3, 4}));
  const GpuTensor y = GpuTensor::create(device(), DType::kFloat32, {4}).value();
  EXPECT_TRUE(profile->resolve().value().empty());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(kernel.run(GpuTensors{{"x", x}, {"y", y}}, {.profile = &*profile}).ok());
  }
  const auto times = profile->resolve();
  ASSERT_TRUE(times.ok()) << times.error().message;
  ASSERT_EQ(times->size(), 3U);
  EXPECT_EQ(profile->dropped(), 1U);
  for (const CallTime& time : *times) {
    EXPECT_EQ(time.op, "test.Double");
    EXPECT_EQ(time.variant, "only");
    EXPECT_GE(time.nanoseconds, 0);
    EXPECT_LT(time.nanoseconds, 60e9);
  }
  profile->reset();
  EXPECT_EQ(profile->dropped(), 0U);
  EXPECT_TRUE(profile->resolve().value().empty());
}

TEST_F(Engine, NothingGrowsOverTenThousandCalls) {
  const Kernel kernel(device(), package_of(accumulate_files(), "accumulate"));
  const GpuTensor x = upload(device(), floats({64}, std::vector<float>(64, 1)));
  const GpuTensor y = GpuTensor::create(device(), DType::kFloat32, {64}).value();
  const auto live = [&] {
    WGPUGlobalReport report{};
    wgpuGenerateReport(device().webgpu_instance(), &report);
    return std::vector<std::size_t>{report.hub.buffers.numKeptFromUser, report.hub.bindGroups.numKeptFromUser,
                                    report.hub.computePipelines.numKeptFromUser,
                                    report.hub.commandBuffers.numKeptFromUser,
                                    report.hub.shaderModules.numKeptFromUser};
  };
  const auto calls = [&](int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(kernel.run(GpuTensors{{"x", x}, {"y", y}}).ok());
      if (i % 100 == 99) {
        ASSERT_TRUE(y.download().ok());
      }
      if (i % 100 == 50) {
        ASSERT_TRUE(kernel.run(GpuTensors{{"x", x}}).ok()) << "an output of its own";
      }
    }
  };
  calls(200);
  const std::vector<std::size_t> before = live();
  calls(10000);
  EXPECT_EQ(live(), before);
  kernel.clear_cache();
  EXPECT_LT(live()[1], before[1]) << "bind groups go with the cache";
}

}  // namespace
}  // namespace wgk::test
