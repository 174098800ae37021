# SPDX-License-Identifier: Apache-2.0
"""Merged stacks as text: what is folded, what --native and --native-all add."""

from __future__ import annotations

from gdb_epi.cpython.frames.callee import VALUE_STACK, Callee
from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame
from gdb_epi.render.frame_lines import (
    UNLIMITED,
    calls_of_record,
    fold_calls,
    main_script,
    row_lines,
)
from gdb_epi.render.merged_stacks import ALL, FOLDED, NATIVE, stack_lines
from gdb_epi.target.api import NativeFrame


def native(pc: int, function: str | None, evidence: str = "") -> MergedFrame:
    frame = NativeFrame(
        pc, 8 * pc, function, "/l/python3.15", None, pc, None, None, False, "normal"
    )
    return MergedFrame(frame, None, evidence)


PYTHON = PyFrame(0x50, 1, "f", "C.f", "/a.py", 7, "a", "thread", "chain", True)
STACK = MergedStack(
    1,
    (
        native(1, "time_sleep"),
        native(2, "PyObject_Vectorcall"),
        native(3, None, "entry-frame"),
        MergedFrame(None, PYTHON, "entry-frame"),
        native(4, "_start"),
    ),
    None,
    ("1 Python frame is not placed",),
)
CALLEES = {0x50: Callee("time.sleep", "time_sleep", VALUE_STACK)}


def lines(detail: str) -> list[str]:
    return stack_lines(STACK, detail=detail, limit=10, callees=CALLEES)


def test_plumbing_is_folded_by_name_and_by_evidence() -> None:
    assert lines(FOLDED) == [
        "       C   time_sleep  python3.15",
        "  #0   py  C.f         /a.py:7  calling time.sleep",
        "  (3 frames of CPython's own machinery folded; --native shows them)",
        "  (1 Python frame is not placed)",
    ]


def test_native_shows_every_frame() -> None:
    shown_lines = lines(NATIVE)
    assert shown_lines[2].split() == "C name not known python3.15+0x3 (eval loop)".split()
    assert (
        shown_lines[1].split() == ["C", "PyObject_Vectorcall", "python3.15"]
        and "_start" in shown_lines[4]
    )


def test_native_all_shows_addresses_and_evidence() -> None:
    shown_lines = lines(ALL)
    assert shown_lines[2].endswith("(eval loop)  pc 0x3 sp 0x18  [eval loop: entry-frame]")
    assert shown_lines[3].endswith(
        "calling time.sleep  [frame 0x50, thread; placed by: entry-frame]"
    )


def shown(stack: MergedStack, limit: int, **options: bool) -> list[str]:
    return [line.strip() for line in stack_lines(stack, limit=limit, **options)]


def test_the_limit_counts_lines_that_are_shown() -> None:
    assert shown(STACK, 2)[:2] == ["C   time_sleep  python3.15", "#0   py  C.f         /a.py:7"]
    assert not any("more frame" in line for line in shown(STACK, 2))
    assert shown(STACK, 1)[1] == "... 1 more frame (--limit N)"
    assert shown(STACK, 1, outermost=True)[:2] == [
        "... 1 more frame", "#0   py  C.f  /a.py:7",
    ]  # fmt: skip


def test_recursion_folds_and_numbers_go_on_behind_it() -> None:
    again = [MergedFrame(None, PYTHON._replace(address=n), "entry-frame") for n in range(9)]
    outer = MergedFrame(None, PYTHON._replace(name="g", qualname="g"), "entry-frame")
    stack = MergedStack(1, (*again, outer), None)
    assert shown(stack, 10) == ["#0   py  C.f  /a.py:7  9 calls of it", "#9   py  g    /a.py:7"]
    apart = stack_lines(stack, limit=3, below=lambda frame: [f"x = {frame.address}"])
    assert [line.strip() for line in apart[1:6:2]] == ["x = 0", "x = 1", "x = 2"]
    assert apart[-1].strip() == "... 7 more frames (--limit N)"


def test_a_path_is_shown_without_the_folders_that_it_leaves_again() -> None:
    """`python ../crash.py` in /srv/app/run: `__file__` is /srv/app/run/../crash.py."""
    frame = {"name": "main", "filename": "/srv/app/run/../crash.py", "lineno": 7}
    (line,) = row_lines(fold_calls(calls_of_record([frame])), UNLIMITED)
    assert line.endswith(" /srv/app/crash.py:7")
    assert main_script([{**frame, "module": "__main__"}]) == "/srv/app/crash.py"
    same = {"name": "f", "filename": "/srv/.cache/..data/f.py", "lineno": 1}
    (line,) = row_lines(fold_calls(calls_of_record([same])), UNLIMITED)
    assert line.endswith(" /srv/.cache/..data/f.py:1")


def test_the_file_of_a_library_begins_at_its_package_and_the_programs_is_whole() -> None:
    """`gdb-epi stacks` had the folder of the interpreter in each row."""
    lib = "/root/.pyenv/versions/3.13.0/lib/python3.13"
    files = [f"{lib}/threading.py", f"{lib}/site-packages/zmq/sugar/poll.py", "/srv/app/program.py"]
    frames = [{"language": "python", "function": "f", "filename": f, "lineno": 7} for f in files]
    rows = row_lines(fold_calls(calls_of_record(frames)), UNLIMITED)
    assert [row.split()[-1] for row in rows] == [
        "threading.py:7", "zmq/sugar/poll.py:7", "/srv/app/program.py:7",
    ]  # fmt: skip
