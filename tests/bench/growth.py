# SPDX-License-Identifier: Apache-2.0
"""Cost against threads and frames, beside pystack, py-spy and GDB with libpython: figures, an SVG.

    python tests/bench/growth.py measure FILE.json    # pystack and py-spy on PATH; 20 minutes
    python tests/bench/growth.py draw FILE.json tests/bench/growth.svg

The cores: a process of pyenv's 3.12.1 with N threads that wait, and one that is N calls deep; both
abort. CPU is user and system of all processes of a tool, the median of RUNS (of what takes longer
than LONG, one). Each tool prints the Python stacks; `triage` also judges. One that fails, shows
fewer frames than there are, or needs more CPU than LIMIT is left out from there on, and said to be.
"""

from __future__ import annotations

import json
import os
import re
import resource
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

from support.cores import find_core
from support.interpreters import discover

INTERPRETER = "pyenv-3.12.1"
THREADS = (1, 10, 100, 1_000, 10_000)
FRAMES = (10, 100, 1_000, 10_000, 100_000)
RUNS = 3
LIMIT = 40  # seconds of CPU of one run
LONG = 4.0  # seconds of CPU: from here on once is enough
PROGRAM = """
import faulthandler, os, sys, threading, time
what, count = sys.argv[1], int(sys.argv[2])
faulthandler.disable()

def waits(forever):
    forever.wait()

def deep(left):
    if left:
        return deep(left - 1)
    os.abort()

if what == "threads":
    threading.stack_size(64 << 10)
    for _ in range(count - 1):
        threading.Thread(target=waits, args=(threading.Event(),), daemon=True).start()
    time.sleep(0.5)  # all have come to rest
    os.abort()
sys.setrecursionlimit(count + 100)
deep(count - 2)
"""
COLOURS = ("#0b6e99", "#6ab0cc", "#d1495b", "#edae49", "#5c5c5c")


def make(folder: Path, what: str, count: int) -> tuple[Path, str]:
    """Return a core and its executable."""
    interpreter = next(i for i in discover() if i.id == INTERPRETER)
    (folder / "program.py").write_text(PROGRAM)
    command = interpreter.command(str(folder / "program.py"), what, str(count), cwd=folder)
    done = subprocess.run(command, cwd=folder, capture_output=True)
    cores = find_core(folder)
    if not cores:
        raise SystemExit(f"{what} {count}: no core: {done.stderr.decode()[-300:]}")
    core = shutil.move(cores[0], folder / f"{what}-{count}")
    return Path(core), command[0]


def tools(core: Path, exe: str) -> dict[str, list[str]]:
    """Return the command of each tool that is here."""
    ours = [sys.executable, str(ROOT / "gdb_epi" / "cli" / "gdb-epi")]
    libpython = f"{os.path.realpath(exe)}-gdb.py"
    words = {
        "gdb-epi stacks": [*ours, "stacks", str(core)],
        "gdb-epi triage": [*ours, "triage", str(core), "--stacks", "--native", "never", "--no-db"],
        "pystack": ["pystack", "core", str(core)],
        "py-spy": ["py-spy", "dump", "--core", str(core)],
        "GDB, libpython": [
            "gdb", "-nx", "-batch", "-iex", "set auto-load off", exe, str(core),
            "-ex", f"source {libpython}", "-ex", "thread apply all py-bt",
        ],
    }  # fmt: skip
    return {name: command for name, command in words.items() if shutil.which(command[0])}


def cost(command: Sequence[str]) -> tuple[float, str] | None:
    """Return CPU seconds and the output of a command; None when it fails or takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        capture_output=True,
        env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (cpu, done.stdout.decode("utf-8", "replace")) if done.returncode == 0 else None


def stacks_shown(text: str, what: str, *, grouped: bool) -> int:
    """Return how many calls or waiting threads an output shows.

    `grouped`: ours says "999 times" and "and 3 more" of what is alike.
    """
    name = "deep" if what == "frames" else "waits"
    if grouped:
        times = re.findall(r"(\d+) (?:times|more)\b", text)
        return len(re.findall(rf"\b{name}\b", text)) + sum(map(int, times))
    return len(re.findall(rf"(?<!\()\b{name}\b(?!\()", text))


def measure(name: str) -> None:
    """Write the figures."""
    figures: dict[str, dict[str, list[tuple[int, float]]]] = {"threads": {}, "frames": {}}
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as work:
        for what, counts in (("threads", THREADS), ("frames", FRAMES)):
            given_up: set[str] = set()
            for count in counts:
                core, exe = make(Path(work), what, count)
                for tool, command in tools(core, exe).items():
                    if tool in given_up:
                        continue
                    is_ours = tool.startswith("gdb-epi")
                    costs = []
                    for _ in range(RUNS):
                        done = cost(command)
                        if done is None:
                            break
                        costs.append(done[0])
                        if done[0] > LONG:
                            break
                    seen = stacks_shown(done[1], what, grouped=is_ours) if done is not None else 0
                    wanted = count - 2 if what == "frames" else count - 1
                    if done is None or seen < wanted:
                        why = "failed or took too long" if done is None else f"shows {seen}"
                        notes.append(f"{tool}, {count} {what}: {why}")
                        given_up.add(tool)
                        continue
                    median = round(statistics.median(costs), 4)
                    figures[what].setdefault(tool, []).append((count, median))
                    print(f"{what} {count} {tool}: {median:.3f} s of CPU", flush=True)
                core.unlink()
    machine = f"{os.cpu_count()} CPUs, {os.uname().machine}, load {os.getloadavg()[0]:.0f}"
    day = time.strftime("%Y-%m-%d", time.gmtime())
    Path(name).write_text(
        json.dumps({"figures": figures, "notes": notes, "machine": machine, "day": day}, indent=1)
    )
    print("\n".join(notes))


def draw(name: str, svg: str) -> None:
    """Draw the figures, both axes logarithmic."""
    data = json.loads(Path(name).read_text())
    names = sorted({tool for tools_ in data["figures"].values() for tool in tools_}, key=_place)
    colours = dict(zip(names, COLOURS, strict=False))
    parts = [_panel(what, data["figures"][what], 70 + 400 * place, colours)
             for place, what in enumerate(("threads", "frames"))]  # fmt: skip
    for place, tool in enumerate(names):
        x = 70 + 152 * place
        parts.append(
            f'<rect x="{x}" y="316" width="14" height="4" fill="{colours[tool]}"/>'
            f'<text x="{x + 20}" y="322">{tool}</text>'
        )
    caption = f"CPU seconds, median of {RUNS}; {data['day']}, {data['machine']}"
    Path(svg).write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 850 350" font-family="sans-serif" '
        'font-size="12"><rect width="850" height="350" fill="#fff"/>'
        + "\n".join(parts)
        + f'\n<text x="70" y="342" fill="#555">{caption}</text></svg>\n'
    )


def _place(tool: str) -> int:
    return list(tools(Path(), "")).index(tool) if tool in tools(Path(), "") else 9


def _panel(
    what: str, rows: dict[str, list[tuple[int, float]]], left: int, colours: dict[str, str]
) -> str:
    from math import log10

    counts = THREADS if what == "threads" else FRAMES
    low, high = -2.0, 2.0  # powers of ten of seconds

    def x(count: int) -> float:
        return left + 330 * log10(count / counts[0]) / log10(counts[-1] / counts[0])

    def y(seconds: float) -> float:
        return 270 - 230 * (log10(seconds) - low) / (high - low)

    parts = [f'<text x="{left}" y="24" font-weight="bold">against {what}</text>']
    for power in range(int(low), int(high) + 1):
        at = y(10.0**power)
        parts.append(
            f'<line x1="{left}" x2="{left + 330}" y1="{at:.0f}" y2="{at:.0f}" stroke="#ddd"/>'
            f'<text x="{left - 6}" y="{at + 4:.0f}" text-anchor="end">{10.0**power:g}</text>'
        )
    for count in counts:
        parts.append(f'<text x="{x(count):.0f}" y="290" text-anchor="middle">{count:,}</text>')
    for tool, points in rows.items():
        line = " ".join(f"{x(count):.0f},{y(max(cpu, 0.01)):.0f}" for count, cpu in points)
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colours[tool]}" stroke-width="2"/>'
        )
        parts += [
            f'<circle cx="{x(count):.0f}" cy="{y(max(cpu, 0.01)):.0f}" r="3" '
            f'fill="{colours[tool]}"/>'
            for count, cpu in points
        ]
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        measure(sys.argv[2])
    else:
        draw(sys.argv[2], sys.argv[3])
