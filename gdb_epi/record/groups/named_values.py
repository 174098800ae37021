# SPDX-License-Identifier: Apache-2.0
"""Which variables of the Python frames hold the bad address: their names, never their values."""

from __future__ import annotations

from gdb_epi.record.registry import SEVERAL_GROUPS, Json, RecordNotes, RecordParts, group

MAX_NAME = 200


@group(SEVERAL_GROUPS, order=205)
def named_values(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return `signal.named_values`; None when no variable holds the bad address."""
    named = parts.state.variables_holding_bad_address
    if not named:
        return None
    entries = []
    for value in named:
        entry = {
            "name": value.name[:MAX_NAME],
            "function": value.function,
            "filename": value.filename,
            "lineno": value.lineno,
            "frame": value.number,
            "how": value.how,
            "type": value.type,
        }
        if value.offset:
            entry["offset"] = value.offset
        entries.append(entry)
    return {"signal": {"named_values": entries}}
