// Running something once on every instruction set that was compiled and that this machine has.
#pragma once

#include <hwy/highway.h>
#include <string>

#include <gtest/gtest.h>

#include "cpu/instruction_set.h"

namespace wgk::cpu::testing {

inline void use_only(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);  // 0: all that the machine has
  hwy::GetChosenTarget().DeInit();          // the next dispatch chooses again
}

/// Calls body() under each, with a trace of its name, and fails when dispatch does not go there.
template <typename Body>
void on_every_instruction_set(const Body& body) {
  int count = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    use_only(target);
    EXPECT_STREQ(instruction_set(), hwy::TargetName(target));
    body();
    ++count;
    use_only(0);
  }
  EXPECT_GE(count, HWY_ARCH_X86 ? 2 : 1) << "x86 has a baseline and at least SSSE3";
}

}  // namespace wgk::cpu::testing
