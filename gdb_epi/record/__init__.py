# SPDX-License-Identifier: Apache-2.0
"""The record of one core: plain JSON values, the same for the same bytes.

record/schema/SCHEMA.md says what each group means. Nothing of the analysing machine is in it: no
clock, no path of a tool, no host; who adds those is the caller. A field that could not be had is
absent and `soft_errors` says why.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi import __version__
from gdb_epi.corruption.record_group import corruption_group
from gdb_epi.corruption.run import Study
from gdb_epi.detectors.findings import Finding, hex_word
from gdb_epi.errors import Absent, SoftError
from gdb_epi.fault.find import Fault
from gdb_epi.fault.signals import signal_name
from gdb_epi.judgement.verdict import Verdict
from gdb_epi.process_state import ProcessState
from gdb_epi.record.forks import fork_group
from gdb_epi.record.parts import (
    exception_group,
    libs_group,
    process_group,
    python_group,
    threads_group,
    waits_group,
)
from gdb_epi.record.redact import policy, redact_text, without_people
from gdb_epi.record.registry import Notes, add_groups
from gdb_epi.signature.sign import ASSERTION, Signed, asserting_function
from gdb_epi.signature.types import Signature
from gdb_epi.target.missing import missing_memory, missing_text
from gdb_epi.typing_lite import Any, NamedTuple

SCHEMA = "gdb-epi/record/1"
MAX_SOFT_ERRORS = 64
MAX_FINDINGS = 64
MAX_LOST_STACKS = 256
MAX_STEPS = 128

Json = dict[str, Any]


class Parts(NamedTuple):
    """Everything that a record is made of."""

    state: ProcessState
    signed: Signed
    findings: Sequence[Finding]
    corruption: Study
    verdict: Verdict
    soft_errors: Sequence[SoftError]


def make_record(parts: Parts) -> Json:
    """Return the record of one core."""
    state, signature = parts.state, parts.signed.signature
    notes = Notes(parts.soft_errors)
    identity = state.target.core_key()
    if isinstance(identity, Absent):
        notes.errors.append(SoftError("core", "core_key", identity.detail))
    record: Json = {
        "schema": SCHEMA,
        "tool": f"gdb-epi {__version__}",
        "core_key": signature.core_key,
        "truncated": _truncated(state),
        "quality": {"unwinder": signature.quality, "symbols": _symbols(parts.signed)},
        "signal": _signal(state, parts.signed),
        "process": process_group(state),
        "python": python_group(state),
        "exception": exception_group(state),
        "libs": libs_group(state),
        "threads": threads_group(state, signature.tid),
        "fork": fork_group(state),
        "waits": waits_group(state),
        "corruption": corruption_group(parts.corruption),
        "findings": [_finding(one) for one in parts.findings[:MAX_FINDINGS]],
        "verdict": _verdict(parts.verdict),
        "signature": _signature(parts.signed),
        "flags": {
            "bitflip": parts.verdict.corruption in ("strong", "proven-corruption"),
            "lock_inherited": any(one.detector == "forked_child_lock" for one in parts.findings),
        },
    }
    record = {key: value for key, value in record.items() if value is not None}
    add_groups(record, parts, notes)
    record["redaction"] = policy(notes.left_out)
    record["soft_errors"] = _soft_errors(notes.errors)
    return without_people(record, notes.people)


def _truncated(state: ProcessState) -> Json:
    found = state.target.truncation()
    memory = missing_memory(state.target)
    told: Json = {
        "flag": found.truncated,
        "reason": redact_text(found.reason),
        "missing_bytes": found.missing_bytes,
    }
    if missing_text(memory):
        told["memory"] = {
            "expected_bytes": memory.expected,
            "missing_bytes": memory.missing,
            "missing_percent": memory.percent,
            "mapping_count": memory.mapping_count,
            "mappings": [
                {**one._asdict(), "start": hex_word(one.start)} for one in memory.mappings
            ],
            "stacks": list(memory.stacks[:MAX_LOST_STACKS]),
        }
    return told


def _symbols(signed: Signed) -> float | None:
    """Return the share of native frames of the signed stack that have a name."""
    natives = [f.native for f in signed.stack.frames if f.native] if signed.stack else []
    if not natives:
        return None
    return round(sum(bool(frame.function) for frame in natives) / len(natives), 3)


def _signal(state: ProcessState, signed: Signed) -> Json | None:
    crash, fault = state.crash, signed.scene.fault
    if isinstance(crash, Absent):
        return None
    found: Json = {
        "signo": crash.signo,
        "name": signal_name(crash.signo),
        "si_code": crash.si_code,
        "si_errno": crash.si_errno,
        "fault_address": None if crash.fault_address is None else hex_word(crash.fault_address),
        "sender_pid": crash.sender_pid,
        "sender_uid": crash.sender_uid,
    }
    if isinstance(fault, Fault):
        found["pc"] = hex_word(fault.pc)
        found["sender"] = fault.sender
        if fault.origin == "signal-frame":
            found["behind_handler"] = {
                "signo": fault.signo,
                "name": signal_name(fault.signo),
                "si_code": fault.code,
                "fault_address": None if fault.address is None else hex_word(fault.address),
            }
    return found


def _finding(one: Finding) -> Json:
    return {
        "detector": one.detector,
        "subject": one.subject,
        "facts": dict(one.facts),
        "summary": one.summary,
    }


def _verdict(verdict: Verdict) -> Json:
    return {
        "label": verdict.label,
        "confidence": verdict.confidence,
        "word": verdict.word,
        "reasons": list(verdict.reasons),
        "against": list(verdict.against),
    }


def _signature(signed: Signed) -> Json:
    signature = signed.signature
    found: Json = {
        "version": signature.version,
        "category": signature.category.name,
        "evidence": signature.category.evidence,
        "thread": {"tid": signature.tid, "why": signature.thread_why},
        "keys": {
            "core_key": signature.core_key,
            **{name: key.value for name, key in signature.keys.items()},
        },
        "text": {name: key.text for name, key in signature.keys.items()},
        "absent": dict(signature.absent),
        "native": signature.native,
        "quality": signature.quality,
        "steps": _steps(signature),
    }
    # SPEC.md 1.3: what a fleet groups by.
    group = next((n for n in ("stable", "python", "native", "exact") if n in signature.keys), None)
    if group is not None:
        found["group"] = {"key": group, "value": signature.keys[group].value}
    if signature.category.name == ASSERTION:
        found["assertion"] = asserting_function(signed.scene, ASSERTION)
    if signature.secondary is not None:
        found["secondary"] = {
            "tid": signature.secondary.tid,
            "keys": {name: key.value for name, key in signature.secondary.keys.items()},
            "text": {name: key.text for name, key in signature.secondary.keys.items()},
        }
    return found


def _steps(signature: Signature) -> list[str]:
    """Return the log of rules; what `category` and `thread` say already is left out."""
    known = tuple(filter(None, (signature.category.evidence, signature.thread_why)))
    told = [step for step in signature.steps if not step.endswith(known)]
    return told[:MAX_STEPS]


def _soft_errors(errors: Sequence[SoftError]) -> list[Json]:
    unique = list(dict.fromkeys(errors))
    kept = [
        {
            "stage": one.stage,
            "subject": redact_text(one.subject),
            "message": redact_text(one.message),
        }
        for one in unique[:MAX_SOFT_ERRORS]
    ]
    if len(unique) > MAX_SOFT_ERRORS:
        kept.append(
            {
                "stage": "record",
                "subject": "soft_errors",
                "message": f"{len(unique) - MAX_SOFT_ERRORS} more were left out",
            }
        )
    return kept
