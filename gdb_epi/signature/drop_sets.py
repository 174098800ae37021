# SPDX-License-Identifier: Apache-2.0
"""The drop sets: which frames carry no information, by class.

The data is drops.json. What is asked is drops_table.json, which tests/tools/drop_table.py makes of
it and describes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import shipped_json

THREAD_BASE = "thread-base"
IMPORTLIB = "importlib"
COMPREHENSION = "comprehension"
NOWHERE = frozenset((IMPORTLIB, COMPREHENSION))  # classes that no key holds
# As in the table, compiled late.
_Row = tuple[tuple[str, ...], list[list[str]], str, LazyPattern, str]
_ANY, _WORD, _WORDS = _ENDS = (".*", r"\w*", r"\w+")  # ends that need no expression


class DropSets(NamedTuple):
    """Class tags by exact name, and by pattern: the first one in the order of drops.json."""

    names: Mapping[str, str]
    rows: Mapping[str, Sequence[_Row]]  # by first letter; "" for any that is not there
    python_names: Mapping[str, str]
    python_files: Mapping[str, str]
    python_functions: Mapping[str, str]

    def native_drop_class(self, name: str) -> str | None:
        """Return the class tag of a normalised native name, or None for an interesting one."""
        exact = self.names.get(name)
        if exact is not None or not name:
            return exact
        for starts, needs, text, pattern, tag in self.rows.get(name[0], self.rows[""]):
            if not name.startswith(starts):
                continue
            if text in _ENDS:
                if any(_has_allowed_ending(name, start, text) for start in starts):
                    return tag
            elif _has_text_of_each_set(needs, name) and pattern.fullmatch(name) is not None:
                return tag
        return None

    def python_drop_class(self, name: str, filename: str, function: str) -> str | None:
        """Return the class tag of a Python frame, or None for an interesting one.

        `name` is the normalised name, `function` the plain one.
        """
        by_file = self.python_files.get(filename)
        return by_file or self.python_names.get(name) or self.python_functions.get(function)


def _has_text_of_each_set(needs: list[list[str]], name: str) -> bool:
    """Whether a name has one text of each set; loops, since every name comes here many times."""
    for some in needs:
        for mark in some:
            if mark in name:
                break
        else:
            return False
    return True


def _tags_by_name(classes: dict[str, list[str]]) -> dict[str, str]:
    return {name: tag for tag, names in classes.items() for name in names}


def _has_allowed_ending(name: str, start: str, kind: str) -> bool:
    """Tell whether a name goes on after a beginning in letters, or in anything on the line."""
    if not name.startswith(start):
        return False
    tail = name[len(start) :]
    if kind == _ANY:
        return "\n" not in tail
    return (tail + "_" * (kind == _WORD)).replace("_", "a").isalnum()


@cache
def load_drop_sets() -> DropSets:
    """Read the table, which lies beside this module."""
    table = shipped_json(__file__, "drops_table.json")
    rows: list[_Row] = [
        (tuple(starts), needs, text, LazyPattern(text), tag)
        for starts, needs, text, tag in table["rows"]
    ]
    return DropSets(
        _tags_by_name(table["names"]),
        {letter: [rows[at] for at in places] for letter, places in table["letters"]},
        _tags_by_name(table["python_names"]),
        _tags_by_name(table["python_files"]),
        _tags_by_name(table["python_functions"]),
    )
