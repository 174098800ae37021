# SPDX-License-Identifier: Apache-2.0
"""Expressions that are compiled late match what they would if they were compiled at once."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from gdb_epi.demangle import foreign_names, printed_names
from gdb_epi.demangle import itanium as mangled
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.signature import native_names
from gdb_epi.signature.drop_sets import load_drop_sets

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import drop_table
from drop_table import DATA, TABLE
from drop_table import _parser as re_parser

ENDS = ("", "x", "_", "1", "x y", ":", "\n", "\u00e9", "::x<T>", "foo_bar!?", ".so.1!?")
FILE = Path(__file__).parent / "data" / "signature_vectors.json"
VECTORS = json.loads(FILE.read_text())["vectors"]
RAW = {f["function"] for v in VECTORS for f in v["frames"] if f.get("function")}
SHOWN = {
    part.split(" ")[-1]
    for vector in VECTORS
    for key in vector["keys"].values()
    for part in re.split(" <--? ", key["text"])
}
MORE = {
    "<&mut core::ops::x", "&core::fmt::x", "<core::x", "core::fmt::x", "alloc::vec::V",
    "<alloc::vec::V", "je_malloc", "_PyMem_RawFree", "jemalloc", "libpython3.11.so.1.0!?",
    "libc.so.6!?", "__isoc99_sscanf", "_IO_vfprintf_internal", "__futex_abstimed_wait_common",
    "printf", "x", "_", "PyMutex_LockSlow", "_PyMutex_LockTimed", "",
}  # fmt: skip


def sets() -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return names and expressions of drops.json with their classes, in its order."""
    names, patterns = {}, []
    for entry in json.loads(DATA.read_text())["sets"]:
        for part in entry["entries"]:
            names.update(dict.fromkeys(part["names"], entry["class"]))
            patterns += [(entry["class"], text) for text in part["patterns"]]
    return names, patterns


def test_the_table_is_made_of_the_drop_sets() -> None:
    """`python tests/tools/drop_table.py` writes it anew."""
    assert drop_table.written() == TABLE.read_text()


def test_the_table_answers_as_the_drop_sets_do() -> None:
    drops = load_drop_sets()
    exact, patterns = sets()
    slow = [(tag, re.compile(text)) for tag, text in patterns]
    names = SHOWN | RAW | MORE | set(drops.names)
    names |= {
        start + end
        for row in json.loads(TABLE.read_text())["rows"]
        for start in row[0]
        for end in ENDS
    }
    for name in names:
        plain = next((tag for tag, pattern in slow if pattern.fullmatch(name)), None)
        assert drops.native_drop_class(name) == (exact.get(name) or plain), name
    assert len({drops.native_drop_class(name) for name in names}) > 10


@pytest.mark.parametrize(
    "module", [foreign_names, mangled, native_names, printed_names], ids=lambda m: m.__name__
)
def test_marks_exclude_nothing_that_matches(module: object) -> None:
    patterns = [var for var in vars(module).values() if isinstance(var, LazyPattern)]
    assert patterns
    for pattern in patterns:
        plain = re.compile(pattern._text)
        for name in SHOWN | RAW | MORE:
            assert bool(pattern.search(name)) == bool(plain.search(name)), (pattern._text, name)
            assert pattern.sub("#", name) == plain.sub("#", name)


@pytest.mark.parametrize(
    ("text", "starts", "needs"),
    [
        ("std::.*", ["std::"], []),
        ("_?Py_X?(INCREF|DECREF)\\d", ["Py_INCREF", "Py_DECREF", "_Py_XDECREF"], []),
        ("(lib)?python3(\\.\\d+)?[td]*(\\.so)?", ["libpython3", "python3"], []),
        ("_*xyz", [""], [["xyz"]]),
        ("[ab]c\\w", ["ac", "bc"], []),
        ("ab{2}", ["a"], []),
        ("_+(cond|mutex)_\\w+", [""], [["cond", "mutex"]]),
        ("\\w+(abc|d\\w)", [""], []),  # one of the two needs nothing of three letters
    ],
)
def test_beginnings_and_what_must_occur(
    text: str, starts: list[str], needs: list[list[str]]
) -> None:
    tree = list(re_parser.parse(text))
    prefixes, rest = drop_table.beginnings(tree)
    assert set(starts) <= set(prefixes)
    assert drop_table.needed(rest) == needs


@pytest.mark.parametrize(
    ("text", "every", "some"),
    [
        ("_?Py(Mem|Object)", ["PyMem", "PyObject", "_PyMem", "_PyObject"], None),
        ("f_(a|b\\w+)\\w*", None, ["f_a"]),
        ("_*x", None, ["x"]),
        ("\\w+x", None, None),
    ],
)
def test_the_texts_of_an_expression(
    text: str, every: list[str] | None, some: list[str] | None
) -> None:
    tree = list(re_parser.parse(text))
    assert drop_table.texts(tree) == every
    assert drop_table.texts(tree, some=True) == (some or every)
