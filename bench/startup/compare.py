#!/usr/bin/env python3
"""Compares the wall time of a wgk command with that of minimal_dispatch, run alternately.

usage: compare.py [-n RUNS] [--device software|gpu] MINIMAL_DISPATCH -- WGK_COMMAND…
example: compare.py build/minimal_dispatch -- build/wgk run PACKAGE --request r.json --device software
"""
import argparse
import statistics
import subprocess
import sys
import time


def wall_ms(command):
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    elapsed = (time.perf_counter() - start) * 1e3
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return elapsed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=21, help="runs of each program (default 21)")
    parser.add_argument("--device", choices=["software", "gpu"], default="software")
    parser.add_argument("minimal_dispatch")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    if args.n < 1:
        parser.error("-n must be at least 1")

    minimal = [args.minimal_dispatch, args.device]
    for command in (minimal, args.command):  # shader and file caches warm up
        wall_ms(command)
    times = {"minimal": [], "wgk": []}
    for _ in range(args.n):  # alternately, so that both meet the same disturbances
        times["minimal"].append(wall_ms(minimal))
        times["wgk"].append(wall_ms(args.command))
    base, ours = statistics.median(times["minimal"]), statistics.median(times["wgk"])
    print(f"minimal_dispatch: median {base:.2f} ms of {args.n} runs")
    print(f"wgk:              median {ours:.2f} ms of {args.n} runs")
    print(f"ratio:            {ours / base:.3f}")


if __name__ == "__main__":
    main()
