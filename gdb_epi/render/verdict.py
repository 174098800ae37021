# SPDX-License-Identifier: Apache-2.0
"""The verdict as a person reads it: what it was, how sure, whether memory was damaged, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.record.reading import group_in
from gdb_epi.typing_lite import Any

Json = Mapping[str, Any]

MAX_REASONS = 3
MAX_BITS = 4  # that are named; of more only how many
CANNOT_TELL = "cannot-tell"
# Where nothing failed, damaged memory is not what a reader asks for.
_NO_FAULT = ("killed-external", "snapshot")

_SENTENCES = {
    "software": "a software bug",
    "hardware-suspect": "this machine's memory or CPU is suspect",
    "damaged-memory": "memory was damaged; one core does not tell by whom",
    "fork-inherited-lock": "a forked child waits for a lock that was already held at fork()",
    "deadlock": "a deadlock",
    "hang": "it waits for what cannot come",
    "no-fault": "nothing is wrong: it is busy, or waits for work",
    "out-of-memory": "an allocation failed",
    "killed": "killed from outside",
}
_NOT_KNOWN = "Cause not known"


def short_label(record: Json) -> str:
    """Return the verdict in a few words, for a table."""
    label = str(group_in(record, "verdict").get("label") or CANNOT_TELL)
    return "cause not known" if label == CANNOT_TELL else label


def verdict_lines(record: Json) -> Iterator[str]:
    """Yield the answer, its reasons, the doubts, and what is known of damage."""
    verdict = group_in(record, "verdict")
    label = str(verdict.get("label"))
    reasons = [str(text) for text in verdict.get("reasons", ())][:MAX_REASONS]
    if label == CANNOT_TELL:
        yield f"{_NOT_KNOWN}: {reasons[0] if reasons else 'nothing was found'}"
        reasons = reasons[1:]
    else:
        sure = f"{verdict.get('word')}, {float(verdict.get('confidence') or 0):.0%}"
        yield f"Verdict: {label}: {_SENTENCES.get(label, label)} ({sure})"
    for text in reasons:
        yield f"  because {text}"
    for text in list(verdict.get("against", ()))[:MAX_REASONS]:
        yield f"  but {text}"
    yield from damage_lines(record)


def damage_lines(record: Json) -> Iterator[str]:
    """Yield one line: the damaged word, or that there is no sign of one."""
    damage = group_in(group_in(record, "verdict"), "damage")
    if not damage:
        return
    sure = f"{float(damage.get('confidence') or 0):.0%}"
    where = str(damage.get("where") or "a place that is not known")
    if damage.get("found"):
        yield f"Damage: {_word(damage, where)} ({sure} sure)"
    elif damage.get("confidence") is not None:
        yield f"Damage: a sign of it, too weak to go by: {_word(damage, where)}"
    elif group_in(record, "signature").get("category") not in _NO_FAULT:
        yield "Damage: no sign of damaged memory"


def _word(damage: Json, where: str) -> str:
    if damage.get("should_be") is None:
        return f"at {where}"
    bits = [str(bit) for bit in damage.get("bits") or ()]
    named = f"bit {bits[0]} differs" if len(bits) == 1 else f"bits {', '.join(bits)} differ"
    if len(bits) > MAX_BITS:
        named = f"{len(bits)} bits differ"
    return f"{where} holds {damage.get('holds')}, {damage['should_be']} was meant: {named}"
