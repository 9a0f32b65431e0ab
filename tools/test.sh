#!/usr/bin/env bash
# Sets up, builds, and runs all tests on the software adapter.
#
# usage: tools/test.sh [--asan] [ctest arguments…]     --asan: AddressSanitizer and UndefinedBehaviorSanitizer build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=default
if [ "${1:-}" = --asan ]; then
  preset=asan
  shift
fi
./tools/setup.sh --crosscheck
cmake --preset "$preset"
cmake --build --preset "$preset"
# WGK_ANALYSE=1: clang-tidy and a minute of every fuzz target before the tests.
if [ -n "${WGK_ANALYSE:-}" ] && [ "$preset" = default ]; then
  ./tools/analyse.sh
fi
# The set-up installs the software adapter, so a test that finds none must fail, not skip.
export WGK_REQUIRE_ADAPTER=1
exec ctest --preset "$preset" --parallel "$(nproc)" "$@"
