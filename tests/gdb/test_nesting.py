# SPDX-License-Identifier: Apache-2.0
"""Python frames among native ones where C calls Python: every GDB, every interpreter.

The programs know which of their functions are called by C and through what. The same cores are
merged again with every native name taken away: the order must not change.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from driver import Gdb, read_json, run_gdb, with_epi
from support.cores import Made, program
from support.interpreters import Interpreter, spread
from support.opening import made_or_skip, need_core_dumps

from gdb_epi.cpython.frames.eval_calls import EVAL_LOOP
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import merged_stack_json
from gdb_epi.target.api import NativeFrame
from gdb_epi.target.corefile import CoreFileTarget


def cases(*names: str) -> list[Any]:
    """Return these programs, each with interpreters of every fourth minor version that runs it."""
    return [
        pytest.param((interpreter, name), id=f"{interpreter.id}-{name}")
        for name in names
        for interpreter in spread(name, program(name).supports, every=4)
    ]


KNOWN = ("nesting", "nesting-altstack")  # programs that say what calls their functions
EVERY = pytest.mark.parametrize(
    "nested", cases(*KNOWN, "subinterpreter", "callbacks"), indirect=True
)
NESTING = pytest.mark.parametrize("nested", cases(*KNOWN), indirect=True)
NATIVE_THREAD = pytest.mark.parametrize("nested", cases("native_thread"), indirect=True)
COMMANDS = ("bt --native-all --limit 1000", "native")
PLUMBING = ("python3.", "libpython3.")
# Python's names of what these frames of `nesting` were calling, whatever build it is.
CALLING = {
    "die": "_signal.pthread_kill", "__init__": "exec", "generator": "getattr", "resume": "next",
    "by_key": "list", "start": "sorted",
}  # fmt: skip


class Nested:
    """What one GDB said of one core."""

    def __init__(self, gdb: Gdb, made: Made, folder: Path) -> None:
        self.made = made
        self.threads = read_json(folder / "bt.json")["threads"]
        self.errors = read_json(folder / "bt.json")["soft_errors"]
        self.native_threads = read_json(folder / "bt.json")["native_threads"]
        self.native = read_json(folder / "native.json")["threads"]

    @property
    def tid(self) -> int:
        return int(self.made.truth["crashed"])

    @property
    def merged(self) -> list[dict[str, Any]]:
        """The crashed thread's stack; every thread state of that thread carries the same."""
        merged_stack: list[dict[str, Any]] = next(
            t["merged"] for t in self.threads if t["tid"] == self.tid and t["frames"]
        )
        return merged_stack

    def python(self) -> list[dict[str, Any]]:
        return [frame for frame in self.merged if frame["language"] == "python"]

    def between(self) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Each Python frame but the outermost, and the native frames up to its caller."""
        frames: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
        for frame in self.merged:
            if frame["language"] == "python":
                frames.append((frame, []))
            elif frames:
                frames[-1][1].append(frame)
        return frames[:-1]


@pytest.fixture(scope="module")
def known() -> dict[tuple[str, str, str], Nested]:
    return {}


def run(gdb: Gdb, interpreter: Interpreter, name: str, folder: Path) -> Nested:
    made = made_or_skip(interpreter, name)
    lines = [f"epi {c} --json --output {folder / c.split()[0]}.json" for c in COMMANDS]
    words = ["-iex", f"set sysroot {made.sysroot}"] if made.sysroot else []
    done = run_gdb(gdb, *with_epi(*lines), exe=made.executable, core=made.core, words=words)
    assert done.returncode == 0, done.text
    return Nested(gdb, made, folder)


@pytest.fixture
def nested(request, gdb: Gdb, known, tmp_path_factory) -> Nested:
    need_core_dumps()
    interpreter, name = request.param
    key = (gdb.id, interpreter.id, name)
    if key not in known:
        known[key] = run(gdb, interpreter, name, tmp_path_factory.mktemp("nested"))
    return known[key]


@EVERY
def test_all_frames_are_there_in_order(nested: Nested) -> None:
    """Of every interpreter on the thread; the inner one's frames come first."""
    threads = [t for t in nested.made.truth["threads"] if t["native_id"] == nested.tid]
    expected = [frame[0] for thread in threads for frame in thread["frames"]]
    assert [frame["name"] for frame in nested.python()] == expected


@EVERY
def test_every_place_has_its_evidence(nested: Nested) -> None:
    minor = nested.made.interpreter.minor
    structure = "entry-frame" if minor >= (3, 12) else "cframe" if minor >= (3, 10) else None
    expected = {structure} if structure else {"symbol", "frame-pointers"}
    assert {frame["placed_by"] for frame in nested.python()} <= expected
    assert not [error for error in nested.errors if error["stage"] == "merge"]
    loops = [f for f in nested.merged if f["language"] == "native" and f["eval_loop"]]
    named = [f for f in loops if f["function"] is not None]
    assert all(f["function"].startswith("_PyEval_EvalFrameDefault") for f in named)


@NESTING
def test_c_stands_where_c_called_python(nested: Nested) -> None:
    through_c = nested.made.truth["through_c"]
    interpreter = nested.made.interpreter
    seen = set()
    for frame, native in nested.between():
        call = through_c.get(frame["name"])
        if call is not None:
            seen.add(frame["name"])
            check_called_by(call, native, names=interpreter.dwarf or not interpreter.stripped)
        elif interpreter.minor >= (3, 11):
            assert native == [], f"{frame['name']} is called by Python, in the same eval call"
        else:
            assert all(from_python(frame) for frame in native), frame["name"]
    assert seen == set(through_c)


def check_called_by(call: dict[str, str], native: list[dict[str, Any]], *, names: bool) -> None:
    assert native
    if "kind" in call:
        assert call["kind"] in {frame["kind"] for frame in native}
    if "module" in call:
        assert any(call["module"] in (frame["module"] or "") for frame in native)
    if "function" in call and names:
        functions = [frame["function"] for frame in native]
        assert any(call["function"] in (function or "") for function in functions), functions


def from_python(frame: dict[str, Any]) -> bool:
    file = (frame["module"] or "").rpartition("/")[2]
    return file.startswith(PLUMBING) and frame["kind"] != "signal"


@NESTING
def test_the_called_c_function_has_its_name(nested: Nested) -> None:
    calls = {frame["name"]: frame.get("calls") for frame in nested.python()}
    assert {name: (calls[name] or {}).get("name") for name in CALLING} == CALLING
    assert {calls[name]["evidence"] for name in CALLING} == {"value-stack"}
    plain = next(t["frames"] for t in nested.threads if t["tid"] == nested.tid and t["frames"])
    assert [f.get("calls") for f in plain] == [f.get("calls") for f in nested.python()]


@EVERY
def test_without_any_symbol_the_order_is_the_same(nested: Nested) -> None:
    target = CoreFileTarget.open(
        str(nested.made.core), sysroot=str(nested.made.sysroot) if nested.made.sysroot else None
    )
    stripped = [
        NativeFrame(**{**frame, "function": None, "filename": None, "lineno": None})
        for thread in nested.native
        if thread["tid"] == nested.tid
        for frame in thread["frames"]
    ]
    target.native_source = lambda _tid: stripped
    symbol = target.symbol
    target.symbol = lambda name: None if name == EVAL_LOOP else symbol(name)
    merged_stack = merged_stack_json(ProcessState(target).stack(nested.tid))
    assert [outline(frame) for frame in merged_stack] == [outline(frame) for frame in nested.merged]
    placed = {frame["placed_by"] for frame in merged_stack if frame["language"] == "python"}
    assert placed <= {"entry-frame", "cframe", "frame-pointers"}


def outline(frame: dict[str, Any]) -> tuple[str, Any]:
    if frame["language"] == "python":
        return ("python", frame["name"])
    return ("native", frame["pc"])


@EVERY
def test_stack_pointers_prove_it(nested: Nested) -> None:
    """On one stack the frames' stack pointers rise from the innermost to the outermost."""
    sps = [int(f["sp"], 16) for f in nested.merged if f["language"] == "native"]
    signals = [f["kind"] == "signal" for f in nested.merged if f["language"] == "native"]
    falls = [number for number, (a, b) in enumerate(pairwise(sps)) if a > b]
    assert all(signals[number] for number in falls)


@NATIVE_THREAD
def test_threads_without_python_are_shown(nested: Nested) -> None:
    native_threads = nested.native_threads
    native_ids = {thread["native_id"] for thread in nested.made.truth["threads"]}
    assert len(native_threads) == nested.made.truth["native_threads"]
    assert not native_ids & {native_thread["tid"] for native_thread in native_threads}
    merged = native_threads[0]["merged"]
    assert merged and {frame["language"] for frame in merged} == {"native"}
    assert not any(frame["eval_loop"] for frame in merged)
    assert any("libc" in (frame["module"] or "") for frame in merged)
    assert [frame["name"] for frame in nested.python()][:2] == ["die", "main"]
