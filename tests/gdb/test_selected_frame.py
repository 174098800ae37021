# SPDX-License-Identifier: Apache-2.0
"""`epi locals`, `list` and `print` without a frame number: the Python frame of GDB's own frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from driver import Done, Gdb, read_json, run_gdb, with_epi
from support.cores import Made, program
from support.interpreters import one_per_minor, spread
from support.opening import made_or_skip, need_core_dumps, sysroot_of

from gdb_epi.cpython.frames.eval_calls import EVAL_LOOP

TITLE = re.compile(r"^(\S+) at\s+\S+:\d+$", re.MULTILINE)
MERGED: dict[tuple[Gdb, Path], list[Any]] = {}
NESTING = [
    pytest.param(interpreter, id=interpreter.id)
    for interpreter in spread("nesting", program("nesting").supports, every=3)
]


@pytest.fixture(params=NESTING)
def made(request) -> Made:
    need_core_dumps()
    return made_or_skip(request.param, "nesting")


def run(gdb: Gdb, made: Made, *commands: str) -> Done:
    sysroot = sysroot_of(made)
    words = ["-iex", f"set sysroot {sysroot}"] if sysroot else []
    return run_gdb(gdb, *with_epi(*commands), exe=made.executable, core=made.core, words=words)


def merged_of(gdb: Gdb, made: Made, out: Path) -> list[Any]:
    """Return the merged stack of each thread that runs Python; GDB is asked once for each core."""
    asked = (gdb, made.core)
    if asked not in MERGED:
        MERGED[asked] = _merged_of(gdb, made, out)
    return MERGED[asked]


def _merged_of(gdb: Gdb, made: Made, out: Path) -> list[Any]:
    done = run(gdb, made, f"epi bt --all --native --limit 1000 --json --output {out}")
    assert done.returncode == 0, done.text
    return [thread["merged"] for thread in read_json(out)["threads"] if thread["frames"]]


def expected_names(merged: Sequence[Any]) -> list[str | None]:
    """Return, for each native frame, the first Python frame that is behind it."""
    names: list[str | None] = []
    behind: str | None = None
    for frame in reversed(merged):
        if frame["language"] == "python":
            behind = frame["qualname"] or frame["name"]
        else:
            names.append(behind)
    return names[::-1]


def test_frame_apply_shows_each_frames_own_locals(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    (merged,) = merged_of(gdb, made, tmp_path / "bt.json")
    expected = expected_names(merged)
    done = run(gdb, made, "frame apply all -q epi locals")
    shown = TITLE.findall(done.stdout)
    assert shown == [name for name in expected if name], done.text
    assert len(set(shown)) > 10
    # Outside of all Python frames there is nothing to show, and `frame apply` ends there.
    outermost = expected.index(None)
    assert f"no Python frame for native frame {outermost}, which is selected" in done.stderr


def test_selected_frames_show_their_own_function(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    """What the program says is called through C: C's frame stands for the Python that calls it."""
    (merged,) = merged_of(gdb, made, tmp_path / "bt.json")
    names = [frame[0] for frame in made.truth["threads"][0]["frames"]]
    native = [frame for frame in merged if frame["language"] == "native"]
    places = {}
    for name, through in made.truth["through_c"].items():
        functions = [frame["function"] or "" for frame in native]
        level = next((n for n, f in enumerate(functions) if f == through.get("function")), None)
        if level is not None and name in names[:-1]:
            places[names[names.index(name) + 1]] = level
    if not places:
        pytest.skip("this build names none of the C functions")
    commands = []
    for name, level in places.items():
        out = tmp_path / f"{name}.json"
        commands += [f"frame {level}", f"epi locals --json --output {out}", "epi list --context 0"]
    done = run(gdb, made, *commands)
    assert done.returncode == 0, done.text
    listed = TITLE.findall(done.stdout)
    for place, name in enumerate(places):
        shown = read_json(tmp_path / f"{name}.json")
        assert shown["name"] == name
        assert shown["frame"] == names.index(name)
        assert listed[place].rpartition(".")[2] == name


def test_print_takes_names_of_the_selected_frame(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    (merged,) = merged_of(gdb, made, tmp_path / "bt.json")
    expected = expected_names(merged)
    level = next(n for n, name in enumerate(expected) if name and name.endswith("__getattr__"))
    done = run(
        gdb, made, "epi print name", f"frame {level}", "epi print name", "epi print --frame 0 name",
        "up", "epi print name", "frame 0", "epi print name",
    )  # fmt: skip
    times = 2 if expected[level + 1] == expected[level] else 1
    assert done.stdout.count("name = 'attribute'") == times, done.text
    assert done.stderr.count("no variable name") >= 3


def test_a_number_and_frame_0_mean_what_they_meant(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    (merged,) = merged_of(gdb, made, tmp_path / "bt.json")
    python = [frame for frame in merged if frame["language"] == "python"]
    names = [frame["qualname"] or frame["name"] for frame in python]
    done = run(
        gdb, made, "epi locals", "frame 12", "epi locals 0", "epi locals 2", "frame 0", "epi locals"
    )
    assert TITLE.findall(done.stdout) == [names[0], names[0], names[2], names[0]], done.text


def test_the_middle_of_a_deep_stack(gdb: Gdb, tmp_path: Path) -> None:
    """Native frames are left out there; each Python call has one of its own up to 3.10."""
    interpreter = next(
        (interpreter for interpreter in one_per_minor() if interpreter.minor == (3, 10)), None
    )
    if interpreter is None:
        pytest.skip("no CPython 3.10 is on this machine")
    made = made_or_skip(interpreter, "deep_recursion")
    innermost = len(expected_names(merged_of(gdb, made, tmp_path / "bt.json")[0]))
    assert innermost < 1000
    levels = range(1000, 1012)
    commands = [word for n in levels for word in (f"frame {n}", "epi print depth")]
    done = run(gdb, made, *commands)
    depths = [int(value) for value in re.findall(r"^depth = (\d+)$", done.stdout, re.MULTILINE)]
    assert len(depths) == len(levels), done.text
    assert depths == sorted(depths)
    # GDB's own frames say where a call begins: there the depth grows.
    frames = re.findall(r"^#1\d{3} +(?:0x\w+ in )?(\w+) \(", done.stdout, re.MULTILINE)
    grown = [outer - inner for inner, outer in pairwise(depths)]
    assert grown == [int(name == EVAL_LOOP) for name in frames[:-1]], done.text


def test_of_two_interpreters_the_inner_one_comes_first(gdb: Gdb, tmp_path: Path) -> None:
    interpreters = spread("subinterpreter", program("subinterpreter").supports, every=4)
    made = made_or_skip(interpreters[0], "subinterpreter")
    stacks = merged_of(gdb, made, tmp_path / "bt.json")
    expected = [name for name in expected_names(stacks[0]) if name]
    done = run(gdb, made, "epi locals", "frame apply all -q epi locals")
    assert TITLE.findall(done.stdout) == [expected[0], *expected], done.text
    assert len(set(expected)) > 1


def test_every_thread_has_its_own(gdb: Gdb, threads_core: Made, tmp_path: Path) -> None:
    stacks = merged_of(gdb, threads_core, tmp_path / "bt.json")
    innermost = [expected_names(merged)[0] for merged in stacks]
    done = run(gdb, threads_core, "thread apply all -s -q epi locals")
    assert sorted(TITLE.findall(done.stdout)) == sorted(filter(None, innermost)), done.text
    every = [name for merged in stacks for name in expected_names(merged) if name]
    done = run(gdb, threads_core, "thread apply all -s -q frame apply all -s -q epi locals")
    assert sorted(TITLE.findall(done.stdout)) == sorted(every), done.text
    assert len(every) > len(innermost)
