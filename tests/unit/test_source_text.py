# SPDX-License-Identifier: Apache-2.0
"""Positions, the text checks and the carets, without a core."""

from __future__ import annotations

import _imp
import os
import random
import sys
import types
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from gdb_epi.cpython.frames.code_objects import linetable_runs, lnotab_runs
from gdb_epi.cpython.frames.line_tables import (
    SourcePosition,
    entries_of_runs,
    find_source_position,
    parse_location_table,
)
from gdb_epi.cpython.objects.siphash import HashKey, siphash
from gdb_epi.cpython.source.finder import VERIFIED
from gdb_epi.cpython.source.safe_file_reading import (
    MAX_SOURCE_BYTES,
    SourceFile,
    decode_source,
    read_zip_member,
    source_lines,
)
from gdb_epi.cpython.source.source_checks import SourceSite, SourceTextFit, compare_text
from gdb_epi.errors import Absent
from gdb_epi.render import source_lines as terminal_source
from gdb_epi.render.source_lines import (
    character_column,
    line_with_carets,
    listing_lines,
    terminal_text_and_columns,
)
from gdb_epi.report import SourceListing, SourceRange

TEXT = """
def outer(items):
    total = [
        item.value + len(items)
        for item in items
        if item is not None
    ]
    # a comment

    try:
        return {"ключ": total, 'é': f"{total!r}"}
    finally:
        del total
"""


def codes(code: types.CodeType) -> list[types.CodeType]:
    positions = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            positions += codes(constant)
    return positions


@pytest.mark.skipif(sys.version_info < (3, 11), reason="co_positions() came with Python 3.11")
def test_location_entries_are_co_positions() -> None:
    import argparse
    import typing

    seen = 0
    for module in (argparse, typing, os):
        with open(module.__file__ or "", encoding="utf-8") as stream:
            whole = compile(stream.read(), "x", "exec")
        for code in codes(whole):
            entries = list(parse_location_table(code.co_linetable, code.co_firstlineno))
            positions = [tuple(e.position) for e in entries for _ in range((e.end - e.start) // 2)]
            assert positions == list(code.co_positions())
            seen += len(positions)
    assert seen > 10_000


def test_old_tables() -> None:
    lnotab = bytes([4, 1, 6, 2, 0, 127, 2, 200])  # + 4 bytes: line 11; + 6: 13; then 140, 84
    at = {
        offset: find_source_position(entries_of_runs(lnotab_runs(lnotab, 10)), offset)
        for offset in (0, 4, 10, 12)
    }
    assert [where and where.line for where in at.values()] == [10, 11, 140, 84]
    table = bytes([4, 0, 6, 2, 2, 128, 8, 254])
    lines = [
        find_source_position(entries_of_runs(linetable_runs(table, 10)), offset)
        for offset in (0, 4, 10, 12, 99)
    ]
    assert [where and where.line for where in lines] == [10, 12, None, 10, None]


def test_tables_of_random_bytes_end() -> None:
    chance = random.Random(1)
    for _ in range(500):
        table = chance.randbytes(chance.randrange(60))
        for runs in (linetable_runs, lnotab_runs):
            assert all(start < end for start, end, _line in runs(table, 1))
        assert all(entry.start < entry.end for entry in parse_location_table(table, 1))


def test_siphash_is_the_one_of_this_python() -> None:
    for size in (0, 1, 7, 8, 9, 1000):
        data = random.Random(size).randbytes(size)
        expected = _imp.source_hash(3495, data)
        rounds = (1, 3) if sys.version_info >= (3, 11) else (2, 4)
        assert siphash(HashKey(3495, 0, *rounds), data).to_bytes(8, "little") == expected


def site_of(text: str, name: str) -> SourceSite:
    code = next(code for code in codes(compile(text, "x", "exec")) if code.co_name == name)
    where = tuple(dict.fromkeys(SourcePosition(*p) for p in code.co_positions() if p[0]))
    where = tuple(p for p in where if p != (code.co_firstlineno, code.co_firstlineno, 0, 0))
    names = tuple(n for n in code.co_names + code.co_varnames if not n.startswith("."))
    first = code.co_firstlineno
    return SourceSite("x", name, first, where[-1], where, names, code.co_linetable, 0)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="co_positions() came with Python 3.11")
def test_fit() -> None:
    site = site_of(TEXT, "outer")
    assert compare_text(source_lines(TEXT), site).is_convincing
    changes = {
        "a line more": "\n" + TEXT,
        "a name": TEXT.replace("total", "other"),
        "too short": TEXT[: TEXT.index("try")],
        "indentation": TEXT.replace("    ", "   "),
    }
    for what, text in changes.items():
        fit = compare_text(source_lines(text), site)
        assert fit.miss and not fit.is_convincing, what
        assert "does not fit" in fit.describe_fit()
    assert not SourceTextFit(1, 1, 0, "").is_convincing


def test_encodings() -> None:
    latin = "# coding: latin-1\nx = 'é'\n".encode("latin-1")
    assert decode_source(latin) == ("# coding: latin-1\nx = 'é'\n", "iso-8859-1", "")
    assert decode_source("\ufeffx = 'é'".encode())[:2] == ("x = 'é'", "utf-8-sig")
    for hostile in ("rot13", "hex", "undefined", "idna", "punycode", "../x", "no-such", "zlib"):
        text, encoding, problem = decode_source(f"# coding: {hostile}\nx = 1\n".encode())
        assert encoding == "utf-8" and "read as UTF-8" in problem and "x = 1" in text
    text, _, problem = decode_source(b"x = 1\ny = 2\nz = '\xff'\n")
    assert "\ufffd" in text and problem
    assert source_lines("a\r\nb\rc\x0cd\u2028e\n") == ["a", "b", "c\x0cd\u2028e"]


def carets(line: str, start: int, end: int) -> list[str]:
    return listing_lines(SourceListing("x.py", 1, 1, [line], SourceRange(1, start, 1, end)))


def test_carets_stand_below_what_they_mean() -> None:
    assert carets("x = follow()", 4, 12) == ["-> 1  x = follow()", " " * (6 + 4) + "^^^^^^^^"]
    # A wide character takes two columns, a combining one none, a tab goes to the next stop.
    assert carets("日本 = f()", 5, 8)[1] == " " * (6 + 7) + "^^^"
    assert carets("e\u0301 = f()", 5, 8)[1] == " " * (6 + 4) + "^^^"
    assert carets("\tf()", 1, 4) == ["-> 1          f()", " " * 14 + "^^^"]
    assert carets("a\x1b[31m f()", 6, 10)[0] == "-> 1  a\\x1b[31m f()"
    assert carets("a\x1b[31m f()", 7, 10)[1] == " " * (6 + 10) + "^^^"
    assert carets("short", 90, 99) == ["-> 1  short"]
    lines = ["x = f(", "    1,", "", ")"]
    shown = listing_lines(SourceListing("x.py", 8, 8, lines, SourceRange(8, 4, 11, 1)))
    assert shown == [
        "->  8  x = f(", " " * 11 + "^^",
        "    9      1,", " " * 11 + "^^",
        "   10",
        "   11  )", " " * 7 + "^",
    ]  # fmt: skip


def test_long_and_hostile_lines_are_cut() -> None:
    text, columns = terminal_text_and_columns("x" * 5_000_000)
    assert len(text) < 3000 and len(columns) < 3000
    text, columns = terminal_text_and_columns("\u202e\x00" + "\t" * 100)
    assert "\u202e" not in text and "\x00" not in text
    assert len(columns) == 103
    assert character_column("日本", 3) == 1 and character_column("日本", 4) == 1
    assert list(line_with_carets(["    return f(x) + 1"], 1, SourceRange(1, 11, 1, 15))) == [
        "return f(x) + 1",
        "       ^^^^",
    ]
    assert list(line_with_carets([], 1, None)) == []


def test_members_of_archives(tmp_path: Path) -> None:
    archive = tmp_path / "app.pyz"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as handle:
        handle.writestr("package/one.py", "x = 1\n")
        handle.writestr("bomb.py", bytes(MAX_SOURCE_BYTES + 1))
    zip_member = read_zip_member(f"{archive}/package/one.py", None)
    assert isinstance(zip_member, SourceFile) and zip_member.data == b"x = 1\n"
    inside = read_zip_member("/app.pyz/package/one.py", str(tmp_path))
    assert isinstance(inside, SourceFile) and inside.data == zip_member.data
    pieces = {
        f"{archive}/two.py": "no member",
        f"{archive}/bomb.py": "larger",
        f"{tmp_path}/none.pyz/one.py": "no archive",
    }
    data = bytearray(archive.read_bytes())
    data[30 + len("package/one.py") + 1] ^= 0xFF  # of the deflated bytes
    damaged = tmp_path / "damaged.pyz"
    damaged.write_bytes(data)
    (tmp_path / "text.pyz").write_text("no archive at all")
    pieces |= {
        f"{damaged}/package/one.py": "damaged.pyz",
        f"{tmp_path}/text.pyz/one.py": "text.pyz",
    }
    for path, why in pieces.items():
        absent = read_zip_member(path, None)
        assert isinstance(absent, Absent) and why in absent.detail


def test_a_line_behind_the_end_of_its_text_has_no_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged line table may give any number; unpacking the missing line raised."""
    site = SimpleNamespace(position=SourcePosition(None, None, None, None))
    text = SimpleNamespace(lines=["a", "b"], trust=VERIFIED, site=site)
    monkeypatch.setattr(terminal_source, "Source", SimpleNamespace)
    monkeypatch.setattr(terminal_source, "PythonState", str)
    monkeypatch.setattr(
        terminal_source, "source_finder", lambda _: SimpleNamespace(find_source=lambda _: text)
    )
    below = terminal_source.source_line_reader(
        SimpleNamespace(state=SimpleNamespace(python="decoded"))
    )
    assert below(SimpleNamespace(hole=None, lineno=2)) == ["b"]
    assert below(SimpleNamespace(hole=None, lineno=3)) == []
