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


_NULL = ("null-dereference", "near-null")
_CALL = ("call-through-bad-pointer", "call-to-null")  # when the call is what was overwritten
_TEXT = ("ascii-as-pointer", *_CALL)
_END = ("past-the-end", "guard-page", "wild-read", "wild-write")
# Where the bug leaves one symptom, whatever the seed; kinds with many ways to die are not here.
EXPECTED_SYMPTOMS: dict[str, tuple[str, ...]] = {
    "null_read": _NULL,
    "null_write": _NULL,
    "null_array": _NULL,
    "null_call": ("call-to-null",),
    "off_by_one": ("past-the-end", "guard-page"),
    "stride_past": ("past-the-end", "guard-page"),
    "write_past": ("past-the-end",),
    "into_guard": ("guard-page", "past-the-end"),
    "unterminated": ("past-the-end",),
    "uaf_ascii": _TEXT,
    "ascii_overwrite": _TEXT,
    "double_free": ("abort-double-free",),
    "double_as_pointer": ("double-as-pointer", *_CALL),
    "int_pair": ("int-pair-as-pointer",),
    "poison_whole": ("poison-pointer", *_CALL),
    "stack_overflow": ("stack-overflow",),
    "smash_canary": ("abort-stack-smashing",),
    "fortified": ("abort-fortify",),
    "assertion": ("abort-assert",),
    "aborted": ("abort",),
    "write_constant": ("write-to-read-only",),
    "write_code": ("write-to-read-only",),
    "write_protected": ("write-to-read-only",),
    "truncated_file": ("bus-error",),
    "unaligned_sse": ("misaligned-access",),
    "unaligned_store": ("misaligned-access",),
    "divide": ("arithmetic",),
    "trap": ("illegal-instruction",),
    "privileged": ("privileged-instruction",),
    "raised": ("signal-sent",),
    "in_handler": _NULL,
    "truncated": ("truncated-pointer",),
    "jump_data": ("call-through-bad-pointer", "jump-to-data"),
    "tag_high": ("tagged-pointer",),
    "py_abort": ("abort",),
    "py_fatal_error": ("abort",),
    "py_kill": ("signal-sent", "abort"),
    "py_truncated_map": ("bus-error",),
    "py_string_at_number": _NULL,
}
