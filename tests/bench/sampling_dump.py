# SPDX-License-Identifier: Apache-2.0
"""Compare `epi bt --all` on a live 3.15 with the standard library's own `profiling.sampling dump`.

    python tests/bench/sampling_dump.py [--runs N]

Needs root, util-linux and a Debian python3.15 in the tests' cache (fetch_interpreters.py). Both
look at the same process, which runs in one thread and waits in two others; frames are compared as
(function, line), CPU is user+system of the whole tool, the median of the runs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.interpreters import Interpreter, discover

PROGRAM = """
import asyncio, threading, time
lock = threading.Lock()
lock.acquire()

def waiting(depth):
    if depth:
        return waiting(depth - 1)
    lock.acquire()

async def main():
    await asyncio.gather(asyncio.sleep(900), asyncio.sleep(900))

def spin():
    while True:
        pass

threading.Thread(target=lambda: asyncio.run(main()), name="loop", daemon=True).start()
threading.Thread(target=waiting, args=(3,), name="waiter", daemon=True).start()
time.sleep(0.3)
print("ready", flush=True)
spin()
"""
TOOL = {"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}  # the root has no locales
LINE = re.compile(r'  File ".*", line (\d+), in (?:[\w.]+\.)?(<?\w+>?)$')
Stack = tuple[tuple[str, int], ...]


def run(command: Sequence[str], environment: dict[str, str]) -> tuple[str, float]:
    """Return what a tool printed, and its CPU seconds."""
    with tempfile.TemporaryFile("w+") as out:
        tool = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=environment, stdin=subprocess.DEVNULL
        )
        _, status, used = os.wait4(tool.pid, 0)
        out.seek(0)
        text = out.read()
    if status:
        raise SystemExit(f"{command[0]} ended with {status}: {text[-500:]}")
    return text, used.ru_utime + used.ru_stime


def dumped(pid: int, interpreter: Interpreter) -> tuple[set[Stack], float]:
    """Return the stacks that profiling.sampling prints, outermost first, and its CPU."""
    inside = [
        "nsenter",
        "-t",
        str(pid),
        "-m",
        "chroot",
        str(interpreter.root),
        interpreter.executable,
    ]
    text, cpu = run([*inside, "-m", "profiling.sampling", "dump", "-a", str(pid)], TOOL)
    stacks = []
    for part in text.split("Stack dump")[1:]:
        matches = map(LINE.match, part.splitlines())
        stacks.append(tuple((m[2], int(m[1])) for m in matches if m))
    return set(stacks), cpu


def ours(pid: int, interpreter: Interpreter, gdb: str) -> tuple[set[Stack], float]:
    """Return the stacks of `epi bt --all`, and the CPU of the whole GDB."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "bt"
        words = [
            f"set sysroot {interpreter.root}",
            "set debuginfod enabled off",
            "set auto-load off",
        ]
        command = [gdb, "-nx", "-batch", *(w for text in words for w in ("-iex", text))]
        command += ["-x", str(ROOT / "gdb_epi" / "gdb_epi_bootstrap.py"), "-p", str(pid)]
        command += ["-ex", f"epi bt --all --json --output {answer}", "-ex", "detach"]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        _, cpu = run(command, clean)
        threads = json.loads(answer.read_text())["threads"]
    stacks = []
    for thread in threads:
        frames = [f for f in thread["frames"] if f.get("language", "python") == "python"]
        stacks.append(tuple((f["name"], f["lineno"]) for f in reversed(frames)))
    return {stack for stack in stacks if stack}, cpu


def main() -> int:
    """Run both tools in turns and print the comparison; 1 when the frames differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    gdb = shutil.which("gdb") or "/usr/bin/gdb"
    interpreter = next((i for i in discover() if i.minor == (3, 15) and i.root is not None), None)
    if interpreter is None or interpreter.root is None:
        print("no python3.15 in a root of its own: run tests/tools/fetch_interpreters.py as root")
        return 0
    file = interpreter.root / "tmp" / "sampling_dump.py"
    file.write_text(PROGRAM)
    start = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$1" /tmp/sampling_dump.py'
    debuggee = subprocess.Popen(
        ["unshare", "-m", "sh", "-c", start, str(interpreter.root), interpreter.executable],
        stdout=subprocess.PIPE,
    )
    try:
        assert debuggee.stdout is not None
        debuggee.stdout.readline()
        time.sleep(1)
        theirs, mine = [], []
        for _ in range(runs):
            expected, cpu = dumped(debuggee.pid, interpreter)
            theirs.append(cpu)
            answered, cpu = ours(debuggee.pid, interpreter, gdb)
            mine.append(cpu)
    finally:
        debuggee.kill()
        file.unlink()
    equal = len(expected & answered)
    print(f"{interpreter.id}: {len(expected)} stacks of profiling.sampling, {equal} equal")
    for stack in expected ^ answered:
        print(f"  {'theirs' if stack in expected else 'ours'} alone: {stack}")
    medians = statistics.median(theirs), statistics.median(mine)
    print(f"CPU, median of {runs}: dump {medians[0]:.2f} s, epi bt --all {medians[1]:.2f} s")
    return int(expected != answered)


if __name__ == "__main__":
    sys.exit(main())
