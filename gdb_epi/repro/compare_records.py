# SPDX-License-Identifier: Apache-2.0
"""Compare two records: at which key they agree, and how verdicts and versions differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.record.record_parts import get_group, get_groups
from gdb_epi.repro.expected_crash import HALVES, LEVELS, KeyMatch, compare_keys, read_signature_keys
from gdb_epi.typing_lite import Any

MAX_NAMES = 50  # libraries and packages that are listed

Record = Mapping[str, Any]


def compare_records(first: Record, second: Record, at: str = "stable") -> dict[str, Any]:
    """Return the comparison as JSON values; `reached` says whether a key up to `at` is equal."""
    wanted, actual = (
        read_signature_keys(get_group(record, "signature")) for record in (first, second)
    )
    match = compare_keys(wanted, actual, at)
    facts = {
        "category": _both(first, second, "signature", "category"),
        "signal": _both(first, second, "signal", "name"),
        "verdict": _both(first, second, "verdict", "label"),
        "confidence": _both(first, second, "verdict", "confidence"),
        "corruption": _both(first, second, "corruption", "word"),
        "python": _both(first, second, "python", "version"),
        "executable": _both(first, second, "process", "build_id"),
        "kernel": _both(first, second, "kernel", "version"),
        "libset": _both(first, second, "libs", "libset"),
    }
    return {
        "match": match._asdict(),
        "text": [get_group(get_group(record, "signature"), "text") for record in (first, second)],
        "facts": {name: values for name, values in facts.items() if values != [None, None]},
        "libs": _differing(_libs(first), _libs(second)),
        "packages": _differing(_packages(first), _packages(second)),
    }


def comparison_lines(comparison: Mapping[str, Any]) -> Iterator[str]:
    """Yield the comparison as text."""
    match = KeyMatch(**comparison["match"])
    if match.level is None:
        yield "no key is equal"
    else:
        yield f"equal at {match.level}" + ("" if match.reached else ", which is not narrow enough")
    for name in (*LEVELS, *HALVES):
        word = "equal" if name in match.equal else "differs" if name in match.compared else "absent"
        yield f"  {name:<7} {word}"
        if word == "differs" and name != "exact":
            yield from (f"    {texts.get(name)}" for texts in comparison["text"])
    for name, (first, second) in comparison["facts"].items():
        yield f"{name:<11} {first}" + (f" | {second}" if first != second else " (both)")
    for title in ("libs", "packages"):
        for name, (first, second) in list(comparison[title].items())[:MAX_NAMES]:
            yield f"  {name}: {first or 'not there'} | {second or 'not there'}"
        left_out = len(comparison[title]) - MAX_NAMES
        if left_out > 0:
            yield f"  ... {left_out} more {title} differ"


def _both(first: Record, second: Record, group: str, name: str) -> list[Any]:
    return [get_group(record, group).get(name) for record in (first, second)]


def _libs(record: Record) -> dict[str, str]:
    modules = get_groups(get_group(record, "libs"), "modules")
    return {str(m.get("soname")): str(m.get("build_id") or "no build-id") for m in modules}


def _packages(record: Record) -> dict[str, str]:
    packages = get_groups(get_group(record, "python"), "packages")
    return {str(p.get("name")): str(p.get("version") or "no version") for p in packages}


def _differing(first: dict[str, str], second: dict[str, str]) -> dict[str, list[str | None]]:
    names = sorted({*first, *second})
    return {n: [first.get(n), second.get(n)] for n in names if first.get(n) != second.get(n)}
