// Everything of the library in one include.
#pragma once

#include <wgk/attribute.hpp>
#include <wgk/device.hpp>
#include <wgk/device_profile.hpp>
#include <wgk/kernel.hpp>
#include <wgk/package.hpp>
#include <wgk/plan.hpp>
#include <wgk/request.hpp>
#include <wgk/status.hpp>
#include <wgk/tensor.hpp>
#include <wgk/test_cases.hpp>
#include <wgk/version.hpp>
