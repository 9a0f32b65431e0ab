#!/usr/bin/env python3
"""wgk and every peer on the same shapes, one after another, in one table; the command that docs/performance.md names.

  bench/peers/compare.py --wgk build/default/wgk --case '^prefill_b[14]_n32_s[0-9]+_h128_f|^decode_b1' --markdown
"""
import argparse
import json
import platform
import subprocess
import sys

import common
import ort_cpu
import ort_webgpu
import torch_compile
import torch_eager
import triton_rotary

PEERS = (triton_rotary, torch_compile, torch_eager, ort_webgpu, ort_cpu)
DEFAULT_CASES = r"^prefill_b4_n32_s8192_h128_f|^prefill_b1_n(32|28)_s(2048|4096)_h128_f|^decode_b1_n32_s1_h128_f"


def run_wgk(program, device, pattern):
    """(results in the form of the peers, copy ceilings as a peer of their own, device)"""
    packages = [str(common.ROOT / "kernels" / operator) for operator in common.OPERATORS]
    command = [program, "bench", *packages, "--device", device, "--case", pattern, "--tuning", "none", "--json"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} failed with exit code {ran.returncode}")
    report = json.loads(ran.stdout)
    results, ceilings = [], []
    for row in report["results"]:
        if "error" in row:
            results.append({"peer": "wgk", "op": row["op"], "case": row["case"], "skipped": row["error"]})
            continue
        results.append({**row, "peer": "wgk"})
        if "ceiling" in row:
            ceilings.append({"peer": "copy (WGSL)", "op": row["op"], "case": row["case"], **row["ceiling"]})
    return results, ceilings, report["device"]


def markdown(results):
    """One line per case, one column per peer."""
    peers = list(dict.fromkeys(one["peer"] for one in results))
    lines = ["| case | " + " | ".join(peers) + " |", "|---" * (len(peers) + 1) + "|"]
    for key in dict.fromkeys((one["op"], one["case"]) for one in results):
        cells = []
        for peer in peers:
            found = [one for one in results if (one["op"], one["case"]) == key and one["peer"] == peer]
            if not found or "skipped" in found[0]:
                cells.append("–")
            else:
                cells.append(f'{common.speed_text(found[0]["gigabytesPerSecond"])} ({common.time_text(found[0]["ns"]["median"])})')
        lines.append(f"| {key[0].split('.')[-1]} {key[1]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wgk", default="wgk", help="the program to measure")
    parser.add_argument("--device", default="auto", help="of wgk: gpu, software, cpu or auto")
    parser.add_argument("--case", default=DEFAULT_CASES, metavar="REGEX", help="only cases whose name matches")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/performance.md: GB/s (time)")
    options = parser.parse_args()
    cases = common.load_cases(options.case)
    if not cases:
        parser.error(f'--case: "{options.case}" matches no case')
    results, ceilings, device = run_wgk(options.wgk, options.device, options.case)
    results = ceilings + results
    for peer in PEERS:
        if reason := peer.available():
            print(f"{peer.NAME}: skipped: {reason}", file=sys.stderr)
            continue
        print(f"{peer.NAME} …", file=sys.stderr)
        results += common.run(peer, cases)
    if options.json:
        print(json.dumps({"device": device, "machine": platform.platform(), "results": results}, indent=1))
        return
    print(f'{device["name"]} ({device["kind"]}, {device["backend"]}; {device["driver"]}), {platform.platform()}\n')
    print(markdown(results) if options.markdown else common.table(results))


if __name__ == "__main__":
    main()
