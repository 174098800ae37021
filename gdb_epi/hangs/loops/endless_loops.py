# SPDX-License-Identifier: Apache-2.0
"""Loops that go round for ever, as a dry run of their code shows: dry_run.py.

It begins where the thread is. What of the running instruction was done already is not in the core,
so the run begins before it, with the same variables: between there and it nothing is stored. Where
it stores something itself, the loop must be endless from before it and from after it. Only loops
that have a way out count: one without any is meant to go on.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.frames.code_objects import bytecode_of
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.instructions import Dialect, dialect_of
from gdb_epi.cpython.values.repr_decoder import Limits, Undecodable
from gdb_epi.cpython.values.value_stack_items import Item, Iteration, ProcessObject
from gdb_epi.cpython.values.value_stack_operations import Raised
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.loops.dry_run import MAX_CODE, MAX_ITEMS, DryRun, Endless, Memory
from gdb_epi.hangs.types import (
    EVENT,
    GIL,
    HANG,
    JOIN,
    LOCK,
    RUNNING,
    HangAnswer,
    ThreadActivity,
    function_and_line,
)
from gdb_epi.locks.python.call_sites import Instruction
from gdb_epi.locks.types import PROBABLE
from gdb_epi.typing_lite import NamedTuple

MAX_STEPS = 20_000  # of one thread, in all
MAX_FRAMES = 3  # whose code is followed; the outer ones when the inner ones return
MAX_TEXT = 1 << 14
# The run may begin after these: nothing before them is needed, or it must not be repeated.
_BEGINS = (
    "STORE", "DELETE", "FOR_ITER", "UNPACK", "LIST_", "SET_", "MAP_", "DICT_", "YIELD", "?",
    "POP_TOP", "POP_JUMP",
)  # fmt: skip
_CALLS = ("CALL", "PRECALL")
_CYCLE = "itertools.cycle"
_ARRAY_ITERATORS = ("list_iterator", "tuple_iterator")
_HANDLERS = ("signal",)  # modules with which a program may install signal handlers


class _Start(NamedTuple):
    """Where a dry run may begin: the byte, the iterators on the stack, and a variable above them.

    Up to the byte `repeats_until` it repeats what ran.
    """

    at: int
    stack: tuple[Item, ...]
    repeats_until: int = -1
    loaded: int | None = None


def endless_loop(scene: HangContext) -> HangAnswer | None:
    """A thread runs a loop that came back to the same state, and that nobody else changes."""
    for activity in scene.activities:
        if activity.kind not in (*RUNNING, GIL) or not activity.frames:
            continue
        budget = [MAX_STEPS]
        for frame in scene.view.frames(activity.tid)[:MAX_FRAMES]:
            try:
                endless = _run_on(scene, activity, frame, budget)
            except (Undecodable, UnreadableMemory, LayoutError, Raised, IndexError):
                break
            if endless is not None:
                return _answer(scene, activity, frame, endless)
    return None


def _answer(
    scene: HangContext, activity: ThreadActivity, frame: PyFrame, endless: Endless
) -> HangAnswer:
    key_frames = scene.loop_frames(activity.frames)
    turns = "one turn" if endless.turns == 1 else f"{endless.turns} turns"
    sentence = (
        f"{activity.who()} is in a loop without end at {function_and_line(frame)}: with the "
        f"values in this core its conditions come out the same after {turns}, and so for ever"
    )
    return HangAnswer(
        HANG, "endless loop", sentence, (activity._replace(key_frames=key_frames),), PROBABLE,
        (f"its code was followed from where it stood: after {turns} all is as before, but for "
         "numbers that no condition depends on",),
        ("another thread or a signal handler that could change what it reads",),
        ("native code that changes what it reads",),
    )  # fmt: skip


def _run_on(
    scene: HangContext, activity: ThreadActivity, frame: PyFrame, budget: list[int]
) -> Endless | None:
    """Return how a frame goes round for ever; None where it returns.

    Raises Undecodable and the like where that is not known.
    """
    endless: Endless | None = None
    innermost = frame.address == scene.view.frames(activity.tid)[0].address
    for start in _starts(scene, frame, innermost=innermost):
        run = _made(scene, frame, budget)
        run.stack += start.stack
        run.base, run.is_whole = len(start.stack), False
        if start.loaded is not None:
            run.stack.append(run.locals.get(start.loaded))
        run.repeats_until = start.repeats_until
        try:
            run.go(start.at, MAX_CODE)
        except Endless as error:
            endless = error
        else:
            return None
        if run.memory.read and not _alone(scene, activity):
            raise Undecodable("objects that others may change")
        if not _has_way_out(scene, endless):
            raise Undecodable("a loop that is meant to go on")
    return endless


def _alone(scene: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether no other thread runs code of the program until this one gives it work."""
    others = [d for d in scene.activities if d.tid != activity.tid and scene.view.frames(d.tid)]
    idle = all(not d.frames and not d.timed and d.kind in (EVENT, LOCK, JOIN) for d in others)
    return idle and not scene.knows_module(activity, *_HANDLERS)


def _made(scene: HangContext, frame: PyFrame, budget: list[int]) -> DryRun:
    variables = scene.view.frame_variables
    limits = Limits(width=MAX_ITEMS, length=MAX_TEXT, secrets=True)
    run = DryRun(variables.values.decoder(limits), budget)
    run.code, run.memory = frame.code, Memory()
    run.globals, run.names = variables.scopes(frame)
    run.locals = {slot.number: ProcessObject(word) for slot, word in variables.slots(frame)}
    layout = scene.view.reader.layout
    if layout.offset("PyCodeObject", "co_localsplusnames") is None:  # up to 3.10: cells apart
        run.first_cell = len(scene.sites.strings(frame.code, "co_varnames"))
    return run


def _starts(scene: HangContext, frame: PyFrame, *, innermost: bool) -> Iterator[_Start]:
    """Yield where a dry run of a frame is to begin; all are to be tried.

    A call made by a frame that is not the innermost may already be partly done.
    """
    at, code = scene.running_byte(frame), list(scene.sites.instructions(frame.code))
    reader, dialect = scene.view.reader, dialect_of(scene.view.reader.layout)
    start, size = bytecode_of(reader, frame.code)
    units = reader.read(start, size) if 0 < size <= MAX_CODE else b""
    names = [dialect.names.get(units[each.at], "?") for each in code if each.end <= len(units)]
    running = next((i for i, each in enumerate(code) if each.at <= (at or 0) < each.end), None)
    if at is None or running is None or running >= len(names):
        raise Undecodable("no running instruction")
    targets = {scene.sites.leads_to(each) for each in code}
    first = running
    while first and code[first].at not in targets and code[first - 1].goes_on:
        if names[first - 1].startswith(_BEGINS):
            break
        first -= 1
    iterates = names[running] == "FOR_ITER" or (first and names[first - 1] == "FOR_ITER")
    if iterates and names[first] != "FOR_ITER":
        first -= 1
    stack = _iterators(scene, frame, code, names, dialect, code[first].at)
    shifted = (stack, _one_back(stack)) if iterates else (stack,)
    after = running + 1
    if names[running].startswith(_CALLS):
        while after < len(names) and names[after].startswith(_CALLS):
            after += 1
        # Where the result is not used, the call may or may not have been made: both are tried.
        done = innermost and after < len(names) and names[after] == "POP_TOP"
        after += 1
    else:
        done = names[running].startswith("STORE")
    if done and names[running].count("STORE") > 1:
        raise Undecodable("an instruction that does two things")
    until = code[running].at if done or not names[running].startswith(_CALLS) else code[after].at
    for iterators in shifted:
        loaded = _loaded(code[first - 1], names[first - 1]) if first else None
        yield _Start(code[first].at, iterators, -1 if iterates else until, loaded)
    if done and after < len(code):
        yield _Start(code[after].at, stack, loaded=_loaded(code[after - 1], names[after - 1]))


def _loaded(instruction: Instruction, name: str) -> int | None:
    """Return the variable that an instruction loads which stores another one (3.13)."""
    return instruction.argument & 15 if name == "STORE_FAST_LOAD_FAST" else None


def _iterators(
    scene: HangContext, frame: PyFrame, code: list[Instruction], names: list[str],
    dialect: Dialect, at: int,
) -> tuple[Item, ...]:  # fmt: skip
    """Return the iterators of the `for` loops around a byte, if nothing else is on the stack.

    An empty stack is right too: what takes something from it is refused.
    """
    around = [
        each for each, name in zip(code, names, strict=False)
        if name == "FOR_ITER" and each.at <= at < each.end + dialect.jump_unit * each.argument
    ]  # fmt: skip
    words = scene.view.slots.of(frame).stack[: len(around)]
    kinds = [scene.view.locks.type_name(w) or "" if w and not w & 7 else "" for w in words]
    if not all(kind == _CYCLE or kind.endswith("iterator") for kind in kinds):
        return ()
    return tuple(_iteration(scene, *pair) for pair in zip(words, kinds, strict=True))


def _iteration(scene: HangContext, address: int, kind: str) -> Item:
    """Return how far an iterator of a list or tuple is, or an itertools.cycle() in its rounds.

    After the heads come an index and the sequence; the iterator, NULL once it has ended, the list
    of what it gave, and an index (Modules/itertoolsmodule.c, 3.8 to 3.14).
    """
    reader = scene.view.reader
    first, second, third = (reader.u64(address + 16 + 8 * n) for n in range(3))
    if kind in _ARRAY_ITERATORS and second:
        return Iteration(ProcessObject(second), first)
    return (
        Iteration(ProcessObject(second), third, round=True)
        if kind == _CYCLE and not first
        else None
    )


def _one_back(stack: tuple[Item, ...]) -> tuple[Item, ...]:
    last = stack[-1] if stack else None
    if not isinstance(last, Iteration) or not (last.place or last.round):
        return stack
    return (*stack[:-1], last._replace(place=last.place - 1))


def _has_way_out(scene: HangContext, endless: Endless) -> bool:
    """Tell whether an instruction of a loop leads out of it."""
    inside = range(endless.first, endless.last)
    for each in scene.sites.instructions(endless.code):
        if each.at not in inside:
            continue
        target = scene.sites.leads_to(each)
        if not (each.goes_on or target is not None) or (target or each.at) not in inside:
            return True
        if target is not None and each.goes_on and each.end not in inside:
            return True
    return False
