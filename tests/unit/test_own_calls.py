# SPDX-License-Identifier: Apache-2.0
"""Which calls of a stack are the program's own: they are never left out; libraries are short."""

from __future__ import annotations

from typing import Any

import pytest

from gdb_epi.hangs.types import PYTHON, ThreadActivity
from gdb_epi.render.frame_lines import (
    NATIVE,
    StackCall,
    calls_of_record,
    fold_calls,
    library_of_call,
    limit_stack_rows,
    program_folder,
    row_lines,
)
from gdb_epi.render.triage import MAX_LINES, render_triage


def frame(module: str, filename: str, name: str = "f") -> dict[str, Any]:
    return {"name": name, "filename": filename, "lineno": 3, "module": module}


MAIN = frame("__main__", "/srv/app/run.py", "main")
ZMQ = frame("zmq.sugar.context", "/layers/zmq==26/zmq/sugar/context.py", "term")


@pytest.mark.parametrize(
    ("library", "shown"),
    [
        (ZMQ, "zmq/sugar/context.py:3"),
        (frame("six", "/usr/lib/python3/dist-packages/six.py"), "six.py:3"),
        (frame("http.client", "/usr/lib/python3.11/http/client.py"), "http/client.py:3"),
        (frame("zmq", "/layers/zmq==26/zmq/__init__.py"), "zmq/__init__.py:3"),
    ],
)
def test_files_of_libraries_begin_at_their_package(library: dict[str, Any], shown: str) -> None:
    inner, outer = row_lines(fold_calls(calls_of_record([library, MAIN])))
    assert inner.split()[-1] == shown
    assert outer.split()[-1] == "/srv/app/run.py:3"
    copied, _ = row_lines(fold_calls(calls_of_record([library, MAIN])), 1 << 20, short=False)
    assert copied.split()[-1] == f"{library['filename']}:3", "a whole path can be opened"


@pytest.mark.parametrize(
    ("main", "own"),
    [
        (MAIN, frame("shop.views", "/srv/app/shop/views.py")),
        (frame("__main__", "/srv/app/scripts/run.py"), frame("shop", "/srv/app/shop.py")),
        (frame("__main__", "/srv/app/scripts/run.py"), frame("shop", "/srv/app/src/shop.py")),
        (frame("__main__", "/srv/venv/bin/gunicorn"), frame("shop", "/home/me/shop.py")),
        (MAIN, frame("renamed", "/layers/zmq/context.py")),
        (frame("shop.main", "/srv/app/main.py"), ZMQ),
    ],
)
def test_in_doubt_a_call_is_the_programs_own(main: dict[str, Any], own: dict[str, Any]) -> None:
    assert [library_of_call(call) for call in calls_of_record([own, main])] == ["", ""]


def test_where_a_library_runs_the_program_its_folder_is_unknown() -> None:
    runner = frame("__main__", "/usr/lib/python3/dist-packages/ipykernel_launcher.py")
    cell = frame("__main__", "/tmp/ipykernel_7/1.py")
    assert program_folder([cell, runner]) == "" != program_folder([cell])


def test_of_a_long_stack_no_call_of_the_program_is_left_out() -> None:
    """`... 3 more calls` hid the line to change, while rows of C stayed."""
    inner = [StackCall(NATIVE, f"c{number}", module="libpython3.11.so") for number in range(20)]
    outer = [StackCall(NATIVE, f"d{number}", module="libpython3.11.so") for number in range(20)]
    own = calls_of_record([frame("__main__", "/srv/app/run.py", f"f{n}") for n in range(9)])
    rows = fold_calls([*inner, *own[:5], *outer, *own[5:]])
    shown = limit_stack_rows(rows, 7, room=20)
    assert [row.call for row in shown if row.call in own] == own
    words = [row.call.name for row in shown if not row.call.language]
    assert words == ["... 19 more C calls", "... 20 more C calls"]
    assert len(limit_stack_rows(rows, 7)) == 7, "nothing is said of whose calls they are"


def test_of_very_many_own_calls_some_are_counted() -> None:
    own = calls_of_record([frame("__main__", "/srv/app/run.py", f"f{n}") for n in range(50)])
    shown = limit_stack_rows(fold_calls(own), 7, room=20)
    assert len(shown) == 20
    (words,) = (row.call.name for row in shown if not row.call.language)
    assert words == "... 31 more calls, 31 of the program's own"


def test_a_thread_of_many_words_stands_in_quotes() -> None:
    """ "SIGSEGV in the harbour at night" was no time of the day."""
    name = "the harbour at night"
    stack = {"tid": 8, "name": name, "frames": [MAIN]}
    wait = {"tid": 8, "kind": "threading.Lock", "name": "x", "verdict": "cycle",
            "owner": {"tid": 9, "thread_name": "by day", "state": "live"}}  # fmt: skip
    lines = render_triage({
        "process": {"pid": 7},
        "signal": {"name": "SIGSEGV"},
        "threads": {"count": 2, "crashed": stack, "stacks": [stack]},
        "verdict": {"label": "deadlock"},
        "waits": [wait],
    })  # fmt: skip
    assert f'Signal   SIGSEGV in "{name}" (thread 8)' in lines
    assert f'Stack of "{name}", most recent call first' in lines
    assert f'Waits    "{name}" waits for x (threading.Lock), held by "by day"' in lines
    assert ThreadActivity(8, name, PYTHON).who() == f'"{name}"'


def test_the_name_of_an_extension_is_not_cut_for_what_it_was_built_for() -> None:
    call = StackCall(NATIVE, "add", module="_umath.cpython-311-x86_64-linux-gnu.so")
    assert list(row_lines(fold_calls([call]), 40)) == ["  C   add  _umath.so"]
    assert list(row_lines(fold_calls([call]), 100)) == [f"  C   add  {call.module}"]
    unnamed = call._replace(name="", module="_compression.abi3.so", offset=0x10)
    (line,) = row_lines(fold_calls([unnamed]), 44)
    assert line == "  C   name not known  _compression.so+0x10"


def test_many_own_calls_do_not_push_the_next_steps_off_the_screen() -> None:
    frames: list[dict[str, Any]] = []
    for number in range(40):
        for name in ("c", "d"):
            frames.append(
                {"language": "native", "pc": "0x1", "function": name, "module": "libm.so"}
            )
        frames.append({**frame("__main__", "/srv/app/run.py", f"f{number}"), "language": "python"})
    lines = render_triage({"threads": {"count": 1, "crashed": {"tid": 7, "frames": frames}}})
    assert len(lines) <= MAX_LINES and any(line.startswith("Next") for line in lines)
    assert "of the program's own" in "\n".join(lines)
