# SPDX-License-Identifier: Apache-2.0
"""The stacks on the screen of triage: whose they are, what is folded, which calls stay."""

from __future__ import annotations

from typing import Any

import pytest

from gdb_epi.render.escape import WIDTH
from gdb_epi.render.frame_lines import StackCall, StackRow, limit_stack_rows
from gdb_epi.render.triage import (
    GDB,
    MAX_LINES,
    Audience,
    own_call_named_in_sentences,
    render_triage,
)

NATIVE = {"language": "native", "pc": "0x1000", "function": "g", "module": "/bin/prog"}
PYTHON = {"language": "python", "name": "f", "filename": "/srv/f.py", "lineno": 3}


def shown(label: str = "software", *frames: dict[str, Any], **groups: Any) -> list[str]:
    record = {
        "schema": "gdb-epi/record/1",
        "verdict": {"label": label, "confidence": 0.9, "word": "high", "reasons": []},
        "threads": {"count": 1, "crashed": {"tid": 7, "frames": list(frames)}},
        **groups,
    }
    return render_triage(record, Audience(core="core.7"))


def test_of_a_long_path_the_file_and_the_line_are_kept() -> None:
    """The end of the line was cut off, and with it the line number."""
    far = {**PYTHON, "filename": "/usr/lib/python3/dist-packages/" + "deep/" * 30 + "loader.py"}
    (line,) = (each for each in shown("software", far) if each.startswith("  py"))
    assert line.startswith("  py  f  .../deep/") and line.endswith("/loader.py:3")
    assert len(line) <= WIDTH


def test_the_programs_own_files_have_names_and_the_script_has_its_path_once() -> None:
    root = "/srv/" + "deep/" * 30
    files = ("db/models.py", "web/models.py", "web/__init__.py", "shop.py")
    frames = [{**PYTHON, "filename": root + file} for file in files]
    frames[-1]["module"] = "__main__"
    lines = shown("software", *frames)
    places = [line.split()[-1] for line in lines if line.startswith("  py")]
    assert places == ["db/models.py:3", "web/models.py:3", "web/__init__.py:3", "shop.py:3"]
    assert f"Program  {root}shop.py" in lines and "\n".join(lines).count(root) == 1


def test_what_has_no_place_is_offered_where_the_reader_is() -> None:
    errors = [{"stage": "core", "subject": str(n), "message": "why"} for n in range(40)]
    lines = shown("software", NATIVE, soft_errors=errors)
    assert any(
        "more notes: " in line and line.endswith("gdb-epi triage --all core.7") for line in lines
    )
    record = {"schema": "gdb-epi/record/1", "soft_errors": errors}
    assert any(line.endswith("  epi triage --all") for line in render_triage(record, Audience(GDB)))
    assert len(render_triage(record, Audience(whole=True))) > MAX_LINES


def test_a_recursion_counts_the_frames_that_the_record_leaves_out() -> None:
    crashed = {
        "tid": 7,
        "frames": [PYTHON] * 128,
        "frames_left_out": 403,
        "recursion": {"period": 1, "frames": 401},
        "frames_between": 400,
        "outer_frames": [PYTHON, {**PYTHON, "name": "main"}, {**PYTHON, "name": "<module>"}],
    }
    lines = shown("software", threads={"count": 1, "crashed": crashed})
    stack = [line.split() for line in lines if line.startswith("  py")]
    assert stack == [
        ["py", "f", "f.py:3", "529", "calls", "of", "it"],
        ["py", "main", "f.py:3"],
        ["py", "<module>", "f.py:3"],
    ]
    crashed["recursion"] = {"period": 1, "frames": 300}  # and then something else
    lines = shown("software", threads={"count": 1, "crashed": crashed})
    start = next(number for number, line in enumerate(lines) if "428 calls of it" in line)
    assert lines[start + 1].strip() == "... 100 more calls"


def test_a_check_that_failed_stands_above_what_it_checked() -> None:
    names = ("__pthread_kill_implementation", "raise", "abort", "__assert_fail")
    raising = [{**NATIVE, "function": name} for name in names]
    frames = [*raising, {**NATIVE, "function": "fatal_error"}, NATIVE, PYTHON]
    record = {"threads": {"count": 1, "crashed": {"tid": 7, "frames": frames}}}
    short, whole = (
        [line for line in render_triage(record, Audience(whole=w)) if line[:4] in ("  C ", "  py")]
        for w in (False, True)
    )
    assert "abort, assert_fail" in whole[0] and whole[1].split()[:2] == ["C", "fatal_error"]
    assert [line.split()[:2] for line in short] == [line.split()[:2] for line in whole[2:]]
    assert (short[-1].split()[2], whole[-1].split()[2]) == ("f.py:3", "/srv/f.py:3")


LIBC, LOCK = "libc.so.6", "_multiprocessing.cpython-311-x86_64-linux-gnu.so"


@pytest.mark.parametrize(
    ("label", "inner", "rows"),
    [
        ("hang", [("__libc_read", LIBC), ("BIO_read", "libcrypto.so.3")], ["waits in read"]),
        ("no-fault", [("__GI___poll", LIBC), ("select_poll", "select.cpython-312.so")],
         ["waits in poll"]),
        ("hang", [("_multiprocessing_SemLock_acquire_impl", LOCK)],
         ["waits in multiprocessing_SemLock_acquire"]),
        ("hang", [("__futex_abstimed_wait_common64", LIBC),
                  ("PyThread_acquire_lock_timed", "libpython3.12.so.1.0")], ["waits for a lock"]),
        ("hang", [("__futex_abstimed_wait_common", LIBC)], ["waits in futex"]),  # the GIL, perhaps
        # What the program brought along is worth a line, and so is what computes.
        ("hang", [("__libc_read", LIBC), ("fetch", "gauge.so")], ["__libc_read", "fetch"]),
        ("hang", [("memcpy", LIBC), ("g", "/usr/bin/python3")], ["memcpy", "g"]),
        ("software", [("__libc_read", LIBC), ("g", "/usr/bin/python3")], ["__libc_read", "g"]),
    ],
)  # fmt: skip
def test_c_code_below_a_plain_wait_is_one_row(
    label: str, inner: list[tuple[str, str]], rows: list[str]
) -> None:
    native = [{"language": "native", "function": f, "module": module} for f, module in inner]
    lines = [line[6:] for line in shown(label, *native, PYTHON) if line.startswith("  C   ")]
    assert [line.split("  ")[0] for line in lines] == rows


def test_a_child_of_multiprocessing_does_not_run_the_line_that_started_it() -> None:
    process = "/usr/lib/python3.11/multiprocessing/process.py"
    start = {**PYTHON, "name": "BaseProcess._bootstrap", "filename": process}
    path = process.replace("/process.py", "/popen_fork.py")
    fork = {**PYTHON, "name": "Popen._launch", "filename": path}
    for frames, named in (
        ([PYTHON, start, fork], True),
        ([start, fork, PYTHON], False),
        ([start, PYTHON], True),
    ):
        record = {"verdict": {"label": "software"}, "signal": {"name": "SIGSEGV"},
                  "threads": {"count": 1, "crashed": {"tid": 7, "frames": frames}}}  # fmt: skip
        assert (own_call_named_in_sentences(record) is not None) == named
        lines = render_triage(record)
        assert ("  ... 2 calls of the parent, which fork() copied" in lines) == (not named)
        assert ("f.py:3" in lines[0]) == named, "the parent's line says nothing of the child"
        assert any("f.py:3" in line for line in render_triage(record, Audience(whole=True)))


def test_the_stack_is_that_of_the_task_which_the_answer_names() -> None:
    """That of its event loop is always the same; --all has it."""
    poll = {**PYTHON, "filename": "/usr/lib/python3.11/selectors.py", "name": "select"}
    task = ("closing", [{**PYTHON, "name": "close", "filename": "/srv/ferry.py"}])
    record = {"verdict": {"label": "deadlock", "reasons": ["task closing waits for tasks"]},
              "threads": {"count": 1, "crashed": {"tid": 7, "frames": [poll]}}}  # fmt: skip
    lines = render_triage(record, Audience(tasks=[task]))
    start = lines.index("Stack of task closing, most recent call first")
    assert lines[start + 1] == "  py  close  ferry.py:3"
    assert any(
        "selectors.py" in line for line in render_triage(record, Audience(tasks=[task], whole=True))
    )


def test_a_circle_of_tasks_has_a_stack_for_each() -> None:
    """Task by task as the sentences name them; the stack of their event loop says nothing."""
    poll = {**PYTHON, "filename": "/usr/lib/python3.11/selectors.py", "name": "select"}
    tasks = [(name, [{**PYTHON, "name": name, "filename": "/srv/ferry.py"}]) for name in "abcd"]
    record = {"verdict": {"label": "deadlock", "reasons": [
                  "4 tasks of asyncio wait for each other: task a waits for task b; task b waits"]},
              "threads": {"count": 1, "crashed": {"tid": 7, "frames": [poll]}}}  # fmt: skip
    lines = render_triage(record, Audience(tasks=tasks))
    start = lines.index("Stack of task a, most recent call first")
    assert lines[start + 1 : start + 3] == [
        "  py  a  ferry.py:3", "Stack of task b, most recent call first",
    ]  # fmt: skip
    assert "and 1 more task of this deadlock" in lines
    assert not any("selectors.py" in line for line in lines)


def test_calls_that_were_left_out_before_are_counted_among_those_that_are_not_shown() -> None:
    """A stack of 66,926 frames was said to have 18 more."""
    pair = [{**NATIVE, "function": "encode"}, {**NATIVE, "function": "encode_list"}]
    inner = [{**NATIVE, "function": f"e{number}"} for number in range(10)]
    outer = [{**NATIVE, "function": f"f{number}"} for number in range(20)]
    crashed = {
        "tid": 7,
        "frames": [*pair * 30, *inner],
        "frames_left_out": 66_000 + len(outer),
        "frames_between": 66_000,
        "recurring": ["_ZN4json6encodeEv"],
        "outer_frames": outer,
    }
    record = {"threads": {"count": 1, "crashed": crashed}}
    lines = "\n".join(shown("software", **record))
    assert "these 2 calls, 30 times\n" in lines
    (hidden,) = (line for line in lines.splitlines() if "more call" in line)
    shown_calls = 2 * 30 + lines.count("  C   e") - 2 + lines.count("  C   f")
    assert hidden.split()[:2] == ["...", str(60 + 10 + 66_000 + 20 - shown_calls)]
    whole = {
        "schema": "gdb-epi/record/1",
        "verdict": {"label": "software", "confidence": 0.9, "word": "high", "reasons": []},
        **record,
    }
    everything = "\n".join(render_triage(whole, Audience(whole=True)))
    assert "... 66000 more calls, most of them json::encode" in everything


def test_how_often_in_all_is_said_of_a_whole_stack() -> None:
    pair = [{**NATIVE, "function": "encode"}, {**NATIVE, "function": "encode_list"}]
    assert any("these 2 calls, 9 times in all" in line for line in shown("software", *pair * 9))


@pytest.mark.parametrize("most", [4, 7, 9, 11])
@pytest.mark.parametrize("at", range(20))
def test_the_call_that_the_answer_names_is_on_a_stack_that_is_cut(most: int, at: int) -> None:
    rows = [StackRow(StackCall("C", f"f{number}")) for number in range(20)]
    shown = limit_stack_rows(rows, most, telling=[at])
    assert rows[at] in shown and len(shown) <= most
    assert shown[0] == rows[0] and sum(row.stands_for for row in shown) == len(rows)


def test_whose_exception_it_is_where_another_threads_stack_is_shown() -> None:
    record = {
        "signature": {"thread": {"tid": 8}},
        "threads": {
            "count": 2,
            "crashed": {"tid": 7, "name": "MainThread", "frames": [PYTHON]},
            "stacks": [{"tid": 8, "name": "pool_0", "frames": [PYTHON]}],
        },
        "exception": {"type": "queue.Empty", "state": "handled"},
    }
    text = "\n".join(render_triage(record))
    assert "Stack of pool_0" in text and "queue.Empty, being handled in MainThread" in text


def test_an_exception_by_which_a_library_goes_on_is_not_told_of_a_process_that_waits() -> None:
    """Pool.imap() waits inside of `except IndexError`: a tired reader chased that."""
    pool = "/usr/lib/python3.10/multiprocessing/pool.py"
    waits = {"language": "python", "name": "IMapIterator.next", "filename": pool, "lineno": 861}
    place = {"name": "next", "filename": pool, "lineno": 856}
    raised = {"type": "IndexError", "state": "handled", "raised_at": place}
    for frames, groups, heading in (
        ([waits, PYTHON], {}, False),
        ([waits, PYTHON], {"signal": {"name": "SIGSEGV"}}, True),
        ([PYTHON, waits], {}, True),  # the program's own code may handle it
    ):
        lines = shown("cannot-tell", *frames, exception=raised, **groups)
        assert any(line.startswith("Raised") for line in lines) == heading, lines


def test_a_call_that_the_sentences_name_is_on_the_stack() -> None:
    """The verdict named `a` of _sum, and the stack had "... 2 more calls" in its place."""
    inner = {**PYTHON, "name": "_sum", "filename": "/usr/lib/python3.11/site-packages/np/m.py"}
    native = [{**NATIVE, "function": f"f{n}", "module": "/lib/np.so"} for n in range(7)]
    verdict = {"label": "software", "confidence": 0.9, "reasons": ["`a` of _sum (m.py:3) is bad"]}
    frames = [*native, inner, *native, *[{**PYTHON, "name": f"g{n}"} for n in range(9)]]
    lines = shown("software", *frames, verdict=verdict)
    assert any(line.startswith("  py  _sum ") for line in lines), lines


def test_a_command_that_is_too_long_for_its_line_has_one_of_its_own() -> None:
    record = {"threads": {"count": 1, "crashed": {"tid": 7, "frames": [PYTHON]}}}
    core = f"/srv/cores/{'x' * 90}.core"
    lines = render_triage(record, Audience(core=core))
    assert f"{' ' * 11}gdb-epi stacks --locals {core}" in lines
