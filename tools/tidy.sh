#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy. Without arguments: the files that see bytes of strangers first, which takes
# minutes; --all: src and cli, which takes most of an hour on two processors.
#
# usage: tools/tidy.sh [--all | files…]     BUILD: the build folder whose compile_commands.json is used (build/default)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${BUILD:-build/default}
exposed=(
  src/base/{excerpt,json,sha256,storage,visible}.cpp
  src/jinja/{expression_parser,include,lexer,template_parser,text}.cpp
  src/package/{identifiers,metadata,read_contained,sources}.cpp
  src/gpu/{plan_check,shader_guard,shader_text}.cpp
  src/runtime/{npy,request}.cpp
)
case ${1:-} in
  "") files=("${exposed[@]}") ;;
  --all) mapfile -t files < <(find src cli -name '*.cpp' | sort) ;;
  *) files=("$@") ;;
esac
[ -f "$build/compile_commands.json" ] || { echo "tidy: $build is not configured (cmake --preset default)" >&2; exit 2; }
start=$SECONDS
# GCC's options are not all known to clang.
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 2 clang-tidy -p "$build" --quiet \
  --extra-arg=-Wno-unknown-warning-option 2>&1 | { grep -v ' warnings generated\.$' || true; }
echo "tidy: ${#files[@]} files, no finding, $((SECONDS - start)) s"
