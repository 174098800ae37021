# SPDX-License-Identifier: Apache-2.0
"""Write gdb_epi/signature/drops_table.json: what drops.json says, in the form that is fast to ask.

    python tests/tools/drop_table.py

Most processes sign one stack: to understand and to compile the expressions took longer than the
stack itself. Here expressions of few texts become names, those of a fixed beginning and any end
need no expression, and of the others it is known which texts must occur where they match.
A row: beginnings; sets of which each has one text that must occur; the expression, of which the
end is left where it is one of three that need none; the class. A test holds the table against
drops.json.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    from re import _constants as sre
    from re import _parser
except ImportError:  # Python 3.10
    import sre_constants as sre
    import sre_parse as _parser

DATA = ROOT / "gdb_epi" / "signature" / "drops.json"
TABLE = DATA.with_name("drops_table.json")
MAX_TEXTS = 64  # of an expression that becomes names, or of its beginnings
MIN_NEEDED = 3  # letters of a text that must occur
ANY, WORD, WORDS = ".*", r"\w*", r"\w+"
Tree = list[tuple[Any, Any]]


def texts(tree: Tree, *, some: bool = False) -> list[str] | None:
    """Return every text that an expression matches, or `some` of them; None for too many."""
    matched = [""]
    for op, value in tree:
        if op is sre.LITERAL:
            more: list[str] | None = [chr(value)]
        elif op is sre.SUBPATTERN:
            more = texts(value[-1], some=some)
        elif op is sre.BRANCH:
            parts = [texts(list(part), some=some) for part in value[1]]
            whole = some or None not in parts
            more = [text for part in parts for text in part or ()] if whole else None
        elif op is sre.IN and all(kind is sre.LITERAL for kind, _ in value):
            more = [chr(letter) for _, letter in value]
        elif op is sre.MAX_REPEAT and value[:2] == (0, 1):
            inner = texts(value[2], some=some)
            more = None if inner is None else ["", *inner]
        elif op is sre.MAX_REPEAT and some and not value[0]:
            more = [""]
        else:
            more = None
        if more is None or len(matched) * len(more) > MAX_TEXTS:
            return None
        matched = [text + other for text, other in product(matched, more)]
    return list(dict.fromkeys(matched))


def beginnings(tree: Tree) -> tuple[list[str], Tree]:
    """Return texts of which one begins whatever matches, and what is left of the expression."""
    matched = [""]
    for at, part in enumerate(tree):
        more = texts([part])
        if more is None or len(matched) * len(more) > MAX_TEXTS:
            return matched, tree[at:]
        matched = [text + other for text, other in product(matched, more)]
    return matched, []


def needed(tree: Tree) -> list[list[str]]:
    """Return sets of texts: of each set one must occur wherever the expression matches."""
    sets: list[list[str]] = []
    run = ""
    for op, value in [*tree, (None, None)]:
        if op is sre.LITERAL:
            run += chr(value)
            continue
        sets += [[run]] if run else []
        run = ""
        if op is sre.SUBPATTERN:
            sets += needed(value[-1])
        elif op is sre.BRANCH:
            parts = [max(needed(list(part)), key=_least, default=[]) for part in value[1]]
            sets += [[text for part in parts for text in part]] if all(parts) else []
    return [choice for choice in sets if _least(choice) >= MIN_NEEDED]


def _least(some: list[str]) -> int:
    return min(map(len, some), default=0)


def tail_of(tree: Tree) -> str | None:
    """Return which of the three ends an expression is; None for another."""
    if len(tree) != 1 or tree[0][0] is not sre.MAX_REPEAT:
        return None
    least, most, what = tree[0][1]
    if most is not sre.MAXREPEAT or len(what) != 1:
        return None
    op, value = what[0]
    if op is sre.ANY:
        return ANY if least == 0 else None
    if op is sre.IN and value == [(sre.CATEGORY, sre.CATEGORY_WORD)]:
        return {0: WORD, 1: WORDS}.get(least)
    return None


def tables() -> dict[str, Any]:
    """Return the names, the rows by first letter, and Python's names."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    names: dict[str, str] = {}
    patterns: dict[str, str] = {}  # the first class of an expression is its class
    for entry in data["sets"]:
        for part in entry["entries"]:
            names.update(dict.fromkeys(part["names"], entry["class"]))
            for pattern in part["patterns"]:
                patterns.setdefault(pattern, entry["class"])
    rows: list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], str, str]] = []
    for text, tag in patterns.items():
        tree = list(_parser.parse(text))
        if texts(tree) is not None:
            continue  # names, all of them
        starts, rest = beginnings(tree)
        tail = tail_of(rest) if rest else None
        needs = [] if tail else [choice for choice in needed(rest) if choice]
        rows.append((tuple(starts), tuple(map(tuple, needs)), tail or text, tag))
    python: dict[str, dict[str, str]] = {"names": {}, "files": {}, "functions": {}}
    for entry in data["python"]:
        for kind, classes in python.items():
            classes.update(dict.fromkeys(entry[kind], entry["class"]))
    return {
        "names": _with_finite(names, patterns), "rows": rows, "letters": _by_letter(rows),
        "python_names": python["names"], "python_files": python["files"],
        "python_functions": python["functions"],
    }  # fmt: skip


def _with_finite(names: dict[str, str], patterns: dict[str, str]) -> dict[str, str]:
    """Add texts that expressions match, all where they are few; the first one decides, as ever."""
    import re

    all_names = dict(names)
    for text in patterns:
        for name in texts(list(_parser.parse(text)), some=True) or ():
            first = next(tag for pattern, tag in patterns.items() if re.fullmatch(pattern, name))
            all_names.setdefault(name, first)
    return all_names


def _by_letter(rows: list[Any]) -> dict[str, list[int]]:
    """Return the rows by the first letter of what they match; "" stands for any other letter."""
    letters = [{start[:1] for start in starts} for starts, *_ in rows]
    every = ["", *dict.fromkeys(start[:1] for starts, *_ in rows for start in starts if start)]
    return {
        letter: [at for at, firsts in enumerate(letters) if letter in firsts or "" in firsts]
        for letter in every
    }


def written() -> str:
    """Return the text of the table: one line for each class of names, row and letter."""
    lines = []
    for name, table in tables().items():
        if name == "rows" or name == "letters":
            parts = table if name == "rows" else [[k, v] for k, v in table.items()]
            inner = ",\n  ".join(json.dumps(part) for part in parts)
            lines.append(f' "{name}": [\n  {inner}\n ]')
        else:
            by_class: dict[str, list[str]] = {}
            for text, tag in table.items():
                by_class.setdefault(tag, []).append(text)
            inner = ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in by_class.items())
            lines.append(f' "{name}": {{\n  {inner}\n }}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    TABLE.write_text(written(), encoding="utf-8")
