#!/bin/sh
# Builds the consumer with what pkg-config says. usage: build.sh COMPILER PREFIX LIBDIR SOURCE OUTPUT
set -eu
PKG_CONFIG_PATH="$2/$3/pkgconfig"
export PKG_CONFIG_PATH
# Word splitting of the flags is wanted.
# shellcheck disable=SC2046
"$1" -std=c++20 $(pkg-config --cflags wgk) "$4" -o "$5" $(pkg-config --libs wgk) "-Wl,-rpath,$2/$3"
