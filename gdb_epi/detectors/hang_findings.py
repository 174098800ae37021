# SPDX-License-Identifier: Apache-2.0
"""The answer of `hangs/` as a finding: one detector a label."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.findings import Finding
from gdb_epi.errors import Absent
from gdb_epi.hangs.types import where
from gdb_epi.process_state import ProcessState

MAX_MEMBERS = 32
MAX_FRAMES = 8
UNSURE = "info"  # a kind that speaks for no label


def hang_findings(state: ProcessState, name: str, label: str) -> Iterator[Finding]:
    """Yield the answer where it has this label. An unsure one is told and speaks for nothing."""
    answer = state.hang
    if isinstance(answer, Absent) or answer.label != label:
        return
    members = [
        {
            "tid": doing.tid,
            "name": doing.name,
            "doing": doing.kind,
            "what": doing.what,
            "frames": [where(frame) for frame in doing.frames[:MAX_FRAMES]],
        }
        for doing in answer.members[:MAX_MEMBERS]
    ]
    facts = {
        "kind": UNSURE if answer.sure == UNSURE else answer.kind.replace(" ", "-"),
        "sort": answer.kind,
        "confidence": answer.sure,
        "members": members,
        "evidence": list(answer.evidence),
        "ruled_out": list(answer.ruled_out),
        "open": list(answer.open),
    }
    first = answer.members[0].tid if answer.members else 0
    yield Finding(name, f"thread {first}", facts, answer.sentence)
