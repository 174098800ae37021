# SPDX-License-Identifier: Apache-2.0
"""Whether the core was cut off, and what memory it lacks."""

from __future__ import annotations

from gdb_epi.detectors.registry import hex_word
from gdb_epi.record.redact import redact_text
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.target.missing_memory import measure_missing_memory, missing_memory_sentence

MAX_LOST_STACKS = 256


@group("truncated", order=10)
def truncated(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return what the core file lacks; `memory` only when writable memory is missing."""
    target = parts.state.target
    truncation, memory = target.truncation(), measure_missing_memory(target)
    fields: Json = {
        "flag": truncation.truncated,
        "reason": redact_text(truncation.reason),
        "missing_bytes": truncation.missing_bytes,
    }
    if missing_memory_sentence(memory):
        fields["memory"] = {
            "expected_bytes": memory.expected,
            "missing_bytes": memory.missing,
            "missing_percent": memory.percent,
            "mapping_count": memory.mapping_count,
            "mappings": [
                {**mapping._asdict(), "start": hex_word(mapping.start)}
                for mapping in memory.mappings
            ],
            "stacks": list(memory.stacks[:MAX_LOST_STACKS]),
        }
    return fields
