# SPDX-License-Identifier: Apache-2.0
"""Which variables of the frames that failed have lost their objects: names and types, no values."""

from __future__ import annotations

from gdb_epi.record.registry import SEVERAL_GROUPS, Json, RecordNotes, RecordParts, group

MAX_NAME = 200


@group(SEVERAL_GROUPS, order=206)
def gone_objects(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return `signal.gone_objects`; None where every variable has its object."""
    gone = parts.state.gone_objects
    if not gone:
        return None
    entries = [each._replace(name=each.name[:MAX_NAME])._asdict() for each in gone]
    return {"signal": {"gone_objects": entries}}
