# SPDX-License-Identifier: Apache-2.0
"""What Python code gave to the native function that failed: types, and NULL; never a value."""

from __future__ import annotations

from gdb_epi.record.registry import SEVERAL_GROUPS, Json, RecordNotes, RecordParts, group

MAX_NAME = 200


@group(SEVERAL_GROUPS, order=206)
def native_call(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return `signal.native_call`; None where no call of native code failed, or it is not known."""
    call = parts.state.native_call
    if call is None:
        return None
    arguments = [
        {"type": argument.type[:MAX_NAME], "is_null": argument.is_null}
        for argument in call.arguments
    ]
    entry: Json = {"file": call.file, "by": call.by, "arguments": arguments}
    if call.function:
        entry["function"] = call.function[:MAX_NAME]
    return {"signal": {"native_call": entry}}
