# SPDX-License-Identifier: Apache-2.0
"""The links between Python frames disagree with the data stack that holds the frames."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from gdb_epi.cpython.types import DATASTACK, PythonState, ThreadState
from gdb_epi.detectors.registry import Finding, detector, hex_word
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.process_state import ProcessState
from gdb_epi.util import counted


@detector("frame_link_disagrees", needs="python")
def frame_link_disagrees(state: ProcessState) -> Iterator[Finding]:
    """Find a frame whose `previous` word is not the frame that the data stack shows there.

    The frame chain and the data stack are two copies of one fact, so one of them is damaged.
    Innocent causes: a thread stopped between pushing a frame and linking it (only its innermost
    frame, which is left out); an overrun of the data stack by C code (several words change, so
    `bits` is not 1); a truncated core (no dumped word, no finding); frames of a generator, which
    do not lie on the data stack.
    Reference: CPython Include/internal/pycore_frame.h, 3.11 to 3.14.
    """
    python = state.python
    if not isinstance(python, PythonState):
        return
    offset = python.layout.offset("_PyInterpreterFrame", "previous")
    if offset is None:
        return
    for thread in python.threads():
        # Of the frames that the chain has, those whose next one only the data stack has.
        for frame, following in pairwise([frame for frame in thread.frames if frame.address]):
            if frame.provenance != DATASTACK and following.provenance == DATASTACK:
                link = read_word(state.target, frame.address + offset)
                if link is not None and link != following.address:
                    yield _finding(thread, frame.address + offset, link, following.address)


def _finding(thread: ThreadState, place: int, link: int, corrected: int) -> Finding:
    bits = [bit for bit in range(64) if (link ^ corrected) >> bit & 1]
    facts = {
        "where": hex_word(place),
        "found": hex_word(link),
        "corrected": hex_word(corrected),
        "bits": bits,
        "problem": thread.soft_errors[0].message[:200] if thread.soft_errors else None,
    }
    return Finding(
        "frame_link_disagrees",
        f"thread {thread.tid}",
        facts,
        f"the link at {place:#018x} holds {link:#018x}, the data stack has "
        f"the next frame at {corrected:#018x} ({counted(len(bits), 'bit')} apart)",
    )
