# SPDX-License-Identifier: Apache-2.0
"""Loops that go round for ever, as a dry run of their code shows: dry_run.py.

It begins where the thread is. What of the running instruction was done already is not in the core,
so the run begins before it, with the same variables: between there and it nothing is stored. Where
it stores something itself, the loop must be endless from before it and from after it. Only loops
that have a way out count: one without any is meant to go on. But not to take the same thing in each
turn, to fail by it, and to put it back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, islice

from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import CertainException, ResumptionPoint
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.dry_run.container_evaluation import MAX_CODE, GeneratorYielded
from gdb_epi.hangs.dry_run.dry_run import DryRun
from gdb_epi.hangs.dry_run.loop_states import DryRunMemory, EndlessLoop
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.loops.dry_run_starts import (
    ReturnedValue,
    find_dry_run_starts,
    start_after_call,
    start_dry_run,
    start_dry_run_at,
)
from gdb_epi.hangs.types import (
    EVENT,
    GIL,
    HANG,
    JOIN,
    LOCK,
    RUNNING,
    SLEEP,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
)
from gdb_epi.hangs.wakers import is_shutdown_name, name_awaited_object
from gdb_epi.locks.types import PROBABLE
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeVar

    _Run = TypeVar("_Run", bound=DryRun)

MAX_STEPS = 50_000  # of one thread, in all
MAX_FRAMES = 8  # whose code is followed; the outer ones when the inner ones return
MAX_WAITING = 6  # frames of a library in which a thread waits
MAX_ATTRIBUTES = 64
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
# Modules whose functions always return.
_RETURNING = frozenset(("logging", "random", "codecs", "encodings", "string"))
# A boundary: what is followed is whatever a core holds, and need not be code that a compiler made.
NOT_FOLLOWED = (
    Undecodable, UnreadableMemory, LayoutError, CertainException, GeneratorYielded, LookupError,
    TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip
# Since 3.11, since 3.9, and in 3.8.
_MATCHES_ERROR = ("CHECK_EXC_MATCH", "JUMP_IF_NOT_EXC_MATCH", "COMPARE_OP")
MAX_HANDLED = 256  # bytes of code before an error is compared
_BY_TEXT = frozenset(("hasattr", "getattr"))
_OF_ANY_LOOP = frozenset(
    "Exception BaseException KeyboardInterrupt SystemExit GeneratorExit CancelledError".split()
)


@process_rule_from_thread_rule
def diagnose_endless_loop(context: HangContext, activity: ThreadActivity) -> HangDiagnosis | None:
    """A thread runs a loop that came back to the same state, and that nobody else changes."""
    waits_in_turns = activity.timed and activity.kind in (EVENT, LOCK, JOIN)
    if activity.frames and (waits_in_turns or activity.kind in (*RUNNING, GIL, SLEEP)):
        endless = find_endless_loop(context, activity)
        if endless is not None:
            return _endless_loop_diagnosis(context, activity, *endless)
    return None


def find_endless_loop(
    context: HangContext, activity: ThreadActivity, *, polls: bool = False, meant: bool = False
) -> tuple[PyFrame, EndlessLoop] | None:
    """Return the frame of a thread that goes round for ever, and its loop; None without one.

    `polls`: also a loop that sleeps although no other thread waits for it. `meant`: also one that
    is meant to go on; `while not stop.wait(5): look()` is, until somebody asks it to end.
    """
    of_event = activity.kind == EVENT and activity.timed and not meant
    if of_event and is_shutdown_name(name_awaited_object(context, activity)[0]):
        return None
    budget = [MAX_STEPS]
    frames = context.view.frames(activity.tid)[: MAX_FRAMES + MAX_WAITING]
    waiting = 0
    if activity.kind not in (*RUNNING, GIL) and activity.frames:  # the library's call is made anew
        own = activity.frames[0].address
        waiting = next((n for n, frame in enumerate(frames) if frame.address == own), 0)
    returned: tuple[ReturnedValue, ...] = ()
    for number, frame in enumerate(frames):
        if number < waiting:
            continue
        try:
            end = _dry_run_frame(
                context, activity, frames, number, budget, returned, polls=polls, meant=meant
            )
        except NOT_FOLLOWED:
            if not number:  # with all of the budget: a second run would come to the same
                context.followed[frame.address] = False
            if _is_call_made_again_by_caller(frame):
                returned = ()
                continue
            break
        if isinstance(end, EndlessLoop):
            return frame, end
        returned = end
        if any(each.raised is not None for each in returned):
            continue  # to where it is handled
        # One that gives values may go on giving them.
        context.followed[frame.address] = not start_dry_run(
            context, frame, budget, DryRun
        ).is_generator()
    return None


def find_endless_loop_of_task(context: HangContext, frame: PyFrame) -> EndlessLoop | None:
    """Return the loop of a coroutine that sleeps, if it comes back to the same state; else None."""
    try:
        for start in find_dry_run_starts(context, frame, innermost=True):
            run = start_dry_run_at(context, frame, start, [MAX_STEPS], DryRun)
            run.run_from(start.at, MAX_CODE)
    except EndlessLoop as endless:
        endless.read, endless.writes = frozenset(run.memory.read), run.memory.writes
        return endless if _may_endless_loop_end(context, endless) else None
    except NOT_FOLLOWED:
        pass
    return None


def does_dry_run_end(context: HangContext, activity: ThreadActivity, frame: PyFrame) -> bool:
    """Tell whether a frame of a running thread comes to its end; False where that is not known."""
    if frame.address in context.followed:
        return context.followed[frame.address]
    frames = context.view.frames(activity.tid)[:MAX_FRAMES]
    places = [n for n, each in enumerate(frames) if each.address == frame.address]
    budget = [MAX_STEPS]
    try:
        return (
            not any(
                isinstance(_dry_run_frame(context, activity, frames, n, budget), EndlessLoop)
                for n in places
            )
            and not start_dry_run(context, frame, budget, DryRun).is_generator()
        )
    except NOT_FOLLOWED:
        return False


def _is_call_made_again_by_caller(frame: PyFrame) -> bool:
    """Tell whether a frame need not be followed: the call, made again by its caller, is."""
    return frame.name in _COMPREHENSIONS or (frame.module or "").partition(".")[0] in _RETURNING


def _endless_loop_diagnosis(
    context: HangContext, activity: ThreadActivity, frame: PyFrame, endless: EndlessLoop
) -> HangDiagnosis:
    key_frames = context.frames_from_outermost_loop(activity.frames)
    member = activity._replace(key_frames=key_frames)
    running = activity.kind in (*RUNNING, GIL)
    waiting = (
        None
        if running
        else _thread_waiting_for_read_object(context, activity, endless.read, endless.changed)
    )
    if waiting is not None:
        does = "sleeps" if activity.kind == SLEEP else f"waits for {activity.what}, with a timeout,"
        sentence = (
            f"{waiting.waits()} for {waiting.what}; {activity.who()} {does} again and again at "
            f"{function_and_line(frame)}: with the values in this core its conditions come out "
            "the same in each turn, and no code that can still run changes them"
        )
        return HangDiagnosis(
            HANG, "polls in vain", sentence, (waiting, member), PROBABLE,
            ("the loop was followed: after a turn all is as before",),
            ("another thread that runs, or a signal handler",),
            ("native code that changes what the loop looks at",), read=endless.read,
        )  # fmt: skip
    turns = "one turn" if endless.turns == 1 else f"{endless.turns} turns"
    sentence = (
        f"{activity.who()} is in a loop without end at {function_and_line(frame)}: with the "
        f"values in this core its conditions come out the same after {turns}, and so for ever"
    )
    if endless.fails:
        sentence += "; each time an error is handled, and what was taken is put back"
    return HangDiagnosis(
        HANG, "endless loop", sentence, (member,), PROBABLE,
        (f"its code was followed from where it stood: after {turns} all is as before, but for "
         "numbers that no condition depends on",),
        ("another thread or a signal handler that could change what it reads",),
        ("native code that changes what it reads",), read=endless.read,
    )  # fmt: skip


def _dry_run_frame(
    context: HangContext, activity: ThreadActivity, frames: Sequence[PyFrame], number: int,
    budget: list[int], returned: Sequence[ReturnedValue] = (), *, polls: bool = False,
    meant: bool = False,
) -> EndlessLoop | tuple[ReturnedValue, ...]:  # fmt: skip
    """Return how a frame goes round for ever, or what it may return; () where it does otherwise.

    `returned` is what the frame that it called may have returned. Raises Undecodable and the like
    where that is not known.
    """
    endless: EndlessLoop | None = None
    values: list[ReturnedValue] = []
    ends = 0
    frame, innermost = frames[number], not number
    afters = [(start_after_call(context, frames[number - 1], frame, e), e) for e in returned]
    whole_states = [(start, each) for start, each in afters if start is not None]
    if len(whole_states) < len(afters):
        whole_states = []
    for running in _running_generators(context, frames, number - 1, budget):
        made_anew = ((s, None) for s in find_dry_run_starts(context, frame, innermost=innermost))
        for start, came in whole_states or made_anew:
            run = start_dry_run_at(context, frame, start, budget, DryRun)
            run.generators = _RunningGeneratorPositions(context, budget, running)
            if came is not None:
                run.memory, run.for_loops = came.memory, None  # all of the stack is known
            ends += 1
            try:
                at = start.at
                if came is not None and came.raised is not None:
                    at = run.handler_of_error(at, came.raised)
                values.append(ReturnedValue(run.run_from(at, MAX_CODE), run.memory))
            except CertainException as raised:
                values.append(ReturnedValue(None, run.memory, raised))
            except EndlessLoop as error:
                endless = error
                ends -= 1
            except GeneratorYielded:
                pass
            if ends and endless is not None:
                raise Undecodable("what depends on how far the running instruction is")
            if endless is None:
                continue
            shared = _variables_stored_elsewhere(context, activity, run.memory)
            if (run.memory.read or shared) and not (
                context.is_only_thread_awake(activity)
                or _is_read_memory_unchanged(context, activity, frames[number:], run.memory, shared)
            ):
                raise Undecodable("objects that others may change")
            if UnblockedThreads(context).may_change_unseen(activity.tid):
                raise Undecodable("variables that others may store")
            if run.memory.released and any(d.kind == LOCK for d in context.activities):
                raise Undecodable("a lock that another one may wait for")
            sleeps = activity.kind not in (*RUNNING, GIL) and not polls
            endless.changed, endless.only_looks = (
                run.memory.changed_objects(),
                run.memory.has_changed_nothing(),
            )
            if (
                sleeps
                and _thread_waiting_for_read_object(
                    context, activity, run.memory.read, endless.changed
                )
                is None
            ):
                raise Undecodable("a loop that nobody waits for")
            endless.read, endless.writes = frozenset(run.memory.read), run.memory.writes
            if not (meant or endless.fails or _may_endless_loop_end(context, endless)):
                raise Undecodable("a loop that is meant to go on")
            if start.repeats_until in run.raised_at:
                break  # a call that raises has not returned
    return endless or (tuple(values) if len(values) == ends else ())


def _may_endless_loop_end(context: HangContext, endless: EndlessLoop) -> bool:
    """Tell whether a loop may end, or that of a generator whose values it takes.

    One that a handler of a particular error ends is not meant to go on either.
    """
    loops = [(endless.code, (endless.first, endless.last))]
    for rest in endless.generators:
        around = {
            f: last
            for f, last in sorted(context.call_sites.calls_of(rest.code).loops)
            if f <= rest.at <= last
        }
        loops += [(rest.code, (first, around[first] + 1)) for first in sorted(around)[:1]]
    # An empty one: a built-in function goes round.
    return not range(*loops[0][1]) or any(
        context.call_sites.can_leave_loop(code, range(*loop))
        or is_ended_by_error(context, code, loop)
        for code, loop in loops
    )


def is_ended_by_error(context: HangContext, code: int, loop: tuple[int, int]) -> bool:
    """Tell whether an `except` around a loop names an error that its code raises to end it.

    What ends the program, or any error whatever, may end a loop that is meant to go on. Raises
    UnreadableMemory, LayoutError.
    """
    first, last = loop
    sites = context.call_sites
    steps = list(sites.instructions(code))
    targets = {
        target for begin, end, target in context.live_code.guarded_ranges_of_handlers(code)
        if begin < last and first < end and target not in range(first, last)
    }  # fmt: skip
    used = list(sites.names_used_by_instructions(code))
    for target in targets:
        checked = next(
            (step.at for step in steps
             if target <= step.at < target + MAX_HANDLED and step.name in _MATCHES_ERROR), target,
        )  # fmt: skip
        names = {name for at, _, name in used if name and target <= at < checked}
        if names and names.isdisjoint(_OF_ANY_LOOP):
            return True
    return False


def _running_generators(
    context: HangContext, frames: Sequence[PyFrame], number: int, budget: list[int]
) -> list[dict[int, ResumptionPoint]]:
    """Return where a running generator, and those that it takes values of, may stand."""
    run = start_dry_run(context, frames[number], budget, DryRun) if number >= 0 else None
    if run is None or not run.is_generator():
        return [{}]
    inner = _running_generators(context, frames, number - 1, budget)
    locals = tuple(sorted(run.locals.items()))
    return [
        {**each, frames[number].address: ResumptionPoint(
            run.code, run.globals, start.at, locals, start.stack, runs=True)}
        for start in find_dry_run_starts(context, frames[number], innermost=not number)
        for each in inner
    ]  # fmt: skip


class _RunningGeneratorPositions:
    """Where the generators of a process go on."""

    def __init__(
        self, context: HangContext, budget: list[int], running: Mapping[int, ResumptionPoint]
    ) -> None:
        self._context, self._budget, self._running = context, budget, running

    def __call__(self, address: int) -> ResumptionPoint | None:
        """Return the rest of a generator, None of one that has ended. Raises Undecodable."""
        context = self._context
        frame = context.view.slots.frame_of_suspended_generator(address)
        if frame is None:
            return None
        if frame.address in self._running:
            return self._running[frame.address]
        if any(
            each.address == frame.address
            for each in chain.from_iterable(context.view.all_frames().values())
        ):
            raise Undecodable("a generator that runs")
        run = start_dry_run(context, frame, self._budget, DryRun)
        words = context.view.slots.value_stack_in_call(
            frame
        )  # it is kept where a generator rests, too
        if words is None:
            slots = context.view.slots.words_of_frame(frame)
            words = slots.stack[: slots.deep]
        stack = tuple(map(run.iterator_position, words))
        if None in stack:
            raise Undecodable("a generator with other things on its stack")
        running = context.call_sites.running_instruction(
            frame.code, context.acquire_calls.running_byte_offset(frame)
        )
        after = running.end if running is not None else 0
        return ResumptionPoint(
            run.code, run.globals, after, tuple(sorted(run.locals.items())), stack
        )


def _thread_waiting_for_read_object(
    context: HangContext, activity: ThreadActivity, read: Collection[int], changed: Collection[int]
) -> ThreadActivity | None:
    """Return another thread that waits for what belongs to an object that a loop looks at.

    A loop that sleeps and that nobody waits for may be meant to go on. So may one that changes
    what the other waits for in each turn, as who puts items into the queue of a consumer.
    """
    view = context.view
    of_loop, given = set[int](), set(changed)
    for at in read:
        if at and not at & 7:
            parts = {at, *(each for _, each in islice(view.attributes(at), MAX_ATTRIBUTES))}
            of_loop |= parts
            given |= set[int]() if parts.isdisjoint(changed) else parts
    others = (
        d for d in context.activities
        if d.tid != activity.tid
        and (d.object in of_loop - given or (d.kind == JOIN and d.target == activity.tid))
    )  # fmt: skip
    return next((d for d in others if d.frames and not d.timed), None)


def _variables_stored_elsewhere(
    context: HangContext, activity: ThreadActivity, memory: DryRunMemory
) -> set[str]:
    """Return the variables in cells that a loop reads and that code beside it may store.

    An inner function does so (nonlocal), or the function around it that another thread runs. Code
    that this thread alone runs has new cells in each call.
    """
    sites, code_of = context.call_sites, context.live_code
    try:
        names = {sites.name_tables(code).cells[number] for code, number in memory.cells}
        if not names:
            return names
        frames = context.view.all_frames()
        alone = {frame.code for frame in frames.get(activity.tid, ())}
        beside = {f.code for tid, own in frames.items() if tid != activity.tid for f in own}
        functions = chain.from_iterable(code_of.own_functions.values())
        codes = beside | ({function.code for function in functions} - alone)
        return {
            name for code in codes for name in names.intersection(sites.name_tables(code).cells)
            if any(code_of.offsets_storing_cells(code, (name,)))
        }  # fmt: skip
    except (UnreadableMemory, LayoutError, IndexError):
        return {"a variable that is not known"}


def _is_read_memory_unchanged(
    context: HangContext, activity: ThreadActivity, frames: Sequence[PyFrame], memory: DryRunMemory,
    shared: Collection[str],
) -> bool:  # fmt: skip
    """Tell whether no code that can still run, but the loop's, changes what the loop has read."""
    unblocked = UnblockedThreads(context)
    read = {at for at in memory.read if at > 0}
    idents = {thread.ident: thread.tid for thread in context.python.threads()}
    for at in read:
        if context.live_code.is_changed_by_libraries(at):
            return False
        ident = context.view.attribute(at, "_ident")  # of a threading.Thread, which may end
        number = context.view.objects.integer(ident) if ident else None
        tid = idents.get(number) if isinstance(number, int) else None
        if tid not in (None, 0, activity.tid, *unblocked.blocked_threads):
            return False
    names = {
        name
        for body in context.live_code.effects_of_frames(frames[:1]).bodies
        for _, does, name in context.call_sites.names_used_by_instructions(body.code)
        if name and not does.startswith(("fast", "store"))
    } | set(shared)
    if names & _BY_TEXT:  # their names are texts
        values = PlainValues(context.target, context.python)
        constants = (
            context.view.reader.field(body.code, "PyCodeObject", "co_consts")
            for body in context.live_code.effects_of_frames(frames[:1]).bodies
        )
        names |= {
            text
            for constant in constants
            for at in values.sequence_items(constant) or ()
            if (text := values.text(at)) is not None
        }
    scopes = {context.live_code.calls.globals_of(frame) for frame in frames if frame.hole is None}
    return not unblocked.may_change_names(activity.tid, names, read - scopes)
