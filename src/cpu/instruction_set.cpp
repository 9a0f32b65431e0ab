// The answer comes through the same dispatch as the kernels, so it cannot differ from what they do.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/instruction_set.cpp"
#include "cpu/instruction_set.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wgk::cpu {
namespace HWY_NAMESPACE {

const char* name_of_target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace wgk::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wgk::cpu {

HWY_EXPORT(name_of_target);

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(name_of_target)(); }

}  // namespace wgk::cpu
#endif
