#!/usr/bin/env bash
# What CI does beyond the tests: clang-tidy over the files that see strangers' bytes first, and every fuzz target for a
# minute. Installs clang where it is missing; a machine that cannot have it says so and goes on.
#
# usage: tools/analyse.sh [seconds per fuzz target, default 60]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Clang comes with or without the runtime of its sanitizers.
can_fuzz() {
  command -v clang-tidy >/dev/null && command -v clang++ >/dev/null &&
    printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address,undefined -o /dev/null - 2>/dev/null
}

if ! can_fuzz; then
  packages="clang clang-tidy"
  if apt-cache show libclang-rt-dev >/dev/null 2>&1; then packages="$packages libclang-rt-dev"; fi
  sudo=""
  if [ "$(id -u)" -ne 0 ]; then sudo=sudo; fi
  # shellcheck disable=SC2086 # a list of words
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages || true
fi
if ! can_fuzz; then
  echo "analyse.sh: clang, clang-tidy or clang's sanitizer runtime is missing; nothing was analysed" >&2
  exit 0
fi
./tools/tidy.sh
# All at the same time: on two processors, one after the other would take ten minutes.
JOBS=64 ./tools/fuzz.sh "${1:-60}"
