# SPDX-License-Identifier: Apache-2.0
"""Whether a call was made when a core was written, as far as a dry run may know it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import spread
from support.opening import need_core_dumps

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import BuiltTuple
from gdb_epi.errors import Absent
from gdb_epi.hangs.dry_run.dry_run import DryRun
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.loops.dry_run_starts import (
    _beginning_of_statement,
    _read_running_call,
    _read_running_code,
    _run_statement_to_call,
    start_dry_run,
)
from gdb_epi.hangs.types import HANG
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

# In `busy_list` a list has 40 items before pop() and 39 after it; in `busy_cycle` the number that
# was taken last tells how often next() was called.
PROGRAM = """
import itertools, os, sys

def busy_list():
    items, taken = list(range(1000, 1040)), 0
    while taken is not None:
        taken = items.pop()
        items.append(taken)

def busy_cycle():
    turn, taken = itertools.cycle(range(1000, 1040)), 0
    for _ in range(40):
        next(turn)
    while taken is not None:
        taken = next(turn)

with open("ready", "w") as file:
    file.write(str(os.getpid()))
globals()[sys.argv[1]]()
"""
ENOUGH, MOST = 2, 60  # cores in which the call runs; that are made
_INDEX_OF_CYCLE = 32


@pytest.mark.parametrize("name", ["busy_list", "busy_cycle"])
def test_a_call_is_said_to_be_made_only_if_it_was(name: str, tmp_path: Path) -> None:
    need_core_dumps()
    suited = spread(
        name, lambda interpreter: interpreter.root is None and not interpreter.free_threaded
    )
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    read = 0
    for number in range(MOST):
        folder = tmp_path / str(number)
        folder.mkdir()
        installed = suited[number % len(suited)]
        answers = _answers(core_by_signal(installed, name, folder, program=program))
        if answers is not None:
            was_made, made, gave, taken = answers
            assert was_made in (None, made)
            assert not made or gave == taken
            read += 1
        shutil.rmtree(folder)
        if read == ENOUGH:
            return
    raise AssertionError(f"in {read} of {MOST} cores a call that takes an item was running")


def test_a_busy_loop_that_takes_a_lock_in_each_turn_is_endless(tmp_path: Path) -> None:
    """It is in the `with` block, in __enter__() or in __exit__() whenever one looks."""
    need_core_dumps()
    suited = spread(
        "lock",
        lambda interpreter: (
            interpreter.root is None
            and not interpreter.free_threaded
            and interpreter.minor >= (3, 11)
        ),
    )
    endless = 0
    for number in range(MOST):
        folder = tmp_path / str(number)
        folder.mkdir()
        core = core_by_signal(suited[number % len(suited)], "busy_under_a_lock", folder)
        answer = ProcessState(CoreFileTarget.open(core)).hang
        assert not isinstance(answer, Absent)
        assert answer.label == HANG
        endless += answer.kind == "endless loop"
        shutil.rmtree(folder)
        if endless == ENOUGH:
            return
    raise AssertionError(f"{endless} of {MOST} were followed")


# Iterators of which two items were taken.
TAKEN = """
import collections, os, time

def begun():
    letters, numbers, table = list("abcd"), (1, 2, 3, 4, 5), {"x": 1, "y": 2, "z": 3}
    made = {
        "enumerate": enumerate(letters, 7), "zip": zip(letters, numbers),
        "both": enumerate(zip(numbers, letters)), "reversed": reversed(letters),
        "values": iter(table.values()), "items": iter(table.items()),
        "deque": iter(collections.deque(numbers)), "over": enumerate("ab"),
    }
    for each in made.values():
        next(each), next(each)
    return made
"""


def test_what_iterators_have_yet_to_give(tmp_path: Path) -> None:
    need_core_dumps()
    names: dict[str, Callable[[], dict[str, Iterator[object]]]] = {}
    exec(TAKEN, names)  # the same here
    program = tmp_path / "program.py"
    program.write_text(
        f"{TAKEN}\n\ndef main(made):\n    open('ready', 'w').write(str(os.getpid()))\n"
        "    time.sleep(100000)\n\nmain(begun())\n"
    )
    for interpreter in spread(
        "iterators", lambda interpreter: interpreter.root is None and not interpreter.free_threaded
    ):
        folder = tmp_path / interpreter.id
        folder.mkdir()
        target = CoreFileTarget.open(
            core_by_signal(interpreter, "iterators", folder, program=program)
        )
        state = ProcessState(target)
        assert not isinstance(state.python, Absent)
        scene = HangContext(target, state.python, state.locks, target.threads())
        frame = scene.view.frames(scene.main_tid)[0]
        run = start_dry_run(scene, frame, [10_000], DryRun)
        made = scene.view.objects.dict_items(dict(scene.view.variable_addresses(frame))["made"])
        left = {
            str(scene.view.reader.string(key, 99)): run.to_python(
                BuiltTuple(tuple(run.all_items(run.iterator_position(iterator))))
            )
            for key, iterator in made
        }
        assert left == {name: tuple(each) for name, each in names["begun"]().items()}, (
            interpreter.id
        )


def _answers(core: Path) -> tuple[bool | None, bool, object, object] | None:
    """Return what is said of the call, whether it was made, what it gave as is said, and did."""
    target = CoreFileTarget.open(core)
    state = ProcessState(target)
    assert not isinstance(state.python, Absent)
    scene = HangContext(target, state.python, state.locks, target.threads())
    frame = scene.view.frames(scene.main_tid)[0]
    try:
        here = _read_running_code(scene, frame)
        first, _ = _beginning_of_statement(scene, here)
        reached = _run_statement_to_call(scene, frame, here, first, ())
        call = _read_running_call(scene, frame, reached) if reached is not None else None
    except Undecodable:
        return None
    if call is None:
        return None
    of = dict(scene.view.variable_addresses(frame))
    integer, reader = scene.view.objects.integer, scene.view.reader
    gave = integer(getattr(call.gave, "address", 0)) if call.gave else None
    if "turn" in of:
        last = 1000 + (reader.u64(of["turn"] + _INDEX_OF_CYCLE) - 1) % 40
        return call.was_made, last != integer(of["taken"]), gave, last
    items = {integer(each) for each in ContainerReader(reader).list_items(of["items"])}
    if here.code[here.running].argument:  # append()
        return call.was_made, len(items) == 40, None, None
    missing = {*range(1000, 1040)} - items
    return call.was_made, bool(missing), gave, next(iter(missing), None)
