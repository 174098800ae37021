# SPDX-License-Identifier: Apache-2.0
"""What a category of death is evidence for, by itself.

What a detector's finding speaks for stands with the detector (`supported_label`), what an innocent
sign is a sign of in corruption/weights.json. How often each was right is counted: calibration.json.
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple


class CategoryHypothesis(NamedTuple):
    """A category, or the start of its name; its label and hypothesis; what says so, as a sentence.

    A `last` row counts only where nothing else was found. What a check of the runtime saw is not a
    cause of its own where damage was found: `by_damage`. `most` is the highest probability that a
    row gives: one flipped bit of a size or pointer explains what malloc found as well. A row that
    says `how` the process ended itself gives way to a finding that says why. `told_by` names the
    detectors whose findings say the same better: the first that has one does.
    """

    category: str
    label: str
    hypothesis: str
    sentence: str
    last: bool = False
    by_damage: bool = False
    most: float = 1.0
    how: bool = False
    told_by: tuple[str, ...] = ()


ONE_BIT_EXPLAINS = 0.79
# malloc looks the block up in its list of freed ones, which a changed bit does not put it on.
_FREED_TWICE = (
    "abort-malloc:free-double-free-detected-in-tcache-2",
    "abort-malloc:double-free-or-corruption-fasttop",
)
_SAID_BY_LIBC = ("deliberate_abort",)

CATEGORIES = (
    CategoryHypothesis(
        "bus-memerr", "hardware-suspect", "hardware-memory",
        "the kernel reported poisoned memory",
    ),
    CategoryHypothesis("oom-suspect", "out-of-memory", "no-memory", "an allocation failed"),
    CategoryHypothesis(
        "abort-terminate:std::bad_alloc", "out-of-memory", "no-memory",
        "an allocation failed: nobody caught std::bad_alloc",
    ),
    CategoryHypothesis(
        "abort-terminate", "software", "failed-check", "std::terminate ended it: an exception "
        "that nobody caught, or a thread that nobody joined",
        told_by=("uncaught_exception",),
    ),
    CategoryHypothesis(
        "abort-assert", "software", "failed-check", "a check of the program failed",
        told_by=_SAID_BY_LIBC,
    ),
    CategoryHypothesis(
        "abort-fortify", "software", "out-of-bounds", "a check of the C library found an overrun",
        by_damage=True, told_by=_SAID_BY_LIBC,
    ),
    *(
        CategoryHypothesis(
            category, "software", "heap-misuse", "malloc gave up: a block was freed twice",
            by_damage=True, told_by=_SAID_BY_LIBC,
        )
        for category in _FREED_TWICE
    ),
    CategoryHypothesis(
        "abort-malloc", "software", "heap-misuse",
        "malloc gave up: its data were damaged, or a block was freed twice or wrongly",
        by_damage=True, most=ONE_BIT_EXPLAINS, told_by=_SAID_BY_LIBC,
    ),
    CategoryHypothesis(
        "abort-py-fatal", "software", "failed-check",
        "Python, or a library of it, gave up by Py_FatalError",
        by_damage=True, told_by=("python_fatal_error",),
    ),
    CategoryHypothesis(
        "abort-other", "software", "failed-check",
        "the process sent itself SIGABRT, as abort() does",
        by_damage=True, how=True, told_by=("c_library_gave_up", "rust_panic"),
    ),
    CategoryHypothesis(
        "raised", "software", "failed-check", "the process sent the signal to itself", how=True
    ),
    CategoryHypothesis(
        "segv-misaligned", "software", "wrong-pointer",
        "the instruction needs an aligned address, and this one is not",
    ),
    CategoryHypothesis(
        "fpe", "software", "arithmetic", "the program did arithmetic without a result",
        told_by=("floating_point_trap", "integer_division"),
    ),
    CategoryHypothesis(
        "limit", "killed", "limit-reached", "a limit that was set for it was reached"
    ),
    CategoryHypothesis(
        "killed-external", "killed", "ended-from-outside",
        "the signal came from outside the program", last=True,
    ),
)  # fmt: skip


def hypothesis_of_category(category: str) -> CategoryHypothesis | None:
    """Return the row of a category: the first whose name it is or begins with."""
    for row in CATEGORIES:
        if category == row.category or category.startswith(row.category + ":"):
            return row
    return None
