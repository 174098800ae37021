# SPDX-License-Identifier: Apache-2.0
"""Damaged memory of forked children: the analysis answers, soon, and never with an exception."""

from __future__ import annotations

import random
import time

import pytest
from support.cores import why_no_core_dumps
from support.forks import fork_programs
from support.interpreters import Interpreter, one_per_minor
from support.opening import made_or_skip, sysroot_of

from gdb_epi.locks.types import LockReport
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

NAMES = ("fork-four-threads", "from-thread-two", "handlers-python-hook", "bypass-c-fork")
SEEDS = range(6)
LIMIT = 20.0  # seconds of processor time for one analysis


class Damaged(CoreFileTarget):
    """A core of which one read in `rate` returns bytes that somebody wrote over."""

    random: random.Random
    rate = 400

    def read(self, address: int, size: int) -> bytes:
        data = super().read(address, size)
        if size > 1 << 16 or self.random.randrange(self.rate):
            return data
        at = self.random.randrange(max(1, size))
        width = self.random.choice((1, 4, 8))
        kind = self.random.choice((b"\0", b"\xff", b"\x41", None))
        junk = self.random.randbytes(width) if kind is None else kind * width
        return (data[:at] + junk + data[at + width :])[:size]


@pytest.mark.skipif(why_no_core_dumps() is not None, reason=str(why_no_core_dumps()))
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("interpreter", one_per_minor(), ids=lambda interpreter: interpreter.id)
def test_damage_gives_an_answer(interpreter: Interpreter, name: str) -> None:
    program = next(fork_program for fork_program in fork_programs() if fork_program.name == name)
    made = made_or_skip(interpreter, program)
    sysroot = sysroot_of(made)
    for seed in SEEDS:
        target = Damaged.open(made.core, sysroot=sysroot)
        target.random = random.Random(seed)
        started = time.process_time()
        locks = ProcessState(target).locks
        assert isinstance(locks, LockReport)
        assert time.process_time() - started < LIMIT
        assert not [e for e in locks.soft_errors if e.stage == "load"]
        assert all(thread.frames or thread.missing for thread in locks.vanished.threads)
