# SPDX-License-Identifier: Apache-2.0
"""What parts of a dry run refuse to say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import ProcessObject
from gdb_epi.hangs.dry_run.json_values import parse_json
from gdb_epi.hangs.dry_run.loop_states import DryRunMemory, DryRunState, LoopHead

QUEUE, STATUS = 0x1000, 0x2000


def _fails(*steps: str) -> bool:
    """Tell what a turn says in which items go (-) and come (+), and errors are handled (!)."""
    memory = DryRunMemory()
    head = LoopHead(DryRunState({}, {}, (), {}, {}, frozenset()), 1, 0, 2, memory)
    for step in steps:
        if step == "!":
            memory.lacking |= memory.taken
        elif step == "pause":
            memory.pauses = True
        else:
            at = QUEUE if step.endswith("queue") else STATUS
            memory.note_length_change(at, *((2, 1) if step.startswith("-") else (1, 2)))
    return head.has_put_item_back_after_error(memory)


def test_only_what_lacked_an_item_at_an_error_has_it_put_back() -> None:
    """A service that wrote its status and found no work was said to put back what it took."""
    assert _fails("-queue", "!", "+queue")
    assert not _fails("+status", "!", "-status"), "nothing was taken before"
    assert not _fails("-queue", "+queue", "!", "+status"), "put back before the error"
    assert not _fails("-queue", "!", "+status"), "another container"
    assert not _fails("-queue", "pause", "!", "+queue"), "it tries again later"


@pytest.mark.parametrize("text", [b"\xff", "[" * 100_000, "9" * 5000])
def test_json_that_fails_in_another_way(text: str | bytes) -> None:
    run: Any = SimpleNamespace(
        to_python=lambda _item: text, budget=[1 << 20], item_of_python_value=ProcessObject
    )
    try:
        made = parse_json(run, ProcessObject(1), [ProcessObject(2)])
    except Undecodable:
        return
    assert text == "9" * 5000, made  # where ints have no limit of digits (up to 3.10)
