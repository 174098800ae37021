# SPDX-License-Identifier: Apache-2.0
"""Where a dry run of a frame begins: before its running statement, or after a call that returns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.repr_decoder import ReprLimits, Undecodable
from gdb_epi.cpython.values.value_stack_items import (
    BuiltTuple,
    Item,
    Iteration,
    NoneResult,
    ProcessObject,
)
from gdb_epi.cpython.values.value_stack_operations import Raised
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.dry_run.container_evaluation import MAX_ITEMS
from gdb_epi.hangs.dry_run.dry_run import DryRun
from gdb_epi.hangs.dry_run.loop_states import DryRunMemory
from gdb_epi.hangs.dry_run.operators import OPERATORS_BY_INSTRUCTION
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.locks.python.call_sites import Instruction
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import TypeVar

    _Run = TypeVar("_Run", bound=DryRun)

MAX_TEXT = 1 << 14
# The run may begin after these: nothing before them is needed, or it must not be repeated.
_BEGINS = (
    "STORE", "DELETE", "FOR_ITER", "UNPACK", "LIST_", "SET_ADD", "SET_UPDATE", "MAP_",
    "DICT_", "YIELD", "?", "POP_TOP", "POP_JUMP",
)  # fmt: skip
_CALLS = ("CALL", "PRECALL")
_DELEGATES = ("SEND", "YIELD_FROM")
_STEPS_OF_DELEGATION = ("RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "YIELD_VALUE")
_GO_OVER = ("itertools.cycle", "generator")
_CALLS_FUNCTION = ("CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_EX")
_RESUMED = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_CALLABLES = (
    "function", "method", "builtin_function_or_method", "builtin_method", "method_descriptor",
    "type", "functools.partial",
)  # fmt: skip
_SLEPT = Iteration(BuiltTuple(()), 0)  # what is awaited, over
TASK_SLEEPS = frozenset((("asyncio.tasks", "sleep"), ("asyncio.tasks", "__sleep0")))
_ASYNCIO = "/asyncio/tasks.py"


class DryRunStart(NamedTuple):
    """Where a dry run may begin: the byte, the iterators on the stack, and a variable above them.

    Up to the byte `repeats_until` it repeats what ran.
    """

    at: int
    stack: tuple[Item, ...]
    repeats_until: int = -1
    loaded: int | None = None
    for_loops: tuple[range, ...] = ()  # of the code

    @property
    def around(self) -> int:
        """Return how many `for` loops it lies in: their iterators stay where they are."""
        return sum(self.at in each for each in self.for_loops)


class ReturnedValue(NamedTuple):
    """What a frame returned, or the error that it ended with, and the objects as it left them."""

    value: Item
    memory: DryRunMemory
    raised: Raised | None = None


def start_dry_run_at(
    scene: HangContext, frame: PyFrame, start: DryRunStart, budget: list[int], kind: type[_Run]
) -> _Run:
    """Return the run of a frame that goes on at a place. Raises UnreadableMemory, LayoutError."""
    run = start_dry_run(scene, frame, budget, kind)
    run.stack += start.stack
    run.base, run.for_loops = min(len(start.stack), start.around), start.for_loops
    if start.loaded is not None:
        run.stack.append(run.locals.get(start.loaded))
    run.repeats_until = start.repeats_until
    return run


def start_dry_run(scene: HangContext, frame: PyFrame, budget: list[int], kind: type[_Run]) -> _Run:
    """Return the run of a frame, with its variables. Raises UnreadableMemory, LayoutError."""
    variables = scene.view.frame_variables
    limits = ReprLimits(width=MAX_ITEMS, length=MAX_TEXT, secrets=True)
    run = kind(variables.values.decoder(limits), budget)
    run.code, run.memory = frame.code, DryRunMemory()
    threads = scene.python.threads()
    run.memory.living_threads = frozenset(each.ident for each in threads if each.alive)
    run.globals, run.names = variables.scopes(frame)
    run.locals = {slot.number: ProcessObject(word) for slot, word in variables.slots(frame)}
    layout = scene.view.reader.layout
    if layout.offset("PyCodeObject", "co_localsplusnames") is None:  # up to 3.10: cells apart
        run.first_cell = len(scene.call_sites.strings(frame.code, "co_varnames"))
    return run


def is_followed(name: str) -> bool:
    """Tell whether a dry run can follow instructions of a name."""
    known = "JUMP" in name or name.startswith(("RETURN", "EXTENDED"))
    return known or name in OPERATORS_BY_INSTRUCTION or hasattr(DryRun, f"_do_{name.lower()}")


def find_dry_run_starts(
    scene: HangContext, frame: PyFrame, *, innermost: bool
) -> Iterator[DryRunStart]:
    """Yield where a dry run of a frame is to begin; all are to be tried.

    A call made by a frame that is not the innermost may already be partly done.
    """
    here = _read_running_code(scene, frame)
    code, names, running, loops = here
    if (start := _start_of_delegation(scene, frame, here)) is not None:
        yield start
        return
    first, iterates = _begin_of_statement(scene, here)
    stack = _iterators(scene, frame, sum(code[first].at in each for each in loops))
    guarded = code[first].at - (names[first] == "POP_EXCEPT")  # which no handler guards any more
    stack += _below_handler(scene, frame, len(stack), guarded)
    by_generator = bool(stack) and isinstance(stack[-1], ProcessObject)
    if by_generator and iterates and names[running] != "FOR_ITER":
        raise Undecodable("a generator that has given its value")
    shifted = (stack,) if names[running] == "FOR_ITER" or not iterates else ()
    if iterates and not by_generator:
        shifted = (*shifted, _one_back(stack))
    after = running + 1
    if names[running].startswith(_CALLS):
        if names[running] == "PRECALL":  # and its CALL (3.11); another one is that of a caller
            after += 1
        # Where the result is not used, the call may or may not have been made: both are tried.
        done = innermost and after < len(names) and names[after] == "POP_TOP"
        after += 1
    else:
        done = names[running].startswith("STORE")
    if done and names[running].count("STORE") > 1:
        raise Undecodable("an instruction that does two things")
    until = code[running].at
    if not done and names[running].startswith(_CALLS):
        until = code[after].at if after < len(code) else code[-1].end
    for iterators in shifted:
        loaded = _loaded(code[first - 1], names[first - 1]) if first else None
        yield DryRunStart(code[first].at, iterators, -1 if iterates else until, loaded, loops)
    if done and after < len(code):
        loaded = _loaded(code[after - 1], names[after - 1])
        yield DryRunStart(code[after].at, stack, loaded=loaded, for_loops=loops)


class _RunningCode(NamedTuple):
    """The instructions of a frame, their names ("?" where not followed), and which one runs."""

    code: list[Instruction]
    names: list[str]
    running: int
    loops: tuple[range, ...]  # the bytes of each `for` loop


def _read_running_code(scene: HangContext, frame: PyFrame) -> _RunningCode:
    at, code, names = scene.running_byte(frame), list[Instruction](), list[str]()
    begin: int | None = None  # of EXTENDED_ARGs, which are one with the instruction after them
    for each in scene.call_sites.instructions(frame.code):
        begin = each.at if begin is None else begin
        if each.operation != "extended":
            names.append(each.name if is_followed(each.name) else "?")
            code.append(each._replace(at=begin))
            begin = None
    running = next((i for i, each in enumerate(code) if each.at <= (at or 0) < each.end), None)
    if at is None or running is None or running >= len(names):
        raise Undecodable("no running instruction")
    loops = tuple(
        range(each.at, scene.call_sites.leads_to(each) or 0)
        for each in code if each.operation == "next"
    )  # fmt: skip
    return _RunningCode(code, names, running, loops)


def _start_of_delegation(
    scene: HangContext, frame: PyFrame, here: _RunningCode
) -> DryRunStart | None:
    """Return where `yield from` or `await` goes on, if the frame is in one."""
    begin = here.running
    while begin and here.names[begin] in _STEPS_OF_DELEGATION:
        begin -= 1
    if here.names[begin] not in _DELEGATES:
        return None
    at = here.code[begin].at
    depth = sum(at in each for each in here.loops) + 1
    stack = _iterators(scene, frame, depth)
    if here.names[here.running] == "YIELD_VALUE" and _SLEPT not in stack:
        raise Undecodable("a generator that has given its value")
    if len(stack) < depth or None in stack:
        raise Undecodable("an iterator of another kind")
    return DryRunStart(at, (*stack, NoneResult()), for_loops=here.loops)


def _begin_of_statement(scene: HangContext, here: _RunningCode) -> tuple[int, bool]:
    """Return the first instruction of the running statement, and if it takes a loop's next item."""
    code, names, first = here.code, here.names, here.running
    targets = {scene.call_sites.leads_to(each) for each in code}
    while first and code[first].at not in targets and code[first - 1].goes_on:
        if names[first - 1].startswith(_BEGINS):
            break
        first -= 1
    iterates = names[here.running] == "FOR_ITER" or (first > 0 and names[first - 1] == "FOR_ITER")
    return first - (iterates and names[first] != "FOR_ITER"), iterates


def _loaded(instruction: Instruction, name: str) -> int | None:
    """Return the variable that an instruction loads which stores another one (3.13)."""
    return instruction.argument & 15 if name == "STORE_FAST_LOAD_FAST" else None


def _iterators(scene: HangContext, frame: PyFrame, around: int) -> tuple[Item, ...]:
    """Return the iterators of the `for` loops around, if nothing else is on the stack.

    An empty stack is right too: what takes something from it is refused.
    """
    words = scene.view.slots.of(frame).stack[:around]
    run = start_dry_run(scene, frame, [MAX_ITEMS], DryRun)
    kinds = [scene.view.locks.type_name(w) or "" if w and not w & 7 else "" for w in words]
    if kinds[-1:] == ["coroutine"] and _sleeps(scene, words[-1]):
        return (*map(run.iteration, words[:-1]), _SLEPT)
    if not all(kind in _GO_OVER or kind.endswith("iterator") for kind in kinds):
        return ()
    return tuple(map(run.iteration, words))


def _below_handler(scene: HangContext, frame: PyFrame, deep: int, at: int) -> tuple[Item, ...]:
    """Return what lies on the stack of a handler that runs above `deep` items: nobody knows what.

    Only that it ends takes them away (3.11; before, blocks say so).
    """
    if scene.view.reader.layout.offset("PyCodeObject", "co_exceptiontable") is None:
        return ()
    return (None,) * max(0, scene.view.slots.guarded_depth(frame.code, at) - deep)


def _sleeps(scene: HangContext, coroutine: int) -> bool:
    """Tell whether a coroutine is that of asyncio.sleep(), which comes to its end."""
    frame = scene.view.slots.suspended(coroutine)
    names = [name for _, name in TASK_SLEEPS]
    return frame is not None and frame.name in names and frame.filename.endswith(_ASYNCIO)


def _one_back(stack: tuple[Item, ...]) -> tuple[Item, ...]:
    last = stack[-1] if stack else None
    if not isinstance(last, Iteration) or not (last.place or last.round):
        return stack
    return (*stack[:-1], last._replace(place=last.place - 1))


def start_after_call(
    scene: HangContext, called: PyFrame, frame: PyFrame, returned: ReturnedValue
) -> DryRunStart | None:
    """Return where a frame goes on when the one that it called has returned; None where unknown.

    Where that one runs in the same eval loop (3.11), it is known what else lies on the stack.
    """
    if called.hole is not None or called.name == "__init__":
        return None
    running = scene.call_sites.running(frame.code, scene.running_byte(frame))
    if running is None:
        return None
    words: tuple[int, ...] | None = None
    if called.is_entry:
        with suppress(UnreadableMemory, LayoutError):
            words = _find_words_below_call(scene, called, frame, running)
    else:
        is_call = running.operation == "call"
        words = scene.view.slots.stack_in_call(frame) if is_call else None
    if words is None:
        return None
    run = start_dry_run(scene, frame, [MAX_ITEMS], DryRun)
    iterates = (scene.view.locks.type_name(w) or "" if w and not w & 7 else "" for w in words)
    items = [
        run.iteration(word) if kind.endswith("iterator") else ProcessObject(word) if word else None
        for word, kind in zip(words, iterates, strict=True)
    ]
    if returned.raised is not None:
        return DryRunStart(running.at, tuple(items))
    return DryRunStart(running.end, (*items, returned.value))


def _find_words_below_call(
    scene: HangContext, called: PyFrame, frame: PyFrame, running: Instruction
) -> tuple[int, ...] | None:
    """Return what lies on a frame's stack below the function that its running call has called.

    Where C code runs between the two (up to 3.10; f(*args) in 3.11) nobody keeps how deep the stack
    is. The function lies there once, with its arguments behind it. None where it may be the
    argument of another one that called it, or a generator, which is resumed otherwise.
    """
    view, name = scene.view, running.name
    marks_calls = "PUSH_NULL" in scene.call_sites.opcodes.instructions
    with_null = name == "CALL_FUNCTION_EX" and marks_calls
    flags = view.reader.field32(called.code, "PyCodeObject", "co_flags")
    if name not in _CALLS_FUNCTION or flags & _RESUMED or (
        marks_calls and running.operation == "call"
    ):  # fmt: skip
        return None
    words = view.slots.of(frame).stack
    kinds = [view.locks.type_name(w) if w and not w & 7 else "" for w in words]
    places = []
    for place, kind in enumerate(kinds):
        if kind not in ("function", "method"):
            continue
        function, bound = words[place], kind == "method"
        if bound:
            function = view.reader.field(function, "PyMethodObject", "im_func")
        if view.reader.field(function, "PyFunctionObject", "func_code") != called.code:
            continue
        below = place - (with_null or (bound and name == "CALL_METHOD"))
        before = kinds[max(0, place - running.argument - 1) : below]
        if name == "CALL_FUNCTION_EX":
            before = [] if kinds[place + 1 : place + 2] == ["tuple"] else [kind]
        if below < 0 or any(words[below:place]) or any(each in _CALLABLES for each in before):
            return None
        places.append(below)
    return tuple(words[: places[0]]) if len(places) == 1 else None
