# SPDX-License-Identifier: Apache-2.0
"""Measured runs of programs: medians over rounds in which the programs take turns."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

LAUNCHER = Path(__file__).with_name("launch.py")
TIMEOUT = 120.0  # seconds for one run
PATIENCE = 30.0  # seconds for all runs of one program on one core
TAIL = 160  # characters of an error message


class Run(NamedTuple):
    """One run: seconds, seconds, MiB; `trouble` is "" when it ended with 0."""

    wall: float
    cpu: float
    rss: float
    trouble: str


class Tool(NamedTuple):
    """A program to measure; `answer` tells what its output holds, to show that it did the work."""

    name: str
    command: tuple[str, ...]
    answer: Callable[[Path], str]


class Measured(NamedTuple):
    """Medians of one tool on one core; the numbers are None when it never succeeded."""

    case: str
    tool: str
    runs: int
    wall: float | None
    cpu: float | None
    rss: float | None
    instructions: float | None  # millions, user and kernel
    answer: str
    trouble: str


def clean_environment() -> dict[str, str]:
    """Return the environment of all measured programs: nothing of this process's Python."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GDB_EPI"))}
    return {**kept, "LC_ALL": "C.UTF-8"}


class Launcher:
    """The small process that starts the programs."""

    def __init__(self, scratch: Path, environment: Mapping[str, str] | None = None) -> None:
        self.scratch = scratch
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(LAUNCHER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**clean_environment(), **(environment or {})},
        )

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def run(self, command: Sequence[str], output: Path | None = None) -> Run:
        """Run a program once; without `output` what it prints goes to /dev/null."""
        place = str(output or self.scratch / "null")
        if output is None and not os.path.islink(place):
            os.symlink(os.devnull, place)
        fields = (str(TIMEOUT), place, str(self.scratch), *command)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\x1f".join(fields) + "\n")
        self._process.stdin.flush()
        wall, cpu, rss, status, stopped = self._process.stdout.readline().split()
        trouble = ""
        if int(stopped):
            trouble = f"stopped after {TIMEOUT:.0f} s"
        elif int(status):
            trouble = describe(int(status), Path(place + ".err"))
        return Run(float(wall), float(cpu), int(rss) / 1024, trouble)


def describe(status: int, errors: Path) -> str:
    """Return how a program failed, with the line of its standard error that says most."""
    code = os.waitstatus_to_exitcode(status)
    how = f"exit {code}" if code >= 0 else f"killed by signal {-code}"
    try:
        lines = [line for line in errors.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        lines = []
    if not lines:
        return how
    # The last line of a Python traceback is its error; others begin with it.
    telling = lines[-1 if lines[0].startswith("Traceback") else 0]
    return f"{how}: {telling.strip()[:TAIL]}"


def compare(case: str, tools: Sequence[Tool], runs: int, launcher: Launcher) -> list[Measured]:
    """Warm each tool up, then let them take turns; a slow tool gets fewer rounds."""
    first: dict[str, Run] = {}
    answers: dict[str, str] = {}
    for tool in tools:
        place = launcher.scratch / "answer"
        first[tool.name] = launcher.run(tool.command, place)
        answers[tool.name] = "" if first[tool.name].trouble else tool.answer(place)
    rounds = {name: _rounds(run, runs) for name, run in first.items()}
    runs_by_tool: dict[str, list[Run]] = {tool.name: [] for tool in tools}
    for number in range(runs):
        for tool in tools:
            if number < rounds[tool.name]:
                runs_by_tool[tool.name].append(launcher.run(tool.command))
    return [
        _summary(
            case, tool, runs_by_tool[tool.name] or [first[tool.name]], answers[tool.name], launcher
        )
        for tool in tools
    ]


def _rounds(warm_up: Run, runs: int) -> int:
    """Return how often to run; a run that failed is believed at once."""
    if warm_up.trouble:
        return 0
    return max(1, min(runs, int(PATIENCE / max(warm_up.wall, 0.001))))


def _summary(
    case: str, tool: Tool, runs: Sequence[Run], answer: str, launcher: Launcher
) -> Measured:
    trouble = next((run.trouble for run in runs if run.trouble), "")
    if trouble:
        return Measured(case, tool.name, len(runs), None, None, None, None, answer, trouble)
    return Measured(
        case,
        tool.name,
        len(runs),
        statistics.median(run.wall for run in runs),
        statistics.median(run.cpu for run in runs),
        statistics.median(run.rss for run in runs),
        instructions(tool, launcher),
        answer,
        "",
    )


def instructions(tool: Tool, launcher: Launcher) -> float | None:
    """Return the millions of instructions of one run; None without perf.

    The load of the machine does not change this number.
    """
    perf = shutil.which("perf")
    if perf is None:
        return None
    place = launcher.scratch / "perf"
    events = "instructions:u,instructions:k"
    words = (perf, "stat", "-x,", "-e", events, "-o", str(place), "--", *tool.command)
    if launcher.run(words).trouble:
        return None
    counts = re.findall(r"^(\d+),[^,]*,instructions", place.read_text(), re.MULTILINE)
    return sum(int(count) for count in counts) / 1e6 if len(counts) == 2 else None
