# SPDX-License-Identifier: Apache-2.0
"""Make the record of one core from its groups."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi import __version__
from gdb_epi.errors import NOT_APPLICABLE, Absent, SoftError
from gdb_epi.record.redact import redact_text, redaction_entries, without_people
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, add_groups

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
    record["redaction"] = redaction_entries(notes.left_out)
    record["soft_errors"] = soft_errors_json(notes.errors)
    return without_people(record, notes.people)


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
