# SPDX-License-Identifier: Apache-2.0
"""Numbers of the verdict that are no evidence about corruption, with where they come from.

Those of corruption, with their origins, are in gdb_epi/corruption/weights.json.
"""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple


class Weight(NamedTuple):
    """A number and its origin: "measured on ...", "published: ...", "by argument" or "guess"."""

    value: float
    origin: str


LOCK_FINDINGS = {
    "certain": Weight(
        0.99,
        "guess: an owner word or an entered `with` block names the holder; it was right in "
        "51 hanging programs of tests/programs on 20 interpreters, run during development "
        "(November 2026) and not run again as a whole on the final code",
    ),
    "probable": Weight(0.8, "guess: self-deadlock is not ruled out without value stacks"),
    "info": Weight(0.3, "guess"),
}
KILLED = Weight(0.95, "guess: the sender is in siginfo; why it killed is not")
OUT_OF_MEMORY = Weight(
    0.7,
    "by argument: the program's own report of a failed allocation is certain; that memory ran out, "
    "and not that the request was absurd, is the more frequent cause, and was not measured",
)
# What a detector read off the signal and the instruction, with how far that is the cause.
SOFTWARE_FINDINGS = {
    "refused_system_call": Weight(
        0.95, "by argument: siginfo says so; that a wild jump made the call is the rest"
    ),
    "trap_instruction": Weight(
        0.95,
        "by argument: the instruction was put there to fail; control that went astray and came "
        "upon two such bytes at the start of an instruction is the rest",
    ),
    "sanitizer_report": Weight(
        0.95,
        "by argument: code that checks each access found a wrong one; that damaged memory led it "
        "there is the rest",
    ),
    "file_ended": Weight(
        0.8,
        "guess: files that were cut off and full file systems are more frequent than I/O errors",
    ),
}
