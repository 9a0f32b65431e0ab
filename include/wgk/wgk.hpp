// Everything of the library in one include.
#pragma once

#include <wgk/attribute.hpp>
#include <wgk/bench.hpp>
#include <wgk/device.hpp>
#include <wgk/device_profile.hpp>
#include <wgk/gpu_tensor.hpp>
#include <wgk/kernel.hpp>
#include <wgk/limits.hpp>
#include <wgk/onnx_node.hpp>
#include <wgk/pack.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>
#include <wgk/prepared.hpp>
#include <wgk/profile.hpp>
#include <wgk/request.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>
#include <wgk/test_cases.hpp>
#include <wgk/tuning.hpp>
#include <wgk/verify.hpp>
#include <wgk/version.hpp>
