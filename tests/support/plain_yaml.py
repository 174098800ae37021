# SPDX-License-Identifier: Apache-2.0
"""The part of YAML that our documents use: maps, lists, plain scalars, quotes, `|` blocks, [a, b].

The standard library reads no YAML. What is not understood is an error, never a guess.
"""

from __future__ import annotations

import re
from typing import Any

_KEY = re.compile(r"([A-Za-z0-9_-]+):(?: (.*))?$")


def read_yaml(text: str) -> Any:
    """Return the value of a document."""
    lines = [line for line in text.splitlines() if line.strip()]
    value, at = _block(lines, 0, 0)
    assert at == len(lines), f"left over: {lines[at]!r}"
    return value


def _indent(line: str) -> int:
    assert "\t" not in line
    return len(line) - len(line.lstrip(" "))


def _block(lines: list[str], at: int, indent: int) -> tuple[Any, int]:
    if lines[at].lstrip().startswith("- "):
        return _list(lines, at, indent)
    return _map(lines, at, indent)


def _list(lines: list[str], at: int, indent: int) -> tuple[list[Any], int]:
    values = []
    while at < len(lines) and _indent(lines[at]) == indent and lines[at][indent:].startswith("- "):
        rest = lines[at][indent + 2 :]
        if _KEY.match(rest) and not rest.startswith(("'", '"')):
            lines[at] = " " * (indent + 2) + rest
            value, at = _map(lines, at, indent + 2)
        else:
            value, at = _scalar(rest), at + 1
        values.append(value)
    return values, at


def _map(lines: list[str], at: int, indent: int) -> tuple[dict[str, Any], int]:
    values: dict[str, Any] = {}
    while at < len(lines) and _indent(lines[at]) == indent:
        matched = _KEY.match(lines[at].strip())
        assert matched, f"no key: {lines[at]!r}"
        key, rest = matched[1], (matched[2] or "").strip()
        assert key not in values, f"twice: {key}"
        at += 1
        if rest == "|":
            inner = []
            while at < len(lines) and _indent(lines[at]) > indent:
                inner.append(lines[at])
                at += 1
            cut = _indent(inner[0])
            values[key] = "".join(f"{line[cut:]}\n" for line in inner)
        elif rest:
            values[key] = _scalar(rest)
        else:
            assert at < len(lines) and _indent(lines[at]) > indent, f"nothing below {key}"
            values[key], at = _block(lines, at, _indent(lines[at]))
    return values, at


def _scalar(text: str) -> Any:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in text[1:-1].split(",")]
    if text[0] in "'\"":
        assert text[-1] == text[0] and text[0] not in text[1:-1]
        return text[1:-1]
    # A plain scalar may hold neither of these (YAML 1.2, 7.3.3).
    assert not re.search(r": | #", text) and text[0] not in "&*!|>%@`{}[],?", text
    return {"true": True, "false": False}.get(text, text)
