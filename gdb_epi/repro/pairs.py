# SPDX-License-Identifier: Apache-2.0
"""Compare two records: at which key they agree, and how verdicts and versions differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.repro.expect import HALVES, LEVELS, Match, compare, keys_of
from gdb_epi.typing_lite import Any

MAX_NAMES = 50  # libraries and packages that are listed

Record = Mapping[str, Any]


def compare_records(one: Record, other: Record, at: str = "stable") -> dict[str, Any]:
    """Return the comparison as JSON values; `reached` says whether a key up to `at` is equal."""
    match = compare(keys_of(_group(one, "signature")), keys_of(_group(other, "signature")), at)
    facts = {
        "category": _both(one, other, "signature", "category"),
        "signal": _both(one, other, "signal", "name"),
        "verdict": _both(one, other, "verdict", "label"),
        "confidence": _both(one, other, "verdict", "confidence"),
        "corruption": _both(one, other, "corruption", "word"),
        "python": _both(one, other, "python", "version"),
        "executable": _both(one, other, "process", "build_id"),
        "kernel": _both(one, other, "kernel", "version"),
        "libset": _both(one, other, "libs", "libset"),
    }
    return {
        "match": match._asdict(),
        "text": [_group(_group(record, "signature"), "text") for record in (one, other)],
        "facts": {name: values for name, values in facts.items() if values != [None, None]},
        "libs": _differing(_libs(one), _libs(other)),
        "packages": _differing(_packages(one), _packages(other)),
    }


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the comparison as text."""
    match = Match(**found["match"])
    if match.level is None:
        yield "no key is equal"
    else:
        yield f"equal at {match.level}" + ("" if match.reached else ", which is not narrow enough")
    for name in (*LEVELS, *HALVES):
        word = "equal" if name in match.equal else "differs" if name in match.compared else "absent"
        yield f"  {name:<7} {word}"
        if word == "differs" and name != "exact":
            yield from (f"    {texts.get(name)}" for texts in found["text"])
    for name, (one, other) in found["facts"].items():
        yield f"{name:<11} {one}" + (f" | {other}" if one != other else " (both)")
    for title in ("libs", "packages"):
        for name, (one, other) in list(found[title].items())[:MAX_NAMES]:
            yield f"  {name}: {one or 'not there'} | {other or 'not there'}"
        left_out = len(found[title]) - MAX_NAMES
        if left_out > 0:
            yield f"  ... {left_out} more {title} differ"


def _group(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _both(one: Record, other: Record, group: str, name: str) -> list[Any]:
    return [_group(record, group).get(name) for record in (one, other)]


def _libs(record: Record) -> dict[str, str]:
    modules = _group(record, "libs").get("modules")
    listed = [m for m in modules if isinstance(m, dict)] if isinstance(modules, list) else []
    return {str(m.get("soname")): str(m.get("build_id") or "no build-id") for m in listed}


def _packages(record: Record) -> dict[str, str]:
    packages = _group(record, "python").get("packages")
    listed = [p for p in packages if isinstance(p, dict)] if isinstance(packages, list) else []
    return {str(p.get("name")): str(p.get("version") or "no version") for p in listed}


def _differing(one: dict[str, str], other: dict[str, str]) -> dict[str, list[str | None]]:
    names = sorted({*one, *other})
    return {n: [one.get(n), other.get(n)] for n in names if one.get(n) != other.get(n)}
