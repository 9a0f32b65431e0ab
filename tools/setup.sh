#!/bin/sh
# Installs what building and testing wgk needs on Debian 12, Ubuntu 22.04 or later. Does nothing when all is there.
#
# usage: tools/setup.sh [--crosscheck]     --crosscheck: Chromium too (docs/crosscheck.md), where it is a plain package
set -eu

packages="g++ cmake ninja-build python3 python3-pip nlohmann-json3-dev libsimdjson-dev libssl-dev libcli11-dev libfmt-dev libhwy-dev libcurl4-openssl-dev openssl
libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev libvulkan1 mesa-vulkan-drivers git libmpfr-dev"

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

optional=""
case "${1:-}" in
  "") ;;
  --crosscheck)
    # Ubuntu's package of that name fetches a snap, which needs a daemon.
    if grep -q '^ID=debian$' /etc/os-release 2>/dev/null; then optional="chromium"; fi
    ;;
  *) fail "unknown option $1 (usage: tools/setup.sh [--crosscheck])" ;;
esac

command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 ||
  fail "this system has no apt; install the counterparts of:" $packages

missing_of() {
  for package in "$@"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || printf ' %s' "$package"
  done
}

# shellcheck disable=SC2086 # lists of words
missing=$(missing_of $packages)
missing_optional=$(missing_of $optional)

if [ -n "$missing$missing_optional" ]; then
  if [ "$(id -u)" -eq 0 ]; then
    sudo=""
  elif command -v sudo >/dev/null 2>&1; then
    sudo="sudo"
  elif [ -n "$missing" ]; then
    fail "run as root (there is no sudo) to install:$missing"
  fi
fi

install() {
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

if [ -n "$missing" ]; then
  echo "setup.sh: installing:$missing"
  $sudo apt-get update -q || fail "apt-get update failed; missing are:$missing"
  # shellcheck disable=SC2086
  install $missing || fail "apt-get could not install:$missing"
fi

# A machine that cannot have it still builds and tests: the cross-check is skipped and says so.
if [ -n "$missing_optional" ] && [ -n "${sudo+known}" ]; then
  echo "setup.sh: installing:$missing_optional"
  # shellcheck disable=SC2086
  { [ -n "$missing" ] || $sudo apt-get update -q; } && install $missing_optional ||
    echo "setup.sh: could not install$missing_optional; the cross-check with Chromium will be skipped" >&2
fi

version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
major=${version%%.*}
minor=${version#*.}
if [ "$major" -lt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -lt 25 ]; }; then
  fail "cmake $version is too old, wgk needs 3.25 or newer (Ubuntu 22.04 ships 3.22); for example: pip install cmake"
fi
echo "setup.sh: everything is there"
