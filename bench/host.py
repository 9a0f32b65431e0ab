#!/usr/bin/env python3
"""Runs the host benchmarks and compares them with bench/baseline.json.

  bench/host.py build/default/wgk_bench              prints, and ends with 1 where something became worse
  bench/host.py build/default/wgk_bench --update     writes the baseline anew

The baseline holds allocations, which do not depend on the machine, and times as multiples of one benchmark of the same
run (`render`), which depend on it little. Times in seconds would say more about the machine than about the program.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("baseline.json")
YARDSTICK = "render"
ALLOCATION_SLACK = 0.05  # of a count; hash tables and small strings move by a few
RATIO_SLACK = 2.0  # a busy machine doubles a ratio now and then
RATIO_FLOOR = 0.005  # a microsecond or so: below it the clock decides


def measure(program, repetitions, seconds):
    command = [program, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}",
               "--benchmark_report_aggregates_only=true", f"--benchmark_min_time={seconds}"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    times, allocations, errors = {}, {}, {}
    for one in json.loads(ran.stdout)["benchmarks"]:
        name = re.sub(r"/(manual_time|iterations:\d+)", "", one.get("run_name", one["name"]))
        if one.get("error_occurred"):
            errors[name] = one["error_message"]
        elif one.get("aggregate_name", "median") == "median":
            manual = one["name"].find("/manual_time") >= 0
            unit = {"ns": 1, "us": 1e3, "ms": 1e6}[one["time_unit"]]
            times[name] = one["real_time" if manual else "cpu_time"] * unit
            if "allocs" in one:
                allocations[name] = round(one["allocs"], 2)
    if YARDSTICK not in times:
        sys.exit(f"{program} has no benchmark {YARDSTICK}")
    return times, allocations, errors


def compare(name, times, allocations, baseline):
    """The line for one benchmark, and whether it became worse."""
    ratio = times[name] / times[YARDSTICK]
    line = f"{name:24}{times[name] / 1e3:10.2f} us {ratio:9.3f}"
    worse = []
    old = baseline.get(name)
    if old is None:
        return line + f"{allocations.get(name, 0):10.0f}  not in the baseline", False
    if ratio > old["ratio"] * RATIO_SLACK + RATIO_FLOOR:
        worse.append(f"ratio was {old['ratio']:.3f}")
    count = allocations.get(name, 0)
    if count > old["allocations"] * (1 + ALLOCATION_SLACK) + 0.5:
        worse.append(f"allocations were {old['allocations']:.0f}")
    return line + f"{count:10.0f}  {'WORSE: ' + ', '.join(worse) if worse else 'ok'}", bool(worse)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the built wgk_bench")
    parser.add_argument("--update", action="store_true", help="write the baseline from this run")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="least time of one repetition")
    options = parser.parse_args()
    times, allocations, errors = measure(options.program, options.repetitions, options.seconds)
    for name, message in errors.items():
        print(f"{name}: skipped: {message}", file=sys.stderr)
    if options.update:
        entries = {name: {"allocations": allocations.get(name, 0), "ratio": round(time / times[YARDSTICK], 4)}
                   for name, time in times.items()}
        BASELINE.write_text(json.dumps(entries, indent=1) + "\n")
        return 0
    if not BASELINE.exists():
        sys.exit(f"{BASELINE} does not exist; --update writes it")
    baseline = json.loads(BASELINE.read_text())
    print(f"{'benchmark':24}{'time':>13} {'x ' + YARDSTICK:>9}{'allocs':>10}")
    any_worse = False
    for name in times:
        line, worse = compare(name, times, allocations, baseline)
        any_worse |= worse
        print(line)
    return 1 if any_worse else 0


if __name__ == "__main__":
    sys.exit(main())
