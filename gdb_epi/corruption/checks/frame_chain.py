# SPDX-License-Identifier: Apache-2.0
"""R10: a link between Python frames differs by one bit from its redundant copy."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.registry import check
from gdb_epi.corruption.types import MEMORY, Evidence


@check("R10", needs="python")
def frame_chain(context: Context) -> Iterator[Evidence]:
    """Take over one-bit findings of the detector frame_link_disagrees.

    Innocent causes: those that the detector lists; a link that differs in several bits is an
    overrun or an old frame, and is no evidence.
    """
    for one in context.findings:
        if one.detector == "frame_link_disagrees" and len(one.facts["bits"]) == 1:
            yield Evidence(
                "R10",
                int(one.facts["where"], 16),
                int(one.facts["found"], 16),
                int(one.facts["corrected"], 16),
                tuple(one.facts["bits"]),
                MEMORY,
                one.summary,
                {},
            )
