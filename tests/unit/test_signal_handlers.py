# SPDX-License-Identifier: Apache-2.0
"""The table of Python's signal handlers is found by its shape, and who ends a wait by a signal."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget

from gdb_epi.cpython.runtime.signal_handlers import read_signal_handlers
from gdb_epi.errors import Absent
from gdb_epi.hangs.live.effects import ANYTHING, CodeEffects
from gdb_epi.hangs.signal_waits import find_signal_that_ends_wait
from gdb_epi.target.api import Region

DATA, BSS = 0x10000, 0x20000
DEFAULT, IGNORE, NONE, HANDLER = 0x5000, 0x5020, 0x6000, 0x7000


def process(handlers: dict[int, int], path: str = "/usr/bin/python3.11") -> FakeTarget:
    """Return a process whose interpreter has this table in its .bss, behind other words."""
    usual = {32: NONE, 33: NONE, 13: IGNORE}
    entries = [0, *(handlers.get(n, usual.get(n, DEFAULT)) for n in range(1, 65))]
    table = b"".join(struct.pack("<QQ", n == 15, function) for n, function in enumerate(entries))
    bss = struct.pack("<5Q", 1, 2, DEFAULT, NONE, 3) + table + bytes(64)
    regions = [
        Region(DATA, BSS, "rw-p", path, 0, BSS - DATA),
        Region(BSS, BSS + len(bss), "rw-p", None, 0, len(bss)),
    ]
    return FakeTarget(regions=regions, memory={DATA: bytes(BSS - DATA), BSS: bss})


def test_what_signal_was_given_is_found() -> None:
    target = process({15: HANDLER, 2: HANDLER + 16})
    handlers = read_signal_handlers(target, target, DEFAULT)  # type: ignore[arg-type]
    assert handlers == {2: HANDLER + 16, 13: IGNORE, 15: HANDLER}


@pytest.mark.parametrize(
    ("handlers", "path"),
    [
        ({33: DEFAULT}, "/usr/bin/python3.11"),  # the C library's own signals are never default
        ({40: HANDLER}, "/usr/bin/python3.11"),
        ({15: HANDLER}, "/usr/lib/libc.so.6"),
    ],
)
def test_what_has_another_shape_is_not_the_table(handlers: dict[int, int], path: str) -> None:
    target = process(handlers, path)
    assert isinstance(read_signal_handlers(target, target, DEFAULT), Absent)  # type: ignore[arg-type]


STOP, OTHER = 0x9000, 0x9100


@pytest.mark.parametrize(
    ("effects", "answer"),
    [
        (CodeEffects(frozenset({(STOP, "set")}), ()), ("SIGTERM", True)),
        (CodeEffects(frozenset({(STOP, "*")}), ()), ("SIGTERM", True)),  # a built-in method of it
        (CodeEffects(frozenset({(0, "set")}), ()), ("SIGTERM", False)),
        (ANYTHING, ("SIGTERM", False)),
        (CodeEffects(frozenset({(OTHER, "set"), (STOP, "is_set")}), ()), ("", False)),
    ],
)
def test_a_handler_ends_a_wait_by_what_its_code_calls(
    effects: CodeEffects, answer: tuple[str, bool]
) -> None:
    assert find_signal_that_ends_wait(STOP, frozenset({"set"}), {15: (effects, effects)}) == answer


def test_what_a_handler_may_only_lead_to_ends_nothing_surely() -> None:
    """A handler that counts `self.hangups += 1` was said to set the event of another thread."""
    reached = {1: (CodeEffects(frozenset(), ()), CodeEffects(frozenset({(STOP, "set")}), ()))}
    assert find_signal_that_ends_wait(STOP, frozenset({"set"}), reached) == ("SIGHUP", False)


def test_no_handler_ends_nothing() -> None:
    assert find_signal_that_ends_wait(STOP, frozenset({"set"}), {}) == ("", False)
