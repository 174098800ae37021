# SPDX-License-Identifier: Apache-2.0
"""Every number of the verdict, with where it comes from.

LLR = log10(P(item | hardware) / P(item | software)). The P and R values below are the published
study's proposal on 545 synthetic labelled cores; nothing has been re-fitted on field cores yet.
A check by injection (November 2026, CPython 3.13 and a non-PIE 3.11): of 119 cores with one flipped
bit (12 to 63) of a list item or ob_type 95 were called strong; of 210 cores of seven kinds of
software bugs none (past the end, random address, random index, partial overwrites, truncated
pointer, poison); of 30 cores with an added 2^k, which one core cannot tell apart, 10.
"""

from __future__ import annotations

from gdb_epi.lean import NamedTuple


class Weight(NamedTuple):
    """A number and its origin: "measured on ...", "published: ...", "by argument" or "guess"."""

    value: float
    origin: str


PRIOR = Weight(
    -3.0, "published: about 1 in 1000 server machines is bad and most crashes are bugs (facts 3, 6)"
)

HARDWARE = {
    "P1": Weight(0.2, "proposed from 545 labelled cores: one flip makes the access legal"),
    "P2": Weight(2.3, "proposed from 545 labelled cores: a copy of the corrected value exists"),
    "P3": Weight(0.9, "proposed: the corrected value is an object of the right kind"),
    "P4": Weight(1.2, "proposed: the corrected value is within 16 KiB of another register"),
    "P5": Weight(0.5, "proposed: exactly one of bits 47 to 63 is set"),
    "P6": Weight(0.8, "proposed: the wrong word lies among valid objects of one type (untyped)"),
    "R10": Weight(3.0, "by argument: a frame link differs by one bit from its redundant copy"),
}
SOFTWARE = {
    "null_dereference": Weight(-1.0, "proposed: address below 64 KiB (facts 4e)"),
    "stack_overflow": Weight(-2.0, "proposed: fault below the thread's stack (facts 4e)"),
    "deliberate_abort:assert": Weight(-2.0, "guess: an assertion is a check of the program"),
    "deliberate_abort:fortify": Weight(-1.0, "guess: an overflow that a check found"),
    "deliberate_abort:double-free": Weight(
        -1.5, "guess: malloc saw the same block twice; damage rarely looks like that"
    ),
    "deliberate_abort:malloc": Weight(
        -0.5, "guess: heap damage is mostly software, but malloc reads much memory"
    ),
}
AMBIGUOUS = Weight(0.0, "published: a 2^k stride or one tag bit looks the same in one core")

STRONG = Weight(2.5, "published: the study's word for its false-positive rate of about 0.3 %")
WEAK = Weight(1.0, "published: the study's words")
PROVEN = Weight(5.0, "published: only a redundant copy reaches it")
SOFTWARE_LIKE = Weight(-1.0, "published: the study's words")

WAIT = {
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
