# SPDX-License-Identifier: Apache-2.0
"""What may have caused a death: a closed list of hypotheses, in words that a reader understands.

That a word was damaged and who did it are two questions. Whatever hardware does to writable memory,
a stray write of the program can do too: one core cannot tell them apart, and the population
decides.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.corruption.score import Score, load_weights

HARDWARE_MEMORY, HARDWARE_CPU = "hardware-memory", "hardware-cpu"
STRAY_STORE, UNKNOWN = "stray-store", "unknown"
HARDWARE = frozenset((HARDWARE_MEMORY, HARDWARE_CPU))

HYPOTHESES = {
    HARDWARE_MEMORY: "the machine's memory changed a bit",
    HARDWARE_CPU: "the CPU computed or stored a wrong value",
    STRAY_STORE: "code of the program wrote where it should not",
    "use-after-free": "memory was used after it was freed or given back, or freed twice",
    "other-data": "memory holds other data than the code expects",
    "heap-misuse": "malloc's own data was overwritten, or a block was freed twice or wrongly",
    "out-of-bounds": "code read or wrote outside of the memory that it was to use",
    "null-pointer": "a pointer was NULL",
    "wrong-pointer": "a pointer had a wrong value",
    "made-read-only": "memory that was in use was closed or made read-only, as mprotect() does",
    "wrong-code": "code that does what no compiler should have made",
    "not-executable": "code lies in memory that was not made executable",
    "other-processor": "code was built or chosen for another processor",
    "stack-exhausted": "the C stack was full",
    "without-gil": "Python was used by a thread that did not hold the GIL",
    "unsafe-handler": "a signal handler did what is not safe there",
    "failed-check": "a check of the program or its runtime failed, and it gave up",
    "arithmetic": "arithmetic without a result",
    "refused-call": "a filter forbade a system call",
    "file-ended": "a mapped file had become shorter",
    "no-memory": "an allocation failed",
    "lock-circle": "threads wait for each other, or for themselves",
    "inherited-lock": "a lock was held when fork() copied the process",
    "lost-wakeup": "the thread that would have woken it does not exist after fork()",
    "fork-handlers": "code that runs around fork() does not come back",
    "limit-reached": "a limit of CPU time or of a file's size was reached",
    "wait-without-end": "it waits without a timeout, and nothing that was seen ends that",
    "works-or-idle": "nothing was wrong: it computed, or waited for work",
    "ended-from-outside": "another process sent the signal",
    UNKNOWN: "something that nothing found speaks for",
}

# Who damages writable memory? Nobody has measured both rates in one population. Equal shares say
# that one core does not decide; the rest is what neither explains.
UNDECIDED = {HARDWARE_MEMORY: 0.475, STRAY_STORE: 0.475, UNKNOWN: 0.05}
# A byte or a line of zeros is what memset() and a terminating 0 write: hardware does it rarely.
SEVERAL_BITS = {STRAY_STORE: 0.65, HARDWARE_MEMORY: 0.3, UNKNOWN: 0.05}
FEW_BITS = 2


def split_damage_between_causes(score: Score) -> Mapping[str, float]:
    """Return who may have damaged the word that the score is about; the shares add up to 1."""
    weighed = load_weights().items
    named = [weighed[e.id].beyond_stores for e in score.best if e.id in weighed]
    beyond = max(
        (pair for pair in named if pair is not None), key=lambda pair: pair[1], default=None
    )
    if beyond is not None:
        hypothesis, share = beyond
        return {hypothesis: share, STRAY_STORE: (1 - share) / 2, UNKNOWN: (1 - share) / 2}
    bits = min((len(e.bits) for e in score.best if e.bits), default=1)
    return UNDECIDED if bits <= FEW_BITS else SEVERAL_BITS
