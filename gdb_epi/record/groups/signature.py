# SPDX-License-Identifier: Apache-2.0
"""The signature gsig/2 and the quality of its inputs (gdb_epi/signature/SPEC.md)."""

from __future__ import annotations

from gdb_epi.record.registry import SEVERAL_GROUPS, Json, RecordNotes, RecordParts, group
from gdb_epi.signature.sign import ASSERTION, asserting_function
from gdb_epi.signature.types import Signature

MAX_STEPS = 128


@group("quality", order=20)
def stack_quality(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return how the signed stack was unwound, and the share of its native frames with a name."""
    stack = parts.signed.stack
    natives = [frame.native for frame in stack.frames if frame.native] if stack else []
    named = sum(bool(frame.function) for frame in natives)
    return {
        "unwinder": parts.signed.signature.quality,
        "symbols": round(named / len(natives), 3) if natives else None,
    }


@group("signature", order=140)
def signature(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return the keys of the crash, the lines that they are the hash of, and the steps."""
    signed = parts.signed.signature
    fields: Json = {
        "version": signed.version,
        "category": signed.category.name,
        "evidence": signed.category.evidence,
        "thread": {"tid": signed.tid, "why": signed.thread_why},
        "keys": {
            "core_key": signed.core_key,
            **{name: key.value for name, key in signed.keys.items()},
        },
        "text": {name: key.text for name, key in signed.keys.items()},
        "absent": dict(signed.absent),
        "native": signed.native,
        "quality": signed.quality,
        "steps": _log_of_rules(signed),
    }
    # SPEC.md 1.3: the key by which a fleet groups crashes.
    name = next((n for n in ("stable", "python", "native", "exact") if n in signed.keys), None)
    if name is not None:
        fields["group"] = {"key": name, "value": signed.keys[name].value}
    if signed.category.name == ASSERTION:
        fields["assertion"] = asserting_function(parts.signed.inputs, ASSERTION)
    if signed.hang is not None:
        fields["hang"] = signed.hang.as_json()
    if signed.secondary is not None:
        fields["secondary"] = {
            "tid": signed.secondary.tid,
            "keys": {name: key.value for name, key in signed.secondary.keys.items()},
            "text": {name: key.text for name, key in signed.secondary.keys.items()},
        }
    return fields


@group(SEVERAL_GROUPS, order=204)
def nameless_function_fact(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return the name that a function without one has by its instructions (N68), as a fact."""
    name = parts.signed.signature.function_code
    return None if name is None else {"facts": {"function_code": name}}


def _log_of_rules(signed: Signature) -> list[str]:
    """Return the log of rules, without what `category` and `thread` say already."""
    repeated = tuple(filter(None, (signed.category.evidence, signed.thread_why)))
    return [step for step in signed.steps if not step.endswith(repeated)][:MAX_STEPS]
