# SPDX-License-Identifier: Apache-2.0
"""What a category of death is evidence for, by itself.

What a detector's finding speaks for stands with the detector (`speaks_for`), what an innocent sign
is a sign of in corruption/weights.json. How often each was right is counted: calibration.json.
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple


class CategoryRow(NamedTuple):
    """A category, or the start of its name; its label and hypothesis; what says so, as a sentence.

    A `last` row counts only where nothing else was found. What a check of the runtime saw is no
    cause of its own where damage was found: `by_damage`.
    """

    category: str
    label: str
    hypothesis: str
    sentence: str
    last: bool = False
    by_damage: bool = False


CATEGORIES = (
    CategoryRow(
        "bus-memerr", "hardware-suspect", "hardware-memory",
        "the kernel reported poisoned memory",
    ),
    CategoryRow("oom-suspect", "out-of-memory", "no-memory", "an allocation failed"),
    CategoryRow(
        "abort-terminate:std::bad_alloc", "out-of-memory", "no-memory",
        "an allocation failed: nobody caught std::bad_alloc",
    ),
    CategoryRow(
        "abort-terminate", "software", "failed-check", "the program gave up: nobody caught a C++ "
        "exception",
    ),
    CategoryRow("abort-assert", "software", "failed-check", "a check of the program failed"),
    CategoryRow(
        "abort-fortify", "software", "out-of-bounds", "a check of the C library found an overrun",
        by_damage=True,
    ),
    CategoryRow(
        "abort-malloc", "software", "heap-misuse", "malloc found its own data damaged",
        by_damage=True,
    ),
    CategoryRow(
        "abort-py-fatal", "software", "failed-check",
        "Python found its own state wrong and gave up",
        by_damage=True,
    ),
    CategoryRow(
        "abort-other", "software", "failed-check", "the program called abort() itself",
        by_damage=True,
    ),
    CategoryRow("raised", "software", "failed-check", "the process sent the signal to itself"),
    CategoryRow(
        "segv-misaligned", "software", "wrong-pointer",
        "the instruction needs an aligned address, and this one is not",
    ),
    CategoryRow("fpe", "software", "arithmetic", "the program did arithmetic without a result"),
    CategoryRow("limit", "killed", "limit-reached", "a limit that was set for it was reached"),
    CategoryRow(
        "killed-external", "killed", "ended-from-outside",
        "the signal came from outside the program", last=True,
    ),
)  # fmt: skip


def category_row(category: str) -> CategoryRow | None:
    """Return the row of a category: the first whose name it is or begins with."""
    for row in CATEGORIES:
        if category == row.category or category.startswith(row.category + ":"):
            return row
    return None
