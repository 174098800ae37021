# SPDX-License-Identifier: Apache-2.0
"""Python frames are placed and shown under any depth of C recursion, and GDB walks little of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driver import Gdb, read_json, run_gdb, with_epi
from support.cores import Made
from support.interpreters import Interpreter, one_per_minor
from support.opening import made_or_skip

PROGRAMS = ("", "-mixed", "-next", "-python", "-repr", "-json")
MINORS = one_per_minor()
# Since 3.14 the hash of a tuple is guarded against it.
EVERYDAY = {(3, 8): "-mixed", (3, 11): "", (3, 13): "-mixed", (3, 15): "-next"}
CELLS = [
    pytest.param(
        interpreter,
        f"deep_c_calls{kind}",
        id=f"{interpreter.id}{kind}",
        marks=() if kind == EVERYDAY.get(interpreter.minor) else pytest.mark.heavy,
    )
    for interpreter in MINORS
    for kind in PROGRAMS
    if (kind in PROGRAMS[:3] or interpreter.minor < (3, 12))
    and (kind == "-next" or interpreter.minor < (3, 14))
]
LEFT_OUT = 10_000  # frames at least: GDB takes 100 us for each


def merged_of(gdb: Gdb, made: Made, file: Path) -> tuple[list[Any], list[Any]]:
    """Return the merged stack of the crashed thread, and what could not be had."""
    run_gdb(
        gdb,
        *with_epi(f"epi bt --json --output {file}"),
        exe=made.executable,
        core=made.core,
        words=("-iex", f"set sysroot {made.sysroot}") if made.sysroot else (),
    )
    bt = read_json(file)
    (thread,) = bt["threads"]
    return thread["merged"], bt["soft_errors"]


@pytest.mark.parametrize(("interpreter", "program"), CELLS)
def test_the_callers_of_a_deep_recursion(
    gdb: Gdb, interpreter: Interpreter, program: str, tmp_path: Path
) -> None:
    made = made_or_skip(interpreter, program)
    merged, errors = merged_of(gdb, made, tmp_path / "bt.json")
    gap = next(frame for frame in merged if frame.get("kind") == "sentinel")
    assert gap["left_out"] > LEFT_OUT
    named = [f["function"] for f in merged if f["language"] == "native" and f["function"]]
    assert "_start" in named[-3:] or "main" in named[-6:] or not named, "the outer end is there"
    python = [frame for frame in merged if frame["language"] == "python"]
    expected = made.truth["threads"][0]["frames"]
    outermost = [[f["name"], f["lineno"]] for f in python][-len(expected) :]
    if program == "deep_c_calls-json":  # below what told the truth there are json's own
        python = python[-len(expected) :]
    elif program != "deep_c_calls-python":
        assert len(python) == len(expected)
    assert outermost == [[name, line] for name, _, _, line in expected]
    assert all(frame["placed_by"] for frame in python), errors


def test_the_record_keeps_the_callers(gdb: Gdb, tmp_path: Path) -> None:
    interpreter = next((i for i in MINORS if (3, 11) <= i.minor < (3, 14)), None)
    if interpreter is None:
        pytest.skip("no CPython 3.11 to 3.13 is on this machine")
    made = made_or_skip(interpreter, "deep_c_calls")
    file = tmp_path / "record.json"
    run_gdb(
        gdb,
        *with_epi(f"epi record --output {file}"),
        exe=made.executable,
        core=made.core,
        words=("-iex", f"set sysroot {made.sysroot}") if made.sysroot else (),
    )
    record = read_json(file)
    facts = [f["facts"] for f in record["findings"] if f["detector"] == "stack_overflow"]
    assert [f["recursion_limit"] for f in facts] == [1 << 30], "the program raised it"
    crashed = record["threads"]["crashed"]
    assert crashed["frames_between"] > LEFT_OUT
    assert all("tuplehash" in name for name in crashed.get("recurring", ()))
    shown = [f["name"] for f in crashed["outer_frames"] if f["language"] == "python"]
    assert shown == [name for name, *_ in made.truth["threads"][0]["frames"]]
