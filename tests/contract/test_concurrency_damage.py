# SPDX-License-Identifier: Apache-2.0
"""Damaged GILs, collectors, queues, generators and threads: no exception, and soon."""

from __future__ import annotations

import random
import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import pytest
from support.interpreters import Interpreter, spread
from support.mutate import MutatedTarget
from support.opening import made_or_skip, target_of

from commands.gc import show_garbage_collectors as gc_command
from commands.generators import show_generators as generators_command
from commands.interp import show_interpreters as interp_command
from commands.pools import show_executors_and_queues as pools_command
from commands.tasks import show_tasks as tasks_command
from commands.threads import list_threads as threads_command
from gdb_epi.cpython.running.executors import read_executors_and_queues
from gdb_epi.cpython.running.generators import read_generator_chains
from gdb_epi.cpython.types import PythonState
from gdb_epi.report import Report
from gdb_epi.session import Session

HOSTILE = (0, 1, 3, 7, 64, 0x1000, 1 << 31, 1 << 40, 1 << 60, 1 << 63, (1 << 64) - 1)
ROUNDS = 5
MAX_SECONDS = 10.0  # of processor time for one command; far above what was seen
COMMANDS: tuple[tuple[Callable[..., Report], dict[str, Any]], ...] = (
    (interp_command, {}),
    (threads_command, {}),
    (gc_command, {"types": 3, "limit": 50_000}),
    (pools_command, {"all": True, "limit": 100}),
    (generators_command, {"limit": 100}),
    (tasks_command, {"limit": 10, "tree": True, "each": False}),
)


def places(session: Session) -> list[int]:
    """Return where the decoders look: the structs of the interpreter, its lists, its frames."""
    python = session.state.python
    assert isinstance(python, PythonState)
    layout, addresses = python.layout, []
    for interpreter in python.interpreters:
        for member in ("gc", "ceval", "_gil", "threads", "_finalizing", "imports.modules"):
            at = layout.offset("PyInterpreterState", member)
            addresses += [interpreter.address + at] if at is not None else []
        for thread in interpreter.threads:
            addresses.append(thread.address)
            addresses += [frame.address for frame in thread.frames]
    for member in ("gc", "ceval", "_finalizing"):
        at = layout.offset("_PyRuntimeState", member)
        addresses += [python.runtime + at] if at is not None else []
    pools = read_executors_and_queues(session.target, python)
    addresses += [pool.address for pool in (*pools.pools, *pools.queues)]
    addresses += [chain.address for chain in read_generator_chains(session.target, python).chains]
    return addresses


@pytest.mark.parametrize(
    "interpreter",
    [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("pools", every=2)],
)
def test_damage_ends_no_command(interpreter: Interpreter) -> None:
    made = made_or_skip(interpreter, "pools")
    target = target_of(made)
    intact = Session(target)
    targets = places(intact)
    chosen = random.Random(interpreter.id)
    before = [shown(run(intact, target)) for run in wrapped()]
    changed = 0
    for _ in range(ROUNDS):
        mutated = MutatedTarget(target)
        for _ in range(chosen.randrange(4, 20)):
            at = chosen.choice(targets) + 8 * chosen.randrange(24)
            mutated.put_word(at, chosen.choice((*HOSTILE, *targets)))
        for number, run in enumerate(wrapped()):
            start = time.process_time()
            report = run(intact, mutated)
            assert time.process_time() - start < MAX_SECONDS
            changed += shown(report) != before[number]
    assert changed, "the damage hits what is decoded"


def shown(report: Report) -> str:
    return repr((list(report.lines), list(report.rows), report.soft_errors))


def wrapped() -> list[Callable[[Session, Any], Report]]:
    """Return the commands as functions of an intact session and a target with damage."""

    def bind(run: Callable[..., Report], options: dict[str, Any]) -> Callable[..., Report]:
        def call(intact: Session, target: Any) -> Report:
            session = Session(target)
            # What was decoded before the damage: the decoders under test meet all of it.
            session.state.__dict__["python"] = intact.state.python
            return run(session, Namespace(**options))

        return call

    return [bind(run, options) for run, options in COMMANDS]
