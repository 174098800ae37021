# SPDX-License-Identifier: Apache-2.0
"""The drop sets: which frames carry no information, by class. The data is drops.json."""

from __future__ import annotations

import json
import os
from functools import cache

from gdb_epi.lean import NamedTuple
from gdb_epi.signature.patterns import Pattern, beginnings

DATA_FILE = "drops.json"
THREAD_BASE = "thread-base"
IMPORTLIB = "importlib"
COMPREHENSION = "comprehension"
NOWHERE = frozenset((IMPORTLIB, COMPREHENSION))  # classes that no key holds


_Row = tuple[tuple[tuple[str, ...], Pattern, str], ...]  # beginnings, pattern, class


class DropSets(NamedTuple):
    """Class tags by exact name, and by pattern: the first one in the order of drops.json."""

    names: dict[str, str]
    patterns: tuple[tuple[str, str], ...]
    python_names: dict[str, str]
    python_files: dict[str, str]
    python_functions: dict[str, str]

    def native_class(self, name: str) -> str | None:
        """Return the class tag of a normalised native name, or None for an interesting one."""
        exact = self.names.get(name)
        if exact is not None or not name:
            return exact
        for starts, pattern, tag in self._starting(name[0]):
            if name.startswith(starts) and pattern.fullmatch(name):
                return tag
        return None

    def _starting(self, letter: str) -> _Row:
        rows = _by_letter(self.patterns)
        return rows.get(letter, rows[""])

    def python_class(self, name: str, filename: str, function: str) -> str | None:
        """Return the class tag of a Python frame, or None for an interesting one.

        `name` is the normalised name, `function` the plain one.
        """
        by_file = self.python_files.get(filename)
        return by_file or self.python_names.get(name) or self.python_functions.get(function)


@cache
def _by_letter(patterns: tuple[tuple[str, str], ...]) -> dict[str, _Row]:
    """Return the patterns by the first letter of what they match: few are ever compiled."""
    known = [(tuple(beginnings(text)), Pattern(text), tag) for tag, text in patterns]
    letters = [{start[:1] for start in starts} for starts, _, _ in known]
    rows: dict[str, list[tuple[tuple[str, ...], Pattern, str]]] = {"": []}
    rows.update((letter, []) for found in letters for letter in found)
    for row, found in zip(known, letters, strict=True):
        for letter in rows if "" in found else found:
            rows[letter].append(row)
    return {letter: tuple(found) for letter, found in rows.items()}


@cache
def load_drop_sets() -> DropSets:
    """Read drops.json, which lies beside this module."""
    # os.path, not pathlib: importing that costs more than all of this module.
    name = os.path.join(os.path.dirname(__file__), DATA_FILE)
    with open(name, encoding="utf-8") as stream:
        data = json.load(stream)
    names: dict[str, str] = {}
    patterns: list[tuple[str, str]] = []
    for entry in data["sets"]:
        found: list[str] = []
        for part in entry["entries"]:
            names.update(dict.fromkeys(part["names"], entry["class"]))
            found += part["patterns"]
        patterns += [(entry["class"], pattern) for pattern in dict.fromkeys(found)]
    python_names: dict[str, str] = {}
    python_files: dict[str, str] = {}
    python_functions: dict[str, str] = {}
    for entry in data["python"]:
        python_names.update(dict.fromkeys(entry["names"], entry["class"]))
        python_files.update(dict.fromkeys(entry["files"], entry["class"]))
        python_functions.update(dict.fromkeys(entry["functions"], entry["class"]))
    return DropSets(names, tuple(patterns), python_names, python_files, python_functions)
