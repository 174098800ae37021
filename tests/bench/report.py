# SPDX-License-Identifier: Apache-2.0
"""The tables of bench.py and the comparison with the goals."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from measure import Measured

COLUMNS = (
    "tool",
    "runs",
    "wall s",
    "CPU s",
    "peak MB",
    "M instr.",
    "x py-spy",
    "x pystack",
    "answer",
)
OWN_COLD, PEER = "gdb-epi stacks", "py-spy"
SMALL = " (empty heap, 8 MB core)"


class Facts:
    """Everything that one run of bench.py found."""

    def __init__(self) -> None:
        self.machine: dict[str, str] = {}
        self.cases: dict[str, str] = {}
        self.measured: list[Measured] = []
        self.warm: dict[str, dict[str, Any]] = {}
        self.inside: dict[str, dict[str, Any]] = {}
        self.sourcing: dict[str, list[dict[str, Any]]] = {}
        self.notes: list[str] = []
        self.load: list[float] = []

    def of(self, case: str, tool: str) -> Measured | None:
        """Return the measurement of one tool on one core, when it succeeded."""
        for run in self.measured:
            if (run.case, run.tool) == (case, tool) and run.wall is not None:
                return run
        return None

    def loads(self) -> str:
        """Return the load averages."""
        return " ".join(f"{load:.1f}" for load in self.load)

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {**vars(self), "measured": [run._asdict() for run in self.measured]}


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, by tabulate where that is installed."""
    try:
        from tabulate import tabulate
    except ImportError:
        widths = [max(len(row[i]) for row in [headers, *rows]) for i in range(len(headers))]
        for row in [headers, *rows]:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(cells).rstrip())
    else:
        print(tabulate(rows, headers, tablefmt="github", disable_numparse=True))


def print_measured(facts: Facts) -> None:
    """Print every program on every core."""
    print("\nWhole processes: medians; `x py-spy`, `x pystack`: CPU time relative to theirs")
    for name, what in facts.cases.items():
        print(f"\n{name}: {what}")
        rows = [row(facts, run) for run in facts.measured if run.case == name]
        table(COLUMNS, rows)
    for note in facts.notes:
        print(f"note: {note}")


def row(facts: Facts, measured: Measured) -> tuple[str, ...]:
    """Return the cells of one measurement; a tool that failed shows how."""
    if measured.wall is None or measured.cpu is None or measured.rss is None:
        return (
            measured.tool,
            str(measured.runs),
            "-",
            "-",
            "-",
            "-",
            "-",
            "-",
            f"FAILED: {measured.trouble}",
        )
    steps = "-" if measured.instructions is None else f"{measured.instructions:,.0f}"
    numbers = (f"{measured.wall:.3f}", f"{measured.cpu:.3f}", f"{measured.rss:.1f}", steps)
    ratios = (ratio(facts, measured, "py-spy"), ratio(facts, measured, "pystack"))
    return (measured.tool, str(measured.runs), *numbers, *ratios, measured.answer)


def ratio(facts: Facts, measured: Measured, peer: str) -> str:
    """Return the CPU time relative to a peer's on the same core."""
    other = facts.of(measured.case, peer)
    return f"{measured.cpu / other.cpu:.2f}" if other and measured.cpu and other.cpu else "-"


def print_inside(facts: Facts) -> None:
    """Print what was measured inside one process."""
    print("\nDecoding alone (open the core, decode all Python stacks), ms: medians in one process")
    rows = [("no GDB, warm", case, *cells(timing)) for case, timing in facts.warm.items()]
    for name, inside_timing in facts.inside.items():
        case, gdb = name.split(" ")
        rows.append((gdb, case, *cells(inside_timing)))
    table(("where", "core", "wall", "CPU", "first wall", "first CPU", "threads", "frames"), rows)
    if facts.sourcing:
        print("\n`source gdb_epi` in a fresh GDB, ms: medians")
        rows = [(name, *source_cells(runs)) for name, runs in facts.sourcing.items()]
        table(("where", "wall", "CPU", "runs"), rows)


def cells(timing: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of one decoding."""
    if "trouble" in timing:
        return (f"FAILED: {timing['trouble']}", "-", "-", "-", "-", "-")
    times = [timing.get(key) for key in ("wall", "cpu", "first_wall", "first_cpu")]
    shown = ["-" if time is None else f"{time:.1f}" for time in times]
    return (*shown, str(timing["threads"]), str(timing["frames"]))


def source_cells(runs: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return the medians of several sourcings."""
    good = [run for run in runs if "source_wall" in run]
    if not good:
        return (f"FAILED: {runs[0].get('trouble')}", "-", "0")
    wall, cpu = (
        statistics.median(run[key] for run in good) for key in ("source_wall", "source_cpu")
    )
    return (f"{wall:.1f}", f"{cpu:.1f}", str(len(good)))


def print_goals(facts: Facts) -> None:
    """Print each goal with what was measured and whether it was reached."""
    rows: list[tuple[str, ...]] = []
    for text, limit, wall, cpu, unit in goals(facts):
        if cpu is None or wall is None:
            rows.append((text, f"{limit:g} {unit}", "-", "-", "not measured"))
            continue
        verdict = "reached" if wall <= limit else "not reached"
        if wall > limit >= cpu:
            verdict = "not reached (reached in CPU time)"
        rows.append((text, f"{limit:g} {unit}", f"{wall:.2f}", f"{cpu:.2f}", verdict))
    print("\nGoals")
    table(("goal", "at most", "wall", "CPU", "verdict"), rows)


Goal = tuple[str, float, "float | None", "float | None", str]


def goals(facts: Facts) -> list[Goal]:
    """Return (goal, limit, wall, cpu, unit) of every goal; a memory goal has its value twice."""
    rows: list[Goal] = []
    for case in ("two-3.13", "two-3.11", "two-3.9"):
        rows.append(warm_goal(facts, case, "no GDB, warm, 2 threads", 15))
        cold = times(facts, case, OWN_COLD, PEER)
        rows.append((f"no GDB, cold process, 2 threads, {case[4:]}", 1.5, *cold, "x py-spy"))
    rows.append(warm_goal(facts, "threads", "no GDB, warm, 1,001 threads", 300))
    rows.append(warm_goal(facts, "deep", "no GDB, warm, 100,000 frames", 1500))
    for case, text, limit in (("threads", "1,001 threads", 0.3), ("deep", "100,000 frames", 1.5)):
        for tool in (OWN_COLD, "gdb-epi triage"):
            own = facts.of(case, tool)
            both = (own.wall, own.cpu) if own else (None, None)
            rows.append((f"{tool}, whole process, {text}", limit, *both, "s"))
    for tool in (OWN_COLD, "gdb-epi triage"):
        rows.append(
            (f"4 GiB core, time, {tool}", 1.2, *times(facts, "big", tool, tool + SMALL), "x small")
        )
        memory = growth(facts, tool)
        rows.append((f"4 GiB core, memory, {tool}", 1.5, memory, memory, "x small"))
    for name, inside in facts.inside.items():
        if name.startswith("two-"):
            numbers = (inside.get("wall"), inside.get("cpu"))
            rows.append((f"inside GDB, decoding, {name}", 50, *numbers, "ms"))
            first = (inside.get("first_wall"), inside.get("first_cpu"))
            rows.append((f"inside GDB, first decoding, {name}", 50, *first, "ms"))
    for name, runs in facts.sourcing.items():
        good = [run for run in runs if "source_wall" in run]
        keys = ("source_wall", "source_cpu")
        both = [statistics.median(run[key] for run in good) if good else None for key in keys]
        rows.append((f"source gdb_epi, {name}", 100, both[0], both[1], "ms"))
    return rows


def warm_goal(facts: Facts, case: str, text: str, limit: float) -> Goal:
    """Return a goal of decoding in a warm process."""
    timing = facts.warm.get(case, {})
    version = f", {case[4:]}" if case.startswith("two-") else ""
    return (f"{text}{version}", limit, timing.get("wall"), timing.get("cpu"), "ms")


def times(facts: Facts, case: str, tool: str, other: str) -> tuple[float | None, float | None]:
    """Return (wall, CPU) of a tool relative to another of the same rounds."""
    own, base = facts.of(case, tool), facts.of(case, other)
    if own is None or base is None or not (own.wall and own.cpu and base.wall and base.cpu):
        return None, None
    return own.wall / base.wall, own.cpu / base.cpu


def growth(facts: Facts, tool: str) -> float | None:
    """Return the peak memory on the big core relative to the small one."""
    own, base = facts.of("big", tool), facts.of("big", tool + SMALL)
    return own.rss / base.rss if own and base and own.rss and base.rss else None
