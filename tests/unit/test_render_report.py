# SPDX-License-Identifier: Apache-2.0
"""Reports as text and JSON: hostile strings, tables with and without tabulate, plain values."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from gdb_epi.errors import Absent, SoftError
from gdb_epi.render.escape import escape
from gdb_epi.render.report_json import render_report_json
from gdb_epi.render.report_text import render_report, soft_error_lines, table_lines
from gdb_epi.report import Report, SourceListing, unfolded_lines


def test_escape_leaves_no_control_and_no_bidi_character() -> None:
    for code in range(sys.maxunicode + 1):
        text = escape(chr(code))
        assert text.isprintable() or all(unicodedata.category(c) not in ("Cc", "Cs") for c in text)
        for character in text:
            assert unicodedata.bidirectional(character) not in (
                "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
            )  # fmt: skip
        text.encode("utf-8")


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\0b", "a\\x00b"),
        ("\x1b[31m", "\\x1b[31m"),
        ("x\x7f\x9b", "x\\x7f\\x9b"),
        ("two\nlines\r\t", "two\\x0alines\\x0d\\x09"),
        ("\u202eabc", "\\u202eabc"),
        ("\udc80", "\\udc80"),
        ("\u2028", "\\u2028"),
        ("naïve 日本語 🐍", "naïve 日本語 🐍"),
        ("", ""),
    ],
)
def test_escape(given: str, shown: str) -> None:
    assert escape(given) == shown


ROWS = [[1, None, "x\ty", True], [22, Absent("unreadable", "why"), "", False]]
COLUMNS = ("n", "value", "text", "flag")


def test_table_without_tabulate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tabulate", None)
    assert table_lines(COLUMNS, ROWS) == [
        "n   value         text    flag",
        "1   -             x\\x09y  yes",
        "22  (unreadable)          no",
    ]


def test_table_with_tabulate_has_the_same_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tabulate")
    with_it = [line.split() for line in table_lines(COLUMNS, ROWS)]
    monkeypatch.setitem(sys.modules, "tabulate", None)
    assert with_it == [line.split() for line in table_lines(COLUMNS, ROWS)]


def test_numbers_stay_as_they_are() -> None:
    """tabulate would make 0x10, 1e5 and 007 into numbers."""
    shown = table_lines(("a", "b", "c"), [["0x10", "1e5", "007"]])
    assert shown[1].split() == ["0x10", "1e5", "007"]


def test_report_shows_lines_table_listing_and_notes() -> None:
    report = Report(
        "title",
        ("a",),
        [["row"]],
        ["line"],
        soft_errors=[SoftError("s", "x", "m\n"), SoftError("s", "x", "m\n")],
        listing=SourceListing("f.py", 9, 10, ["first", "\tsecond\x1b"]),
    )
    assert render_report(report).splitlines() == [
        "line",
        "a",
        "row",
        "title",
        "    9  first",
        "-> 10          second\\x1b",
        "note: x: m\\x0a",
    ]


def test_empty_report_says_so() -> None:
    assert render_report(Report("locks")) == "locks: nothing to show"


def test_highlighting_keeps_the_number_of_lines() -> None:
    pytest.importorskip("pygments")
    lines = ["", 'text = """', "inside", '"""', "def f(): pass", ""]
    plain = Report("t", listing=SourceListing("f.py", 1, 2, lines))
    colored = render_report(plain, color=True)
    assert "\x1b[" in colored
    assert len(colored.splitlines()) == len(render_report(plain).splitlines())


def test_json_holds_any_value() -> None:
    data = {
        "absent": Absent("unreadable", "why"),
        "set": {"b", "a"},
        "bytes": b"\xff",
        "tuple": (1, None, 1.5),
        "lone": "\udc80",
        "nan": float("nan"),
        7: SoftError("s", "x", "m"),
    }
    text = render_report_json(Report("t", data=data))
    assert text.isascii()
    assert json.loads(text) == {
        "absent": {"absent": "unreadable", "detail": "why"},
        "set": ["a", "b"],
        "bytes": "ff",
        "tuple": [1, None, 1.5],
        "lone": "\udc80",
        "nan": "nan",
        "7": {"stage": "s", "subject": "x", "message": "m"},
    }


def test_json_of_a_table() -> None:
    answer = json.loads(render_report_json(Report("t", ("a", "b"), [[1, "x"]])))
    assert answer == {"title": "t", "rows": [{"a": 1, "b": "x"}], "soft_errors": []}


def test_what_follows_from_another_note_is_none_of_its_own() -> None:
    """`epi bt` said three times that the native stack ends before the Python frames."""
    ends = SoftError("native", "thread 7", "the native stack ends early")
    follows = SoftError("merge", "thread 7", "5 Python frames are not at the native frame")
    assert list(soft_error_lines([follows, ends])) == [
        "note: thread 7: the native stack ends early"
    ]
    assert list(soft_error_lines([follows])) == [f"note: thread 7: {follows.message}"]
    later = [SoftError("frames", f"thread {n}", f"why {n}") for n in range(9)]
    first = SoftError("core", "core.7", "truncated")
    lines = list(soft_error_lines([*later, first], 3))
    assert lines[0] == "note: core.7: truncated" and lines[3] == "note: and 7 more (--json has all)"


def test_what_is_to_be_said_of_several_threads_is_said_once() -> None:
    lost = [SoftError("frames", f"thread {n}", "its list is lost") for n in range(9)]
    assert list(soft_error_lines(lost)) == [
        "note: threads 0, 1, 2, 3, 4, 5 and 3 more: its list is lost"
    ]
    assert list(soft_error_lines(lost[:1])) == ["note: thread 0: its list is lost"]


def test_of_very_many_notes_the_first_are_shown_and_json_has_all() -> None:
    errors = [SoftError("frames", f"thread {n}", f"cannot read {n}") for n in range(40)]
    *shown, last = render_report(Report("bt", lines=["x"], soft_errors=errors)).splitlines()[1:]
    assert shown == [f"note: thread {n}: cannot read {n}" for n in range(12)]
    assert last == "note: and 28 more (--json has all)"
    answer = json.loads(render_report_json(Report("bt", soft_errors=errors)))
    assert len(answer["soft_errors"]) == 40
    few = render_report(Report("bt", lines=["x"], soft_errors=errors[:13])).splitlines()
    assert len(few) == 14 and "more" not in few[-1]


def test_what_a_line_says_is_no_note_again_and_a_number_stays_with_its_words() -> None:
    errors = [SoftError("python", "runtime", "the core was cut off"), SoftError("a", "b", "c")]
    shown = render_report(
        Report("t", lines=["Not decoded: the core was cut off"], soft_errors=errors)
    )
    assert shown.splitlines()[1:] == ["note: b: c"]
    for length in range(80, 100):
        (first, *_) = render_report(Report("t", lines=[f"{'x' * length} 18 MB files"])).splitlines()
        assert not first.endswith(" 18"), first
        report = Report("t", lines=[f"{'x' * length} to write to descriptor 4"])
        first, *_ = render_report(report).splitlines()
        assert not first.endswith("descriptor"), first


def test_sentences_and_tables_fit_the_screen_and_the_paths_of_stacks_stay_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`epi threads` had lines of 221 columns, `epi locks` of 141, `epi doctor` of 190."""
    monkeypatch.setenv("GDB_EPI_COLUMNS", "100")
    path = "/opt/python/lib/python3.12/site-packages/gunicorn/workers/gthread.py:553"
    row = f"  py  {'ThreadWorker.handle':<40}  {path}  calling PyObject_GetAttr"
    sentence = "  " + "thread waits for another thread, " * 6 + "held by nobody"
    table = [["MainThread", "waits for a lock, held by pool-1 (thread 7)", f"handle at {path}"]]
    note = SoftError("s", "x", "it could not be read, " * 9 + "as its file is gone")
    report = Report("t", ("name", "state", "where"), table, [sentence, row], soft_errors=[note])
    lines = render_report(report).splitlines()
    assert row in lines, "a path is copied from a stack"
    assert max(len(line) for line in lines if line != row) <= 100
    assert any(line.endswith(path) for line in lines), "and is not broken in a table"
    words = "".join("".join(lines).split())
    for text in (sentence, note.message, path):
        assert "".join(text.split()) in words
    monkeypatch.setenv("GDB_EPI_COLUMNS", "0")  # a pipe: grep and awk read a row as a line
    assert any(all(cell in line for cell in table[0]) for line in render_report(report).split("\n"))


def test_json_among_the_lines_of_a_report_is_not_folded() -> None:
    document = {"text": "a long value " * 40}
    lines = unfolded_lines(json.dumps(document, indent=1))
    assert json.loads(render_report(Report("layout table", lines=lines))) == document


def test_what_could_not_be_read_of_a_fork_is_told_without_the_numbers_of_its_signs() -> None:
    errors = [SoftError("fork", name, f"why {name}") for name in ("F1", "F2", "F3")]
    assert list(soft_error_lines(errors)) == [
        "note: what fork() left behind is known in part: see epi fork --evidence"
    ]
    assert list(soft_error_lines([SoftError("s", "Frame", "gone")])) == ["note: Frame: gone"]
