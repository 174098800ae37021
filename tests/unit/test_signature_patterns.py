# SPDX-License-Identifier: Apache-2.0
"""Expressions that are compiled late match what they would if they were compiled at once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gdb_epi.signature import foreign_names, mangled, native_names, printed_names
from gdb_epi.signature.drops import load_drop_sets
from gdb_epi.signature.patterns import Pattern, beginnings

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


def test_drop_sets_by_first_letter_are_the_drop_sets() -> None:
    drops = load_drop_sets()
    names = SHOWN | RAW | MORE | set(drops.names)
    slow = [(tag, re.compile(text)) for tag, text in drops.patterns]
    for name in names:
        plain = next((tag for tag, pattern in slow if pattern.fullmatch(name)), None)
        assert drops.native_class(name) == (drops.names.get(name) or plain), name
    assert len({drops.native_class(name) for name in names}) > 10


@pytest.mark.parametrize(
    "module", [foreign_names, mangled, native_names, printed_names], ids=lambda m: m.__name__
)
def test_marks_exclude_nothing_that_matches(module: object) -> None:
    known = [one for one in vars(module).values() if isinstance(one, Pattern)]
    assert known
    for pattern in known:
        plain = re.compile(pattern._text)
        for name in SHOWN | RAW | MORE:
            assert bool(pattern.search(name)) == bool(plain.search(name)), (pattern._text, name)
            assert pattern.sub("#", name) == plain.sub("#", name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("std::.*", ["std::"]),
        ("_?Py_X?(INCREF|DECREF)\\w*", ["_", "Py_X", "Py_INCREF", "Py_DECREF"]),
        ("(lib)?python3(\\.\\d+)?", ["lib", "python3"]),
        ("a|b(c|d)|e", ["a", "bc", "bd", "e"]),
        ("_*x", ["_", "x"]),
        ("[ab]c", [""]),
        ("ab{2}", ["a"]),
        ("a\\.b+c", ["a.b"]),
    ],
)
def test_beginnings(text: str, found: list[str]) -> None:
    """Each text that matches begins with one of them."""
    assert set(found) <= set(beginnings(text))
    assert "" not in beginnings(text) or found == [""]
