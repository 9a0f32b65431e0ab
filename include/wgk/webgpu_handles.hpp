// The handles of webgpu.h that this library takes, declared just as there, so that its users need not include it.
#pragma once

extern "C" {
typedef struct WGPUAdapterImpl* WGPUAdapter;
typedef struct WGPUBufferImpl* WGPUBuffer;
typedef struct WGPUCommandEncoderImpl* WGPUCommandEncoder;
typedef struct WGPUComputePassEncoderImpl* WGPUComputePassEncoder;
typedef struct WGPUDeviceImpl* WGPUDevice;
typedef struct WGPUInstanceImpl* WGPUInstance;
}
