// Features, limits and identity of an adapter, in WebGPU's own names.
#include "gpu/device_facts.h"

#include <algorithm>
#include <cctype>

#include <wgk/limits.hpp>

#include "gpu/error_scope.h"
#include "gpu/procs.h"

namespace wgk::gpu {
namespace {

struct FeatureName {
  WGPUFeatureName value;
  const char* name;
};

// WebGPU specification, "GPUFeatureName".
constexpr FeatureName kFeatures[] = {
    {WGPUFeatureName_CoreFeaturesAndLimits, "core-features-and-limits"},
    {WGPUFeatureName_DepthClipControl, "depth-clip-control"},
    {WGPUFeatureName_Depth32FloatStencil8, "depth32float-stencil8"},
    {WGPUFeatureName_TextureCompressionBC, "texture-compression-bc"},
    {WGPUFeatureName_TextureCompressionBCSliced3D, "texture-compression-bc-sliced-3d"},
    {WGPUFeatureName_TextureCompressionETC2, "texture-compression-etc2"},
    {WGPUFeatureName_TextureCompressionASTC, "texture-compression-astc"},
    {WGPUFeatureName_TextureCompressionASTCSliced3D, "texture-compression-astc-sliced-3d"},
    {WGPUFeatureName_TimestampQuery, "timestamp-query"},
    {WGPUFeatureName_IndirectFirstInstance, "indirect-first-instance"},
    {WGPUFeatureName_ShaderF16, "shader-f16"},
    {WGPUFeatureName_RG11B10UfloatRenderable, "rg11b10ufloat-renderable"},
    {WGPUFeatureName_BGRA8UnormStorage, "bgra8unorm-storage"},
    {WGPUFeatureName_Float32Filterable, "float32-filterable"},
    {WGPUFeatureName_Float32Blendable, "float32-blendable"},
    {WGPUFeatureName_ClipDistances, "clip-distances"},
    {WGPUFeatureName_DualSourceBlending, "dual-source-blending"},
    {WGPUFeatureName_Subgroups, "subgroups"},
    {WGPUFeatureName_TextureFormatsTier1, "texture-formats-tier1"},
    {WGPUFeatureName_TextureFormatsTier2, "texture-formats-tier2"},
    {WGPUFeatureName_PrimitiveIndex, "primitive-index"},
    {WGPUFeatureName_TextureComponentSwizzle, "texture-component-swizzle"},
};

// Features of wgpu-native that serve compute. The others concern drawing, or weaken rules of WebGPU that kernels may
// rely on.
constexpr int kNativeFeatures[] = {
    WGPUNativeFeature_Subgroup,
    WGPUNativeFeature_SubgroupBarrier,
    WGPUNativeFeature_TimestampQueryInsideEncoders,
    WGPUNativeFeature_TimestampQueryInsidePasses,
};

// What naga accepts after `requires` without a word; wgpu-native 29 cannot be asked.
constexpr const char* kLanguageFeatures[] = {
    "packed_4x8_integer_dot_product",
    "pointer_composite_access",
    "readonly_and_readwrite_storage_textures",
};

struct Limit32 {
  const char* name;
  std::uint32_t WGPULimits::*member;
};
struct Limit64 {
  const char* name;
  std::uint64_t WGPULimits::*member;
};

constexpr Limit32 kLimits32[] = {
    {"maxTextureDimension1D", &WGPULimits::maxTextureDimension1D},
    {"maxTextureDimension2D", &WGPULimits::maxTextureDimension2D},
    {"maxTextureDimension3D", &WGPULimits::maxTextureDimension3D},
    {"maxTextureArrayLayers", &WGPULimits::maxTextureArrayLayers},
    {"maxBindGroups", &WGPULimits::maxBindGroups},
    {"maxBindGroupsPlusVertexBuffers", &WGPULimits::maxBindGroupsPlusVertexBuffers},
    {"maxBindingsPerBindGroup", &WGPULimits::maxBindingsPerBindGroup},
    {"maxDynamicUniformBuffersPerPipelineLayout", &WGPULimits::maxDynamicUniformBuffersPerPipelineLayout},
    {"maxDynamicStorageBuffersPerPipelineLayout", &WGPULimits::maxDynamicStorageBuffersPerPipelineLayout},
    {"maxSampledTexturesPerShaderStage", &WGPULimits::maxSampledTexturesPerShaderStage},
    {"maxSamplersPerShaderStage", &WGPULimits::maxSamplersPerShaderStage},
    {"maxStorageBuffersPerShaderStage", &WGPULimits::maxStorageBuffersPerShaderStage},
    {"maxStorageTexturesPerShaderStage", &WGPULimits::maxStorageTexturesPerShaderStage},
    {"maxUniformBuffersPerShaderStage", &WGPULimits::maxUniformBuffersPerShaderStage},
    {"minUniformBufferOffsetAlignment", &WGPULimits::minUniformBufferOffsetAlignment},
    {"minStorageBufferOffsetAlignment", &WGPULimits::minStorageBufferOffsetAlignment},
    {"maxVertexBuffers", &WGPULimits::maxVertexBuffers},
    {"maxVertexAttributes", &WGPULimits::maxVertexAttributes},
    {"maxVertexBufferArrayStride", &WGPULimits::maxVertexBufferArrayStride},
    {"maxInterStageShaderVariables", &WGPULimits::maxInterStageShaderVariables},
    {"maxColorAttachments", &WGPULimits::maxColorAttachments},
    {"maxColorAttachmentBytesPerSample", &WGPULimits::maxColorAttachmentBytesPerSample},
    {"maxComputeWorkgroupStorageSize", &WGPULimits::maxComputeWorkgroupStorageSize},
    {"maxComputeInvocationsPerWorkgroup", &WGPULimits::maxComputeInvocationsPerWorkgroup},
    {"maxComputeWorkgroupSizeX", &WGPULimits::maxComputeWorkgroupSizeX},
    {"maxComputeWorkgroupSizeY", &WGPULimits::maxComputeWorkgroupSizeY},
    {"maxComputeWorkgroupSizeZ", &WGPULimits::maxComputeWorkgroupSizeZ},
    {"maxComputeWorkgroupsPerDimension", &WGPULimits::maxComputeWorkgroupsPerDimension},
    {"maxImmediateSize", &WGPULimits::maxImmediateSize},
};
constexpr Limit64 kLimits64[] = {
    {"maxUniformBufferBindingSize", &WGPULimits::maxUniformBufferBindingSize},
    {"maxStorageBufferBindingSize", &WGPULimits::maxStorageBufferBindingSize},
    {"maxBufferSize", &WGPULimits::maxBufferSize},
};

// Browsers report this value on every device, and kernels are written for it.
constexpr auto kMaxWorkgroupsPerDimension = static_cast<std::uint32_t>(limits::kMaxWorkgroupsPerDimension);

struct VendorName {
  std::uint32_t id;
  const char* name;
};

// PCI vendor ids, and the ids that Khronos gave to vendors without one.
constexpr VendorName kVendors[] = {
    {0x1002, "amd"},       {0x106b, "apple"},   {0x13b5, "arm"},      {0x14e4, "broadcom"},
    {0x1ae0, "google"},    {0x1010, "img-tec"}, {0x8086, "intel"},    {0x10005, "mesa"},
    {0x1414, "microsoft"}, {0x10de, "nvidia"},  {0x5143, "qualcomm"}, {0x144d, "samsung"},
};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  return text;
}

std::string vendor_name(const WGPUAdapterInfo& info) {
  const auto* found = std::find_if(std::begin(kVendors), std::end(kVendors),
                                   [&](const VendorName& vendor) { return vendor.id == info.vendorID; });
  return found != std::end(kVendors) ? found->name : lower_case(from_wgpu(info.vendor));
}

const char* backend_name(WGPUBackendType backend) {
  switch (backend) {
    case WGPUBackendType_Vulkan:
      return "vulkan";
    case WGPUBackendType_Metal:
      return "metal";
    case WGPUBackendType_D3D12:
      return "d3d12";
    case WGPUBackendType_D3D11:
      return "d3d11";
    case WGPUBackendType_OpenGL:
      return "opengl";
    case WGPUBackendType_OpenGLES:
      return "opengles";
    default:
      return "";
  }
}

bool wanted_natively(WGPUFeatureName feature) {
  return std::find(std::begin(kNativeFeatures), std::end(kNativeFeatures), static_cast<int>(feature)) !=
         std::end(kNativeFeatures);
}

bool in_specification(WGPUFeatureName feature) {
  return std::any_of(std::begin(kFeatures), std::end(kFeatures),
                     [&](const FeatureName& known) { return known.value == feature; });
}

}  // namespace

std::set<std::string, std::less<>> feature_names(std::span<const WGPUFeatureName> features) {
  std::set<std::string, std::less<>> names;
  for (const WGPUFeatureName feature : features) {
    for (const FeatureName& known : kFeatures) {
      if (known.value == feature) names.insert(known.name);
    }
    // naga has the functions of the WGSL extension `subgroups` under this native feature (see shader_text.h).
    if (static_cast<int>(feature) == WGPUNativeFeature_Subgroup) names.insert("subgroups");
  }
  return names;
}

std::map<std::string, std::uint64_t, std::less<>> limit_values(const WGPULimits& limits) {
  std::map<std::string, std::uint64_t, std::less<>> values;
  for (const Limit32& limit : kLimits32) {
    if (limits.*limit.member != WGPU_LIMIT_U32_UNDEFINED) values[limit.name] = limits.*limit.member;
  }
  for (const Limit64& limit : kLimits64) {
    if (limits.*limit.member != WGPU_LIMIT_U64_UNDEFINED) values[limit.name] = limits.*limit.member;
  }
  return values;
}

AdapterInfo adapter_info(const WGPUAdapterInfo& info) {
  AdapterInfo result;
  result.vendor = vendor_name(info);
  result.architecture = lower_case(from_wgpu(info.architecture));
  result.device = from_wgpu(info.device);
  result.description = from_wgpu(info.description);
  result.backend = backend_name(info.backendType);
  // wgpu-native leaves both at 0 where it does not know them.
  if (info.subgroupMinSize != 0) result.subgroup_min_size = info.subgroupMinSize;
  if (info.subgroupMaxSize != 0) result.subgroup_max_size = info.subgroupMaxSize;
  result.is_fallback_adapter = info.adapterType == WGPUAdapterType_CPU;
  return result;
}

Result<DeviceProfile> read_device(WGPUDevice device) {
  WGPULimits limits = WGPU_LIMITS_INIT;
  if (procs().wgpuDeviceGetLimits(device, &limits) != WGPUStatus_Success) {
    return device_error("cannot read the limits of the WebGPU device");
  }
  limits.maxComputeWorkgroupsPerDimension =
      std::min(limits.maxComputeWorkgroupsPerDimension, kMaxWorkgroupsPerDimension);
  DeviceProfile profile;
  profile.limits = limit_values(limits);
  WGPUSupportedFeatures features = WGPU_SUPPORTED_FEATURES_INIT;
  procs().wgpuDeviceGetFeatures(device, &features);
  profile.features = feature_names({features.features, features.featureCount});
  procs().wgpuSupportedFeaturesFreeMembers(features);
  profile.wgsl_language_features.insert(std::begin(kLanguageFeatures), std::end(kLanguageFeatures));
  return profile;
}

Result<AdapterFacts> read_adapter(WGPUAdapter adapter) {
  AdapterFacts facts;

  WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
  if (procs().wgpuAdapterGetInfo(adapter, &info) != WGPUStatus_Success) {
    return device_error("cannot read the properties of a WebGPU adapter");
  }
  facts.profile.adapter = adapter_info(info);
  facts.type = info.adapterType;
  procs().wgpuAdapterInfoFreeMembers(info);

  WGPULimits& limits = facts.request_limits;
  if (procs().wgpuAdapterGetLimits(adapter, &limits) != WGPUStatus_Success) {
    return device_error("cannot read the limits of adapter '" + facts.profile.adapter.device + "'");
  }
  limits.nextInChain = nullptr;
  limits.maxComputeWorkgroupsPerDimension =
      std::min(limits.maxComputeWorkgroupsPerDimension, kMaxWorkgroupsPerDimension);
  facts.profile.limits = limit_values(limits);

  WGPUSupportedFeatures features = WGPU_SUPPORTED_FEATURES_INIT;
  procs().wgpuAdapterGetFeatures(adapter, &features);
  const std::span<const WGPUFeatureName> listed(features.features, features.featureCount);
  facts.profile.features = feature_names(listed);
  std::copy_if(listed.begin(), listed.end(), std::back_inserter(facts.request_features),
               [](WGPUFeatureName feature) { return in_specification(feature) || wanted_natively(feature); });
  procs().wgpuSupportedFeaturesFreeMembers(features);

  facts.profile.wgsl_language_features.insert(std::begin(kLanguageFeatures), std::end(kLanguageFeatures));
  return facts;
}

}  // namespace wgk::gpu
