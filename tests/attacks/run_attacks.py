#!/usr/bin/env python3
"""Runs wgk on every package of attacks/ in a child process and checks exit code, error text, memory and time.

usage: run_attacks.py WGK ATTACKS [--only NAME …] [--keep FOLDER] [--scale FACTOR]

The bounds are those beyond what wgk takes to run the harmless package on the same device, which is measured first.
--scale loosens them for builds that are slower and larger by design (sanitizers).
"""
import argparse
import importlib.util
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

MAX_BYTES = 512 << 20
MAX_SECONDS = 2.0
# A hang sleeps, so it shows in the wall clock only, which other work on the machine stretches; this is far above both.
KILL_SECONDS = 60.0
# No attack may take the machine down with it when the bound on memory fails.
ADDRESS_SPACE = 16 << 30

COMMANDS = {
    "load": ["inspect"],
    "plan": ["explain", "--request", "-", "--device", "cpu", "--wgsl"],
    "run": ["run", "--request", "-", "--json", "--device", "software"],
}


class Outcome:
    def __init__(self, code, out, err, wall, cpu, peak):
        self.code, self.out, self.err = code, out, err
        self.wall, self.cpu, self.peak = wall, cpu, peak


def run_child(command, stdin_text, limit_space):
    """The child's exit code, output, and what it used."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit_space:
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))

    start = time.monotonic()
    # Mesa's cache of shaders has a thread of idle priority, which keeps a process from ending on a busy machine.
    environment = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true")
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=limit,
        env=environment,
    )
    killer = threading.Timer(KILL_SECONDS, child.kill)
    killer.start()
    output = {}

    def drain(name, stream):
        output[name] = stream.read()

    readers = [threading.Thread(target=drain, args=pair) for pair in (("out", child.stdout), ("err", child.stderr))]
    for reader in readers:
        reader.start()
    try:
        child.stdin.write(stdin_text.encode())
        child.stdin.close()
    except BrokenPipeError:
        pass
    for reader in readers:
        reader.join()
    _, status, usage = os.wait4(child.pid, 0)
    killer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Outcome(
        child.returncode,
        output["out"].decode("utf-8", "replace"),
        output["err"].decode("utf-8", "replace"),
        time.monotonic() - start,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
    )


def load_module(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_table(path):
    """Rows of the table in README.md: name -> (command, exit code, text)."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"\| ([a-z0-9-]+) \| (load|plan|run) \| (\d) \| `(.*)` \|", line.strip())
            if match:
                name, command, code, text = match.groups()
                if name in rows:
                    sys.exit(f"{path}: {name} stands twice")
                rows[name] = (command, int(code), text.replace("\\|", "|"))
    return rows


class Runner:
    def __init__(self, options):
        self.options = options
        self.package_module = load_module(os.path.join(options.attacks, "package.py"), "package")
        sys.modules["package"] = self.package_module
        self.base = tempfile.mkdtemp(prefix="wgk-attacks-")
        self.idle = {name: self.measure_idle(name) for name in COMMANDS}

    def execute(self, name, package, command):
        folder = os.path.join(self.options.keep or self.base, name)
        shutil.rmtree(folder, ignore_errors=True)
        package.write(folder)
        arguments = COMMANDS[command]
        full = [self.options.wgk, arguments[0], folder] + arguments[1:] + package.flags
        outcome = run_child(full, "" if command == "load" else package.request_text(), self.options.scale == 1)
        if not self.options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        return outcome

    def measure_idle(self, command):
        outcome = self.execute(f"harmless-{command}", self.package_module.Package(), command)
        if outcome.code != 0:
            sys.exit(f"the harmless package fails in {command}: exit {outcome.code}, {outcome.err}")
        return outcome

    def attack(self, name, row):
        """The faults of one attack; an empty list when all is as it should be."""
        command, code, text = row
        module = load_module(os.path.join(self.options.attacks, name, "attack.py"), "attack_" + name.replace("-", "_"))
        package = self.package_module.Package()
        module.attack(package)
        outcome = self.execute(name, package, command)
        faults = []
        if outcome.code != code:
            faults.append(f"exit code {outcome.code}, expected {code}")
        shown = outcome.out if code == 0 else outcome.err
        if text not in shown:
            faults.append(f"the text is not {text!r} but {shown[:600]!r}")
        if len(outcome.err) > 64 << 10:
            faults.append(f"{len(outcome.err)} bytes on stderr")
        control = re.search(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]", outcome.err)
        if control:
            faults.append(f"stderr holds the control character {control.group(0)!r}")
        idle = self.idle[command]
        # The wall clock counts what other processes take, the processor time counts all threads: a bound that both
        # exceed was exceeded by wgk.
        seconds = min(outcome.wall - idle.wall, outcome.cpu - idle.cpu)
        if seconds > MAX_SECONDS * self.options.scale:
            faults.append(f"{seconds:.1f} s beyond the idle device")
        if outcome.wall > KILL_SECONDS - 1:
            faults.append("did not end")
        extra = outcome.peak - idle.peak
        if extra > MAX_BYTES * self.options.scale:
            faults.append(f"{extra >> 20} MiB beyond the idle device")
        return name, faults, seconds, extra


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wgk")
    parser.add_argument("attacks")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--keep", help="write the packages below this folder and leave them there")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--scale", type=float, default=1)
    options = parser.parse_args()

    table = read_table(os.path.join(options.attacks, "README.md"))
    folders = {entry.name for entry in os.scandir(options.attacks) if entry.is_dir() and entry.name != "__pycache__"}
    faults = [f"{name}: no row in README.md" for name in sorted(folders - set(table))]
    faults += [f"{name}: no folder" for name in sorted(set(table) - folders)]
    for name in sorted(folders):
        if not os.path.exists(os.path.join(options.attacks, name, "attack.txt")):
            faults.append(f"{name}: no attack.txt")

    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    runner = Runner(options)
    for command, idle in runner.idle.items():
        print(f"idle {command}: {idle.wall:.2f} s, {idle.peak >> 20} MiB")
    names = [name for name in sorted(folders & set(table)) if not options.only or name in options.only]
    worst_seconds = worst_bytes = (0, "")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, found, seconds, extra in pool.map(lambda name: runner.attack(name, table[name]), names):
            if options.verbose:
                print(f"{name}: {seconds:.2f} s, {extra >> 20} MiB", *found, sep="\n    ", flush=True)
            faults += [f"{name}: {fault}" for fault in found]
            worst_seconds = max(worst_seconds, (seconds, name))
            worst_bytes = max(worst_bytes, (extra, name))
    shutil.rmtree(runner.base, ignore_errors=True)
    for fault in faults:
        print("FAIL", fault)
    print(
        f"{len(names)} attacks, {len(faults)} faults; most time {worst_seconds[0]:.2f} s ({worst_seconds[1]}), "
        f"most memory {worst_bytes[0] >> 20} MiB ({worst_bytes[1]})"
    )
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
