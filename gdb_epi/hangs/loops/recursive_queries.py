# SPDX-License-Identifier: Apache-2.0
"""Recursive queries of SQL that nothing in their text ends.

SQLite puts each new row of a recursive table back and asks the recursive part for more, until it
gives none (sqlite.org/lang_with.html). A comparison, LIMIT, or plain UNION with columns that come
from tables alone limits that. Without any the rows must: over those of a tree it ends, over a
circle it never does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gdb_epi.typing_lite import NamedTuple

MAX_QUERY = 1 << 16  # letters
_LEFT_OUT = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_RECURSIVE = re.compile(r"\bWITH\s+RECURSIVE\b", re.IGNORECASE)
_TABLE = re.compile(
    r"[\s,](\w+)\s*(?:\([^()]*\)\s*)?AS\s*(?:(?:NOT\s+)?MATERIALIZED\s*)?\(", re.IGNORECASE
)
_STATEMENT = re.compile(r"\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE|REPLACE)\s", re.IGNORECASE)
_UNION = re.compile(r"\bUNION\b(\s+ALL\b)?", re.IGNORECASE)
_FROM = re.compile(r"\bFROM\b", re.IGNORECASE)
_NEEDS_ALL = re.compile(
    r"\b(?:COUNT|SUM|TOTAL|AVG|MIN|MAX|GROUP_CONCAT|STRING_AGG)\s*\(|\b(?:ORDER|GROUP)\s+BY\b",
    re.IGNORECASE,
)
_READS = re.compile(r"\s*(?:SELECT|WITH)\s", re.IGNORECASE)
_COUNTS = re.compile(r"[+]|\|\|")  # each row is another one: UNION leaves none out
_LIMITS = re.compile(
    r"[<>]|!=|\b(?:LIMIT|BETWEEN|LIKE|GLOB|REGEXP|MATCH|INSTR|CASE|IIF|EXCEPT|INTERSECT)\b|"
    r"\bNOT\s+(?:IN|EXISTS)\b|\bIS\s+NOT\b(?!\s+NULL)|\bWHERE\s+NOT\b|%",
    re.IGNORECASE,
)


class UnlimitedRecursion(NamedTuple):
    """A recursive table that nothing in its query limits; `by_rows`: the rows of others may."""

    table: str
    by_rows: bool


def find_running_recursion(texts: Iterable[str]) -> UnlimitedRecursion | None:
    """Return the same of the only query that code may run; None where it has several.

    Also where it gives its rows one by one.
    """
    queries = list(dict.fromkeys(text for text in texts if _STATEMENT.match(text)))
    endless = find_unlimited_recursion(queries[0]) if len(queries) == 1 else None
    if endless is None or not _READS.match(queries[0]):
        return endless
    query = _LEFT_OUT.sub("''", queries[0][:MAX_QUERY])
    last = max(head.end() for head in _TABLE.finditer(query))
    asks = query[last + len(_text_until_closing_parenthesis(query, last)) :]
    return endless if _NEEDS_ALL.search(asks) else None


def find_unlimited_recursion(text: str) -> UnlimitedRecursion | None:
    """Return a recursive table of a query that nothing in its text limits; None without one."""
    query = _LEFT_OUT.sub("''", text[:MAX_QUERY])
    if not _RECURSIVE.search(query) or re.search(r"\bLIMIT\b", query, re.IGNORECASE):
        return None
    for head in _TABLE.finditer(query):
        name, body = head[1], _text_until_closing_parenthesis(query, head.end())
        unions = [
            each for each in _UNION.finditer(body)
            if body.count("(", 0, each.start()) == body.count(")", 0, each.start())
        ]  # fmt: skip
        if len(unions) != 1:
            continue
        part = body[unions[0].end() :]
        tables = _FROM.search(part)
        itself = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
        if tables is None or not itself.search(part, tables.end()) or _LIMITS.search(part):
            continue
        if not unions[0][1] and not _COUNTS.search(part, 0, tables.start()):
            continue
        alone = part[tables.end() :].strip().lower() == name.lower()
        return UnlimitedRecursion(name, by_rows=not alone)
    return None


def _text_until_closing_parenthesis(text: str, start: int) -> str:
    """Return a text from a place on up to the parenthesis that closes the one before it."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return text[start:at]
    return ""
