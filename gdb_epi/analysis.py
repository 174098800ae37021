# SPDX-License-Identifier: Apache-2.0
"""From a session to the record: the only place that knows the order of the stages."""

from __future__ import annotations

from gdb_epi.corruption.run_checks import run_checks
from gdb_epi.detectors.registry import run_detectors
from gdb_epi.errors import NOT_APPLICABLE, Absent, SoftError
from gdb_epi.judgement.verdict import judge
from gdb_epi.record.make_record import make_record
from gdb_epi.record.registry import RecordParts
from gdb_epi.session import Session
from gdb_epi.signature.sign import sign
from gdb_epi.target.missing_memory import missing_memory, missing_text
from gdb_epi.typing_lite import Any


def run_stages(session: Session) -> RecordParts:
    """Run every stage; what could not be had becomes a soft error.

    Raises InputError when nothing is loaded.
    """
    state = session.state
    signed = sign(state)
    findings, errors = run_detectors(state)
    corruption = run_checks(state, findings)
    verdict = judge(signed.signature.category.name, findings, corruption.score)
    errors = [*state.all_soft_errors(), *state.locks.soft_errors, *errors]
    errors += corruption.soft_errors
    errors += [error for exceptions in state.exceptions for error in exceptions.soft_errors]
    if isinstance(state.python, Absent) and state.python.reason != NOT_APPLICABLE:
        errors.append(SoftError("python", "runtime", state.python.detail))
    if signed.stack is not None and signed.stack.native is not None:
        subject = f"thread {signed.stack.tid}"
        errors.append(SoftError("native frames", subject, signed.stack.native.detail))
    lost = missing_text(missing_memory(state.target))
    if lost:
        errors.append(SoftError("memory", "core", f"missing: {lost}"))
    return RecordParts(state, signed, findings, corruption, verdict, errors)


def analyze(session: Session) -> dict[str, Any]:
    """Return the record of the loaded process (gdb_epi/record/schema/SCHEMA.md)."""
    return make_record(run_stages(session))
