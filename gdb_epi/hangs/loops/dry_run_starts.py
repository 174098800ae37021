# SPDX-License-Identifier: Apache-2.0
"""Where a dry run of a frame begins: before its running statement, or after a call that returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from gdb_epi.cpython.frames.eval_calls import EVAL_LOOP
from gdb_epi.cpython.frames.opcodes import OPERATORS_BY_INSTRUCTION
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.repr_decoder import ReprLimits, Undecodable
from gdb_epi.cpython.values.value_stack import (
    BuiltinMethod,
    BuiltTuple,
    CertainException,
    GlobalName,
    Item,
    IteratorPosition,
    Method,
    NoneResult,
    ProcessObject,
)
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.dry_run.container_evaluation import DEQUE, MAX_CODE, MAX_ITEMS
from gdb_epi.hangs.dry_run.dry_run import DryRun
from gdb_epi.hangs.dry_run.loop_states import DryRunMemory
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
_STORES_ONE = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")
_GIVES_ONE = (
    "CALL",
    "BINARY",
    "INPLACE",
    "COMPARE",
    "CONTAINS",
    "IS_OP",
    "UNARY",
    "BUILD",
    "LOAD_",
)
_PUSH_UNSEEN = ("GET_AITER", "GET_ANEXT")  # `async for`: no handler says that its iterator is there
_BLOCKS = (*_PUSH_UNSEEN, "SETUP_")  # up to 3.10 these keep more on the stack than loops do
_CALLS = ("CALL", "PRECALL")
_DELEGATES = ("SEND", "YIELD_FROM")
_STEPS_OF_DELEGATION = ("RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "YIELD_VALUE")
_GO_OVER = ("itertools.cycle", "generator", "enumerate", "zip")
_CALLS_FUNCTION = ("CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_EX")
# How many words on the value stack are a call's besides its arguments.
_WORDS_OF_CALL = {
    "PRECALL": 2, "CALL": 2, "CALL_METHOD": 2, "CALL_FUNCTION": 1, "CALL_KW": 3,
    "CALL_FUNCTION_KW": 2,
}  # fmt: skip
MAX_STEPS_TO_CALL = 200
_RESUMED = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_CALLABLES = (
    "function", "method", "builtin_function_or_method", "builtin_method", "method_descriptor",
    "type", "functools.partial",
)  # fmt: skip
_PUT_ASIDE = "LOAD_FAST_AND_CLEAR"
_ENDS_BLOCK = ("method", "builtin_function_or_method", "builtin_method")  # __exit__
_SLEPT = IteratorPosition(BuiltTuple(()), 0)  # what is awaited, over
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
    cleared: tuple[int, ...] = ()  # variables of a comprehension that begins anew

    @property
    def enclosing_for_loops(self) -> int:
        """Return how many `for` loops it lies in: their iterators stay where they are."""
        return sum(self.at in for_loop for for_loop in self.for_loops)


class ReturnedValue(NamedTuple):
    """What a frame returned, or the error that it ended with, and the objects as it left them."""

    value: Item
    memory: DryRunMemory
    raised: CertainException | None = None


def start_dry_run_at(
    context: HangContext, frame: PyFrame, start: DryRunStart, budget: list[int], kind: type[_Run]
) -> _Run:
    """Return the run of a frame that goes on at a place. Raises UnreadableMemory, LayoutError."""
    run = start_dry_run(context, frame, budget, kind)
    run.stack += start.stack
    run.base, run.for_loops = min(len(start.stack), start.enclosing_for_loops), start.for_loops
    if start.loaded is not None:
        run.stack.append(run.locals.get(start.loaded))
    run.repeats_until = start.repeats_until
    for number in start.cleared:
        run.locals.pop(number, None)
    return run


def start_dry_run(
    context: HangContext, frame: PyFrame, budget: list[int], kind: type[_Run]
) -> _Run:
    """Return the run of a frame, with its variables. Raises UnreadableMemory, LayoutError."""
    variables = context.view.frame_variables_reader
    limits = ReprLimits(width=MAX_ITEMS, length=MAX_TEXT, secrets=True)
    run = kind(variables.values.decoder(limits), budget)
    run.code, run.memory = frame.code, DryRunMemory()
    threads = context.python.threads()
    run.memory.living_threads = frozenset(thread.ident for thread in threads if thread.alive)
    run.globals, run.names = variables.globals_and_names(frame)
    run.locals = {slot.number: ProcessObject(word) for slot, word in variables.bound_slots(frame)}
    layout = context.view.reader.layout
    if layout.offset("PyCodeObject", "co_localsplusnames") is None:  # up to 3.10: cells apart
        run.first_cell = len(context.call_sites.name_tuple(frame.code, "co_varnames"))
    return run


def can_follow_instruction(name: str) -> bool:
    """Tell whether a dry run can follow instructions of a name."""
    is_jump_or_return = "JUMP" in name or name.startswith(("RETURN", "EXTENDED"))
    return (
        is_jump_or_return
        or name in OPERATORS_BY_INSTRUCTION
        or hasattr(DryRun, f"_do_{name.lower()}")
    )


def find_dry_run_starts(
    context: HangContext, frame: PyFrame, *, innermost: bool
) -> Iterator[DryRunStart]:
    """Yield where a dry run of a frame is to begin; all are to be tried.

    A call made by a frame that is not the innermost may already be partly done.
    """
    here = _read_running_code(context, frame)
    code, names, running, loops = here
    if (start := _start_in_delegation(context, frame, here)) is not None:
        yield start
        return
    around = _comprehension_around(here)
    if around is not None:
        before = here._replace(running=around.before)
        first, iterates = _beginning_of_statement(context, before)
        if iterates:
            raise Undecodable("a comprehension where a loop takes its next item")
        stack = _stack_of_statement(context, frame, before, first)
        loaded = _variable_loaded_by_store(code[first - 1], names[first - 1]) if first else None
        yield DryRunStart(code[first].at, stack, around.end, loaded, loops, around.variables)
        return
    first, iterates = _beginning_of_statement(context, here)
    stack = _stack_of_statement(context, frame, here, first)
    if innermost and (stored := _item_being_stored(context, frame, here, len(stack))) is not None:
        yield DryRunStart(code[running].at, (*stack, stored), for_loops=loops)
        return
    by_generator = bool(stack) and isinstance(stack[-1], ProcessObject)
    if by_generator and iterates and names[running] != "FOR_ITER":
        raise Undecodable("a generator that has given its value")
    # 1. From the begin of the statement. Where FOR_ITER itself runs, it may have taken its item
    # or not: both are tried.
    stacks_to_begin_with = (stack,) if names[running] == "FOR_ITER" or not iterates else ()
    if iterates and not by_generator:
        stacks_to_begin_with = (*stacks_to_begin_with, _stack_with_iterator_one_back(stack))
    # 2. Behind the instruction that runs, where what it did may be done already.
    after = running + 1
    if names[running].startswith(_CALLS):
        if names[running] == "PRECALL":  # and its CALL (3.11); another one is that of a caller
            after += 1
        # Where the result is not used, the call may or may not have been made: both are tried.
        may_be_done = innermost and after < len(names) and names[after] == "POP_TOP"
        after += 1
    else:
        may_be_done = names[running].startswith("STORE")
    if may_be_done and names[running].count("STORE") > 1:
        raise Undecodable("an instruction that does two things")
    until = code[running].at
    stack_below_call = stack
    if names[running].startswith(_CALLS):
        reached = _run_statement_to_call(context, frame, here, first, stack) if innermost else None
        call = None
        if reached is not None:
            stack_below_call, call = reached.below, _read_running_call(context, frame, reached)
        if may_be_done:
            pass
        elif call is None:
            until = code[after - 2].end  # that of the call
        elif call.was_made is not False and after <= len(code):
            yield DryRunStart(code[after - 1].at, (*stack_below_call, call.gave), for_loops=loops)
            if call.was_made:
                return
    for iterators in stacks_to_begin_with:
        loaded = _variable_loaded_by_store(code[first - 1], names[first - 1]) if first else None
        yield DryRunStart(code[first].at, iterators, -1 if iterates else until, loaded, loops)
    if may_be_done and after < len(code):
        loaded = _variable_loaded_by_store(code[after - 1], names[after - 1])
        yield DryRunStart(code[after].at, stack_below_call, loaded=loaded, for_loops=loops)


class _ComprehensionAroundFrame(NamedTuple):
    """The instruction before a comprehension, the byte behind it, and its variables."""

    before: int
    end: int
    variables: tuple[int, ...]


def _comprehension_around(here: _RunningCode) -> _ComprehensionAroundFrame | None:
    """Return the outermost comprehension that the frame is in: it runs in the frame itself (3.12).

    It puts its variables aside, builds its container in a loop, and puts them back. What it has
    built so far belongs to nobody yet: it is made anew.
    """
    code, names, running = here.code, here.names, here.running
    for begin in range(1, running + 1):
        if names[begin] != _PUT_ASIDE:
            continue
        inner = begin
        while inner < len(names) and names[inner] in (_PUT_ASIDE, "SWAP"):
            inner += 1
        variables = {code[n].argument for n in range(begin, inner) if names[n] == _PUT_ASIDE}
        at = next((code[n].at for n in range(inner, len(names)) if names[n] == "FOR_ITER"), 0)
        loop = next((loop for loop in here.loops if loop.start == at), range(0))
        left, end = len(variables), loop.stop
        for each, name in zip(code, names, strict=True):
            if each.at >= loop.stop and left:
                left -= name.startswith("STORE_FAST")
                end = each.end
        if code[begin].at < loop.start and code[running].at < end:
            return _ComprehensionAroundFrame(begin - 1, end, tuple(variables))
    return None


class _ReachedCall(NamedTuple):
    """A run up to a call: what is called, with what, where that lies, and what lies below it."""

    run: DryRun
    called: Item
    arguments: tuple[Item, ...]
    place: int
    below: tuple[Item, ...]


class _RunningCall(NamedTuple):
    """Whether a call was made (None: both may be), and what it gave if it was."""

    was_made: bool | None
    gave: Item = None


class _DryRunToCall(DryRun):
    """A run that ends before an instruction, and before any other function."""

    stop = 0  # its byte

    def execute_instruction(self, name: str, argument: int) -> None:
        """Do an instruction. Raises Undecodable, Raised."""
        if self.following > self.stop:
            raise Undecodable("the end of this run")
        super().execute_instruction(name, argument)


def _run_statement_to_call(
    context: HangContext, frame: PyFrame, here: _RunningCode, first: int, stack: tuple[Item, ...]
) -> _ReachedCall | None:
    """Return the running call, as the beginning of its statement leads to it; None if it cannot."""
    running, lies = here.code[here.running], _WORDS_OF_CALL.get(here.names[here.running])
    if lies is None:
        return None
    run = start_dry_run(context, frame, [MAX_STEPS_TO_CALL], _DryRunToCall)
    run.stack, run.stop, run.repeats_until = [*stack], running.at, MAX_CODE
    with suppress(Undecodable, CertainException, LayoutError, UnreadableMemory):
        run.run_from(here.code[first].at, MAX_CODE)
    place = len(run.stack) - lies - running.argument
    if run.following <= running.at or place < 0:
        return None
    # NULL and a callable, in either order; or a function and its `self`.
    called = next((each for each in run.stack[place : place + 2] if each is not None), None)
    arguments = tuple(run.stack[place + lies :])
    return _ReachedCall(run, called, arguments, place, tuple(run.stack[:place]))


def _read_running_call(
    context: HangContext, frame: PyFrame, reached: _ReachedCall
) -> _RunningCall | None:
    """Return how far the innermost frame's running call is; None where that is not known.

    What a call gives takes the place of what was called, on the value stack. As long as that is
    still there it was not made, or its result is in a register yet. Of what takes an item the item
    is known then too: it lies where it lay.
    """
    run, called, words = reached.run, reached.called, context.view.slots.words_of_frame(frame).stack
    word = words[reached.place] if reached.place < len(words) else 1
    kind = context.view.type_name(word)
    at = called.address if isinstance(called, ProcessObject) else 0
    at = called.function if isinstance(called, Method) else at
    is_bound = at > 0 and run.decoder.ident(at) == "method"  # it is taken apart there
    function = run.decoder.field(at, "PyMethodObject", "im_func") if is_bound else at
    if word not in (0, at, function) and not word & 7 and kind not in _CALLABLES:
        return _RunningCall(True, _items_of_words(context, frame, [word])[0])
    if isinstance(called, Method) and run.decoder.ident(at) == "function" and word in (0, at):
        # It runs in the same eval loop, which stores what it returns at once (3.11).
        tid = next((t for t, own in context.view.all_frames().items() if own[:1] == (frame,)), None)
        inner = "" if tid is None else next(context.native_functions(tid), "")
        in_loop = inner.startswith(EVAL_LOOP) and "PUSH_NULL" in run.opcodes.instructions
        return _RunningCall(False) if in_loop else None
    with suppress(Undecodable, LayoutError, UnreadableMemory):
        item = _item_taken_by_call(run, called, reached.arguments)
        if item is not None:
            valid = not isinstance(item, ProcessObject) or context.view.type_name(item.address)
            return _RunningCall(None if valid else False, item)
    return None


def _item_taken_by_call(run: DryRun, called: Item, arguments: Sequence[Item]) -> Item | None:
    """Return what a call took out of a list, deque or iterator if it was made; None for others.

    Raises Undecodable, UnreadableMemory, LayoutError.
    """
    containers = ContainerReader(run.decoder.reader)
    if isinstance(called, BuiltinMethod) and isinstance(called.of, ProcessObject) and not arguments:
        kind, at = run.type_name(called.of), called.of.address
        if kind == "list" and called.name == "pop":
            return ProcessObject(containers.word_behind_list(at))
        if kind == DEQUE and called.name in ("pop", "popleft"):
            beside = containers.word_beside_deque(at, left=called.name == "popleft")
            return ProcessObject(beside) if beside else None
    if (
        called == GlobalName("next")
        and len(arguments) == 1
        and isinstance(arguments[0], ProcessObject)
    ):
        kept = run.iterator_position(arguments[0].address)
        items = run.members(kept.over) if isinstance(kept, IteratorPosition) else ()
        if isinstance(kept, IteratorPosition) and items and (kept.place or kept.round):
            return items[(kept.place - 1) % len(items)]
    return None


class _RunningCode(NamedTuple):
    """The instructions of a frame, their names ("?" where not followed), and which one runs."""

    code: list[Instruction]
    names: list[str]
    running: int
    loops: tuple[range, ...]  # the bytes of each `for` loop


def _read_running_code(context: HangContext, frame: PyFrame) -> _RunningCode:
    at, code, names = (
        context.acquire_calls.running_byte_offset(frame),
        list[Instruction](),
        list[str](),
    )
    begin: int | None = None  # of EXTENDED_ARGs, which are one with the instruction after them
    for instruction in context.call_sites.instructions(frame.code):
        begin = instruction.at if begin is None else begin
        if instruction.operation != "extended":
            names.append(instruction.name if can_follow_instruction(instruction.name) else "?")
            code.append(instruction._replace(at=begin))
            begin = None
    running = next((i for i, each in enumerate(code) if each.at <= (at or 0) < each.end), None)
    if at is None or running is None or running >= len(names):
        raise Undecodable("no running instruction")
    loops = tuple(
        range(each.at, context.call_sites.jump_target(each) or 0)
        for each in code if each.operation == "next"
    )  # fmt: skip
    return _RunningCode(code, names, running, loops)


def _start_in_delegation(
    context: HangContext, frame: PyFrame, here: _RunningCode
) -> DryRunStart | None:
    """Return where `yield from` or `await` goes on, if the frame is in one."""
    begin = here.running
    while begin and here.names[begin] in _STEPS_OF_DELEGATION:
        begin -= 1
    if here.names[begin] not in _DELEGATES:
        return None
    at = here.code[begin].at
    depth = sum(at in loop for loop in here.loops) + 1
    stack = _iterators_of_for_loops(context, frame, depth)
    if here.names[here.running] == "YIELD_VALUE" and _SLEPT not in stack:
        raise Undecodable("a generator that has given its value")
    if len(stack) < depth or None in stack:
        raise Undecodable("an iterator of another kind")
    return DryRunStart(at, (*stack, NoneResult()), for_loops=here.loops)


def _beginning_of_statement(context: HangContext, here: _RunningCode) -> tuple[int, bool]:
    """Return the first instruction of the running statement, and if it takes a loop's next item."""
    code, names, first = here.code, here.names, here.running
    targets = {context.call_sites.jump_target(each) for each in code}
    while first and code[first].at not in targets and code[first - 1].goes_on:
        if names[first - 1].startswith(_BEGINS):
            break
        first -= 1
    iterates = names[here.running] == "FOR_ITER" or (first > 0 and names[first - 1] == "FOR_ITER")
    return first - (iterates and names[first] != "FOR_ITER"), iterates


def _item_being_stored(
    context: HangContext, frame: PyFrame, here: _RunningCode, depth: int
) -> Item:
    """Return what the running instruction stores in a variable; None where that is not known.

    Its word stays on the value stack, above `depth` others, whether it was stored by now or not:
    so the run may begin with the store. What is loaded next takes its place: 3.11 and 3.12 do both
    in one step (STORE_FAST__LOAD_FAST).
    """
    code, names, running = here.code, here.names, here.running
    words, following = (
        context.view.slots.words_of_frame(frame).stack,
        code[running + 1 : running + 2],
    )
    gives = running > 0 and names[running - 1].startswith(_GIVES_ONE)
    if names[running] not in _STORES_ONE or depth >= len(words) or not gives:
        return None
    if following and following[0].name.startswith(("STORE", "POP_TOP")):
        return None  # `a, b = ...` left several words, which 3.11 stores in any order (gh-88116)
    has_table = context.view.reader.layout.offset("PyCodeObject", "co_exceptiontable") is not None
    if any(each.name.startswith(_PUSH_UNSEEN if has_table else _BLOCKS) for each in code):
        return None
    kinds = (context.view.type_name(each) or "" for each in words[:depth] if each and not each & 7)
    around = sum(code[running].at in loop for loop in here.loops)
    if sum(kind in _GO_OVER or kind.endswith("iterator") for kind in kinds) < around:
        return None
    word = words[depth]
    if not word or word & 7 or not context.view.type_name(word):
        return None
    if following and following[0].name.startswith("LOAD_FAST"):
        slots = context.view.frame_variables_reader.bound_slots(frame)
        numbers = (following[0].argument, following[0].argument >> 4)
        if any(slot.number in numbers and at == word for slot, at in slots):
            return None
    return _items_of_words(context, frame, [word])[0]


def _variable_loaded_by_store(instruction: Instruction, name: str) -> int | None:
    """Return the variable that an instruction loads which stores another one (3.13)."""
    return instruction.argument & 15 if name == "STORE_FAST_LOAD_FAST" else None


def _iterators_of_for_loops(context: HangContext, frame: PyFrame, around: int) -> tuple[Item, ...]:
    """Return the iterators of the `for` loops around, if nothing else is on the stack.

    An empty stack is right too: what takes something from it is refused.
    """
    words = context.view.slots.words_of_frame(frame).stack[:around]
    run = start_dry_run(context, frame, [MAX_ITEMS], DryRun)
    kinds = [context.view.type_name(w) for w in words]
    if kinds[-1:] == ["coroutine"] and _is_asyncio_sleep(context, words[-1]):
        return (*map(run.iterator_position, words[:-1]), _SLEPT)
    if not all(kind in _GO_OVER or kind.endswith("iterator") for kind in kinds):
        return ()
    return tuple(map(run.iterator_position, words))


def _stack_of_statement(
    context: HangContext, frame: PyFrame, here: _RunningCode, first: int
) -> tuple[Item, ...]:
    """Return what lies on the stack where a statement begins.

    A handler says how much lies below it (3.11; before, blocks say so): iterators of `for` loops,
    what ends `with` blocks, and of errors what nobody needs. Above are the loops inside of it. What
    ends a block is called where the handler guards no more: as much is there as just before.
    """
    code, names, at = here.code, here.names, here.code[first].at
    around, deep = sum(at in loop for loop in here.loops), 0
    if context.view.reader.layout.offset("PyCodeObject", "co_exceptiontable") is not None:
        places = [at - 1 if names[first] == "POP_EXCEPT" else at]
        begin = first + (names[first] == "NOP")
        pushed = [(names[n], code[n].argument) for n in range(begin, min(begin + 3, len(names)))]
        if names[begin] == "LOAD_CONST" and pushed == pushed[:1] * 3:  # __exit__(None, None, None)
            leads = (each for each in code if context.call_sites.jump_target(each) == at)
            places += [each.at for each in (*leads, *code[first - 1 : first]) if each.goes_on]
        deep = max(
            context.view.slots.stack_depth_kept_by_handler(frame.code, place) for place in places
        )
    if not deep:
        return _iterators_of_for_loops(context, frame, around)
    words = context.view.slots.words_of_frame(frame).stack
    kinds = [context.view.type_name(w) for w in words]
    goes_over = [kind in _GO_OVER or kind.endswith("iterator") for kind in kinds]
    above = deep + max(0, around - sum(goes_over[:deep]))
    if not all(goes_over[deep:above]):
        above = deep
    return tuple(
        item if over or kind in _ENDS_BLOCK else None
        for item, over, kind in zip(
            _items_of_words(context, frame, words[:above]), goes_over, kinds, strict=False
        )
    )


def _is_asyncio_sleep(context: HangContext, coroutine: int) -> bool:
    """Tell whether a coroutine is that of asyncio.sleep(), which comes to its end."""
    frame = context.view.slots.frame_of_suspended_generator(coroutine)
    names = [name for _, name in TASK_SLEEPS]
    return frame is not None and frame.name in names and frame.filename.endswith(_ASYNCIO)


def _stack_with_iterator_one_back(stack: tuple[Item, ...]) -> tuple[Item, ...]:
    last = stack[-1] if stack else None
    if not isinstance(last, IteratorPosition) or not (last.place or last.round):
        return stack
    return (*stack[:-1], last._replace(place=last.place - 1))


def start_after_call(
    context: HangContext, called: PyFrame, frame: PyFrame, returned: ReturnedValue
) -> DryRunStart | None:
    """Return where a frame goes on when the one that it called has returned; None where unknown.

    Where that one runs in the same eval loop (3.11), it is known what else lies on the stack.
    """
    if called.hole is not None or called.name == "__init__":
        return None
    running = context.call_sites.running_instruction(
        frame.code, context.acquire_calls.running_byte_offset(frame)
    )
    if running is None:
        return None
    words: tuple[int, ...] | None = None
    if called.is_entry:
        with suppress(UnreadableMemory, LayoutError):
            words = _find_words_below_call(context, called, frame, running)
    else:
        is_call = running.operation == "call"
        words = context.view.slots.value_stack_in_call(frame) if is_call else None
    if words is None:
        return None
    items = _items_of_words(context, frame, words)
    if returned.raised is not None:
        return DryRunStart(running.at, tuple(items))
    return DryRunStart(running.end, (*items, returned.value))


def _items_of_words(context: HangContext, frame: PyFrame, words: Sequence[int]) -> list[Item]:
    """Return what words of a frame's value stack are."""
    run = start_dry_run(context, frame, [MAX_ITEMS], DryRun)
    iterates = (context.view.type_name(w) for w in words)
    return [
        run.iterator_position(word)
        if kind.endswith("iterator") or kind in _GO_OVER
        else ProcessObject(word)
        if word
        else None
        for word, kind in zip(words, iterates, strict=True)
    ]


def _find_words_below_call(
    context: HangContext, called: PyFrame, frame: PyFrame, running: Instruction
) -> tuple[int, ...] | None:
    """Return what lies on a frame's stack below the function that its running call has called.

    Where C code runs between the two (up to 3.10; f(*args) in 3.11) nobody keeps how deep the stack
    is. The function lies there once, with its arguments behind it. None where it may be the
    argument of another one that called it, or a generator, which is resumed otherwise.
    """
    view, name = context.view, running.name
    marks_calls = "PUSH_NULL" in context.call_sites.opcodes.instructions
    with_null = name == "CALL_FUNCTION_EX" and marks_calls
    flags = view.reader.field32(called.code, "PyCodeObject", "co_flags")
    if name not in _CALLS_FUNCTION or flags & _RESUMED or (
        marks_calls and running.operation == "call"
    ):  # fmt: skip
        return None
    words = view.slots.words_of_frame(frame).stack
    kinds = [view.type_name(w) for w in words]
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
