# SPDX-License-Identifier: Apache-2.0
"""R20: a thread state names another interpreter than the one in whose list it is."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, NotChecked, required, word_evidence
from gdb_epi.corruption.heap.holders import is_partly_written
from gdb_epi.corruption.registry import check
from gdb_epi.fault.reads import read_word

MAX_THREADS = 1024


@check(
    "R20",
    needs="python",
    innocent_causes=(
        "a state that was freed or overwritten differs in many bits; a count that is raised "
        "through a wild pointer makes the word a little larger, which is left out."
    ),
)
def thread_state(context: Context) -> Iterator[Evidence]:
    """Compare PyThreadState.interp with the interpreter in whose list the thread state is.

    The word is written once, when the state is made (Python/pystate.c, init_threadstate).
    """
    python = required(context.state.python)
    at = python.layout.offset("PyThreadState", "interp")
    if at is None:
        raise NotChecked("the layout has no PyThreadState.interp")
    for interpreter in python.interpreters:
        for thread in interpreter.threads[:MAX_THREADS]:
            place, right = thread.address + at, interpreter.address
            held = read_word(context.target, place)
            if held is None or (held ^ right).bit_count() != 1:
                continue
            if not is_partly_written(context, place, held, right):
                summary = (
                    f"interp of the thread state at {thread.address:#018x} is {held:#018x}; the "
                    f"interpreter in whose list it is lies one bit away, at {right:#018x}"
                )
                yield word_evidence("R20", place, held, right, summary)
