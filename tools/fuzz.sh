#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds, as many at a time as there are processors (JOBS changes that).
# What they learn goes to build/fuzz/corpus; the corpora of the repository are only read. Ends with a line of figures per
# target, and with 1 when a target found something (its input is in build/fuzz/artifacts).
#
# usage: tools/fuzz.sh [seconds, default 60] [targets, default all]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
shift || true
build=build/fuzz
# The copy of the WebGPU library that another build has downloaded will do.
known=$(find build -maxdepth 3 -path "*/webgpu/root" 2>/dev/null | head -1)
cmake --preset fuzz ${known:+-DWGK_WEBGPU_ROOT="$PWD/$known"} >/dev/null
cmake --build --preset fuzz --target fuzzers

mkdir -p "$build/artifacts"
if [ $# -gt 0 ]; then targets=("$@"); else
  targets=()
  for source in fuzz/*_fuzz.cpp; do targets+=("$(basename "$source" _fuzz.cpp)"); done
fi

# One target; its log is judged at the end, so a finding does not keep the others from running.
run_target() {
  local target=$1 dictionary=
  case $target in
    expression | template) dictionary=jinja ;;
    manifest_v1 | manifest_v2) dictionary=manifest ;;
    json | metadata | test_file | request) dictionary=json ;;
    npy) dictionary=npy ;;
  esac
  mkdir -p "$build/corpus/$target"
  "$build/${target}_fuzz" "$build/corpus/$target" "fuzz/corpus/$target" \
    ${dictionary:+-dict="fuzz/dictionaries/$dictionary.dict"} -max_total_time="$seconds" -max_len=16384 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$build/artifacts/$target-" \
    >"$build/$target.log" 2>&1 || echo "finding" >>"$build/$target.log"
}
export -f run_target
export build seconds
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_target {}'

status=0
for target in "${targets[@]}"; do
  log="$build/$target.log"
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
  verdict="no finding"
  if [ "$(tail -1 "$log")" = finding ]; then
    verdict="FINDING, see $log"
    status=1
  fi
  echo "fuzz $target: ${executions:-0} executions in $seconds s, coverage ${coverage:-0}, $verdict"
done
exit $status
