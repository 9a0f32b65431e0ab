#!/usr/bin/env bash
# Sets up, builds, and runs the main job on a real request: a rotary embedding computed by a WGSL kernel that is
# selected, rendered and dispatched from its package. Arguments go to `wgk run`, for example: --device software --json
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
./tools/setup.sh
cmake --preset default
cmake --build --preset default --target wgk_cli
exec ./build/default/wgk run ai.onnx.RotaryEmbedding --request examples/rope.json "$@"
