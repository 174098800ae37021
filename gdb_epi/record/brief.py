# SPDX-License-Identifier: Apache-2.0
"""What a record does not say twice: usual and repeated values are left out, and put back again.

`brief` makes the form that is written, `expand` the one in which nothing has to be looked up
elsewhere: expand(brief(record)) == record. SCHEMA.md ("Left out") has the rules. Records of before
these rules say everything themselves; `expand` leaves them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.lean import Any
from gdb_epi.record.briefstacks import brief_stacks, expand_stacks

Json = dict[str, Any]

# Of a group that is there: an absent key has this value.
USUAL: Mapping[str, Mapping[str, Any]] = {
    "python": {"finalizing": False},
    "fork": {"evidence": [], "unreadable": []},
    "corruption": {"ambiguous": None, "fault": None, "against": []},
}
_NO_NATIVE = "no native stack"


def brief(record: Mapping[str, Any]) -> Json:
    """Return a full record without what its other parts, or SCHEMA.md, say."""
    found = {name: _without(USUAL.get(name, {}), value) for name, value in record.items()}
    signature = found.get("signature")
    if isinstance(signature, dict):
        if signature.get("quality") == _unwinder(record):
            signature.pop("quality", None)
        told, short = _native_reasons(signature)
        signature["absent"] = {
            key: short if why == told else why for key, why in signature["absent"].items()
        }
    brief_stacks(found)
    return found


def expand(record: Mapping[str, Any]) -> Json:
    """Return a record in which every key has its value; what it does not tell stays absent.

    A minimal record, which names no tool, has no usual values.
    """
    if not isinstance(record.get("tool"), str):
        return dict(record)
    found = {name: _with(USUAL.get(name, {}), value) for name, value in record.items()}
    signature = found.get("signature")
    if isinstance(signature, dict):
        signature.setdefault("quality", _unwinder(record))
        absent = signature.get("absent")
        if isinstance(absent, dict):
            told, short = _native_reasons(signature)
            signature["absent"] = {
                key: told if why == short else why for key, why in absent.items()
            }
    expand_stacks(found)
    return found


def _unwinder(record: Mapping[str, Any]) -> Any:
    quality = record.get("quality")
    return quality.get("unwinder") if isinstance(quality, dict) else None


def _native_reasons(signature: Json) -> tuple[str, str]:
    """Return what keys say that lack the native half: in full, and without its reason."""
    why = signature["absent"].get("native")
    return (f"{_NO_NATIVE} ({why})", _NO_NATIVE) if isinstance(why, str) else (_NO_NATIVE,) * 2


def _without(usual: Mapping[str, Any], group: Any) -> Any:
    if not isinstance(group, dict):
        return group
    return {key: value for key, value in group.items() if value != usual.get(key, ...)}


def _with(usual: Mapping[str, Any], group: Any) -> Any:
    if not isinstance(group, dict):
        return group
    missing = {key: value for key, value in usual.items() if key not in group}
    return {**group, **missing}
