# SPDX-License-Identifier: Apache-2.0
"""Functions without a name in `coarse` (N66): stored frames and texts say what cores say."""

from __future__ import annotations

import pytest

from gdb_epi.cpython.types import MergedFrame, MergedStack
from gdb_epi.resign.signature import resign
from gdb_epi.signature import keys as k
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.tokens import format_stack_line, tokenise
from gdb_epi.target.api import NativeFrame
from gdb_epi.textstacks.partial_keys import (
    NO_FILE,
    MissingKey,
    WhyHalvesAreMissing,
    partial_key_contents,
)

WHOLE = WhyHalvesAreMissing("", "")
TOLD = "libx.so.1!? <- api_call"
LONE = "libx.so.1!?"
# The nameless function, then: name and file of each caller.
STACKS = {
    "same-file": ([("api_call", "libx.so.1.2"), ("main", "prog")], TOLD),
    "behind-glue": ([("std::__invoke<F>", "libx.so.1.2"), ("api_call", "libx.so.1.2")], TOLD),
    "other-file": ([("each", "liby.so.1"), ("api_call", "libx.so.1.2")], LONE),
    "nobody": ([("start_thread", "libc.so.6")], LONE),
}


def tokens(callers: list[tuple[str, str | None]], folder: str = "/opt/lib/") -> list[k.Token]:
    """Return the tokens of a stack."""
    named = [(None, "libx.so.1.2"), *callers]
    frames = [
        NativeFrame(1, 1, name, file and folder + file, None, None, None, None, False, "normal")
        for name, file in named
    ]
    stack = MergedStack(1, tuple(MergedFrame(frame, None) for frame in frames), None)
    return list(tokenise(stack, load_drop_sets(), lambda _: None).tokens)


@pytest.mark.parametrize("case", STACKS)
def test_the_file_counts_and_not_its_folder(case: str) -> None:
    callers, expected = STACKS[case]
    for folder in ("/opt/lib/", "/srv/other/", ""):  # records hold file names alone
        made = k.coarse_tokens(k.select_tokens(tokens(list(callers), folder), overflow=False))
        assert format_stack_line(made) == expected


@pytest.mark.parametrize("case", STACKS)
def test_resign_makes_the_key_of_a_record_of_before(case: str) -> None:
    callers, expected = STACKS[case]
    frames = [
        {"language": "native", "module": file, **({"function": name} if name else {})}
        for name, file in [(None, "libx.so.1.2"), *callers]
    ]
    old = k.make_key("coarse", f"segv-null {LONE}")
    record = {
        "python": {"version": "3.12.1"},
        "threads": {"crashed": {"tid": 7, "native": "present", "frames": frames}},
        "signature": {
            "version": k.VERSION, "category": "segv-null", "native": True, "thread": {"tid": 7},
            "keys": {"coarse": old.value}, "text": {"coarse": old.text}, "absent": {},
        },
    }  # fmt: skip
    signature = resign(record)
    assert signature.signature is not None
    assert signature.signature["text"]["coarse"] == f"gsig/2 coarse segv-null {expected}"
    assert ("coarse" in signature.changed) == (expected != LONE)


def test_a_caller_whose_file_a_text_does_not_tell_makes_no_key() -> None:
    def coarse(callers: list[tuple[str, str | None]], ends: str = "") -> str | MissingKey:
        return partial_key_contents(tokens(callers), WHOLE, ends, overflow=False)["coarse"]

    assert coarse([("api_call", None), ("main", "prog")]) == MissingKey(NO_FILE)
    assert coarse([("api_call", "libx.so.1.2"), ("main", None)]) == TOLD
    assert coarse([]) == LONE
    assert coarse([], "the text ends") == MissingKey("the text ends")
