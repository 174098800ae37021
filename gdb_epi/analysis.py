# SPDX-License-Identifier: Apache-2.0
"""From a session to the record: the only place that knows the order of the stages."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi import __version__
from gdb_epi.corruption.run_checks import run_checks
from gdb_epi.detectors.registry import run_detectors
from gdb_epi.errors import NOT_APPLICABLE, Absent, SoftError
from gdb_epi.judgement.verdict import judge_core
from gdb_epi.record.redact import redact_people, redact_text, redaction_list_of_record
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, add_groups
from gdb_epi.session import Session
from gdb_epi.signature.sign import sign
from gdb_epi.target.missing_memory import measure_missing_memory, missing_memory_sentence
from gdb_epi.typing_lite import Any

SCHEMA = "gdb-epi/record/1"
MAX_SOFT_ERRORS = 64


def make_record(parts: RecordParts) -> Json:
    """Return the record of one core (gdb_epi/record/schema/SCHEMA.md)."""
    notes = RecordNotes(parts.soft_errors)
    identity = parts.state.target.core_key()
    if isinstance(identity, Absent) and identity.reason != NOT_APPLICABLE:
        notes.errors.append(SoftError("core", "core_key", identity.detail))
    record: Json = {"schema": SCHEMA, "tool": f"gdb-epi {__version__}"}
    if parts.signed.signature.core_key is not None:
        record["core_key"] = parts.signed.signature.core_key
    add_groups(record, parts, notes)
    record["redaction"] = redaction_list_of_record(notes.left_out)
    record["soft_errors"] = soft_errors_json(notes.errors)
    return redact_people(record, notes.people)


def soft_errors_json(errors: Sequence[SoftError]) -> list[Json]:
    """Return each error once, without users' names; at most MAX_SOFT_ERRORS and a last word."""
    unique = list(dict.fromkeys(errors))
    shown = [
        {
            "stage": error.stage,
            "subject": redact_text(error.subject),
            "message": redact_text(error.message),
        }
        for error in unique[:MAX_SOFT_ERRORS]
    ]
    if len(unique) > MAX_SOFT_ERRORS:
        more = f"{len(unique) - MAX_SOFT_ERRORS} more were left out"
        shown.append({"stage": "record", "subject": "soft_errors", "message": more})
    return shown


def run_stages(session: Session) -> RecordParts:
    """Run every stage; what could not be had becomes a soft error.

    Raises InputError when nothing is loaded.
    """
    state = session.state
    signed = sign(state)
    findings, errors = run_detectors(state)
    corruption = run_checks(state, findings)
    verdict = judge_core(signed.signature.category.name, findings, corruption.score)
    errors = [*state.all_soft_errors(), *state.locks.soft_errors, *errors]
    errors += corruption.soft_errors
    errors += [error for exceptions in state.exceptions for error in exceptions.soft_errors]
    if isinstance(state.python, Absent) and state.python.reason != NOT_APPLICABLE:
        errors.append(SoftError("python", "runtime", state.python.detail))
    if signed.stack is not None and signed.stack.native is not None:
        subject = f"thread {signed.stack.tid}"
        errors.append(SoftError("native frames", subject, signed.stack.native.detail))
    lost = missing_memory_sentence(measure_missing_memory(state.target))
    if lost:
        errors.append(SoftError("memory", "core", f"missing: {lost}"))
    return RecordParts(state, signed, findings, corruption, verdict, errors)


def analyze(session: Session, *, is_last_use: bool = False) -> dict[str, Any]:
    """Return the record of the loaded process (gdb_epi/record/schema/SCHEMA.md).

    After its last use what checks kept is let go, of which the garbage collector would have to
    find out that nobody needs it.
    """
    parts = run_stages(session)
    record = make_record(parts)
    if is_last_use:
        parts.corruption.context.forget_cached_answers()
        if not isinstance(parts.state.python, Absent) and parts.state.python.searched is not None:
            parts.state.python.searched.instances = None
    return record
