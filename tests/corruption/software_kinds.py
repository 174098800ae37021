# SPDX-License-Identifier: Apache-2.0
"""The software bugs: names, groups, and what a reader may call each."""

from __future__ import annotations

import re
from pathlib import Path

from corruption.building import NATIVE
from corruption.labels import AMBIGUOUS, SW

PROGRAM = Path(__file__).resolve().parent / "programs" / "bugs.py"
# These differ from a right pointer in one bit: no core tells them from damage.
ONE_BIT = frozenset(
    (
        "stride_pow2",
        "stride_pow2_loop",
        "tag_high_one",
        "tag_low_one",
        "flag_bit",
        "py_high_tag_one",
    )
)


def c_kinds() -> list[str]:
    """Return the bugs of the C library and program, in their order."""
    return re.findall(r"\bB\((\w+)\)", (NATIVE / "bugs.c").read_text().split("bugs[] = {")[1])


def python_kinds() -> list[str]:
    """Return the bugs that need Python."""
    return re.findall(r"^def (py_\w+)", PROGRAM.read_text(), re.M)


def group_of(name: str) -> str:
    """Return `ambiguous` or `sw`."""
    return AMBIGUOUS if name in ONE_BIT else SW
