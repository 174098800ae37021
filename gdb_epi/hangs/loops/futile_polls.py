# SPDX-License-Identifier: Apache-2.0
"""Loops that only test a condition, and proof that nobody is left to change it.

`while not self.done: time.sleep(1)` ends when another thread sets `done`. Where the loop does
nothing but sleep and test variables and attributes, it cannot change them itself. One that
asks a method, as `while not future.done()` does, waits as result() would. Loops without a test,
such as that of a parked service, and loops that call anything else are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.value_stack import PLAIN_DATA
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.types import (
    HANG,
    NATIVE,
    PYTHON,
    SLEEP,
    HangDiagnosis,
    PolledCondition,
    ThreadActivity,
    wait_diagnosis,
)
from gdb_epi.locks.python.call_sites import CallSites, Instruction
from gdb_epi.locks.types import PROBABLE
from gdb_epi.util import default_when_unreadable

_NO_OPERATIONS = frozenset(("nothing", "extended", "truth"))
_LOADS = {"fast": 0, "cell": 1, "global": 2, "name": 2}  # the table of names that each means
_AWAITS = frozenset(("await", "cold"))  # what `await` is made of
_HARMLESS_OPERATIONS = frozenset(("method", "const", "number", "pop"))
_TESTS_AND_JUMPS = frozenset(("test", "jump", "back"))
_SLEEPS = frozenset(("sleep",))
OF_FILES = frozenset(("exists", "isfile", "isdir", "is_file", "is_dir", "access", "glob"))
_OF_PATHS = _SLEEPS | frozenset((
    "Path", "PurePath", "path", "join", "joinpath", "str", "format", "parent", "name", "time",
    "with_suffix", "os", "pathlib", "pid", "fspath", "abspath", "resolve",
))  # fmt: skip
_CALLS_WITH_NAMES = ("CALL_KW", "CALL_FUNCTION_KW")  # of arguments; none of these loads a method
_TELL_TRUTH = ("__bool__", "__len__")
HANDLERS = ("signal", "asyncio")  # modules with which a program may install signal handlers


class _NotAPollingLoop(Exception):
    """The loop does something other than sleep and test."""


def diagnose_futile_poll(context: HangContext) -> HangDiagnosis | None:
    """The only thread that runs Python sleeps, or spins, until a variable changes."""
    if len(context.view.all_frames()) != 1 or context.foreign_threads:
        return None
    kinds = (SLEEP, PYTHON, NATIVE)  # the last one with a sleep that is over
    polling = (d for d in context.activities if d.kind in kinds and d.frames)
    activity = next(polling, None)
    frames = context.view.frames(activity.tid) if activity is not None else ()
    if activity is None or not frames or frames[0].address != activity.frames[0].address:
        return None
    if context.is_module_visible_on_stack(activity, *HANDLERS):
        return None
    try:
        tested = _variables_tested(
            context, frames[0], sleeps=int(_sleeps_between_turns(context, activity))
        )
    except (UnreadableMemory, LayoutError, _NotAPollingLoop, IndexError):
        return None
    if not tested or context.python_hooks:
        return None
    what = quote_variables(tested)
    return wait_diagnosis(
        HANG, "polls in vain", f"{activity.who()} {describe_polling(context, activity)} at "
        f"{activity.where()} in a loop {until_clause(tested)}, and no other thread is left that "
        "could change it", activity, PROBABLE,
        evidence=("it is the only thread that runs Python, and the loop does nothing but to sleep, "
                  f"if that, and to test {what}",),
        ruled_out=("another thread", "a loop that counts, calls or stores", "a signal handler"),
        doubts=("native code that changes it",),
    )  # fmt: skip


def quote_variables(tested: Sequence[str]) -> str:
    """Return the variables that a loop tests as a sentence has them: "`a` and `self.b`"."""
    return " and ".join(f"`{name}`" for name in tested)


def until_clause(tested: Sequence[str]) -> str:
    """Return "until `a` changes" as a sentence goes on."""
    return f"until {quote_variables(tested)} {'change' if len(tested) > 1 else 'changes'}"


def describe_polling(context: HangContext, activity: ThreadActivity) -> str:
    """Return what a thread does between its tests."""
    return "sleeps" if _sleeps_between_turns(context, activity) else "spins"


def _sleeps_between_turns(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a loop sleeps between its turns, also where it was seen awake."""
    loop = activity.frames[0]
    return activity.kind == SLEEP or not _SLEEPS.isdisjoint(context.names_called_in_loop(loop))


@default_when_unreadable(None)
def find_polled_condition(context: HangContext, activity: ThreadActivity) -> PolledCondition | None:
    """Return what a thread's innermost loop polls; None where it does anything else as well.

    The loop may sleep between its turns or not, and be in the very method that it asks.
    """
    sleeps = int(_sleeps_between_turns(context, activity)) if activity.frames else 0
    frames = context.view.frames(activity.tid)[:2]
    if not activity.frames or activity.frames[0].address not in [frame.address for frame in frames]:
        return None
    frame = activity.frames[0]
    asking = "" if frames[0].address == frame.address else frames[0].name.rpartition(".")[2]
    loop = context.acquire_calls.innermost_loop(frame)
    if not asking and (paths := _variables_of_condition(context, frame, sleeps)):
        values = [_value_of_variable_path(context, frame, path) for path in paths]
        return PolledCondition(
            "", 0, tuple(".".join(paths).split(".")), tuple(at for at in values if at),
            is_plain=None not in values,
        )  # fmt: skip
    if loop is None:
        return None
    if _variables_of_condition(context, frame, sleeps + 1, asks=True) is None:
        return None if asking else _file_system_poll_of_loop(context, frame, loop)
    inside = [
        c for c in context.call_sites.calls_of(frame.code).calls if loop[0] <= c.at <= loop[1]
    ]
    loads = [(c.root[1], *c.path) for c in inside]  # `os`, `os.path`, then `os.path.exists`
    ends = zip(loads, [*loads[1:], ()], strict=True)
    asked = [words for words, after in ends if after[: len(words)] != words]
    asked = [words for words in asked if words[-1] not in _SLEEPS]
    if len(asked) > 1:  # the others are its arguments
        asked = [words for words in asked if words[-1] in OF_FILES]
    if len(asked) > 1:
        return None
    words = asked[0] if asked else ()  # up to 3.10 no call of a plain function is seen
    method = words[-1] if words else ""
    if asking and asking != method:
        return None
    objects = (at for at, name in context.acquire_calls.calls_ahead(frame) if name == method)
    return PolledCondition(method or "a function", next(objects, 0), words)


def _file_system_poll_of_loop(
    context: HangContext, frame: PyFrame, loop: tuple[int, int]
) -> PolledCondition | None:
    """Return what a loop asks the file system that builds a path in each turn; None for others.

    It keeps nothing, and calls nothing else but to make a path of texts and numbers, and to sleep.
    """
    inside = range(loop[0], loop[1] + 1)
    names = ("co_names", "co_varnames", "co_localsplusnames")
    all_names = [
        name for table in names for name in context.call_sites.name_tuple(frame.code, table)
    ]
    if any(at in inside for at in context.offsets_that_change_names(frame.code, all_names)):
        return None
    asked, known_calls = "", context.call_sites.calls_of(frame.code).made_and_possible_calls()
    places = {call.at for call in known_calls}
    for at, does, name in context.call_sites.names_used_by_instructions(frame.code):
        if does in ("attr", "method") and at in inside and at not in places:  # of what a call gave
            asked = name if name in OF_FILES else asked
            if name not in OF_FILES | _OF_PATHS:
                return None
    for call in known_calls:
        if call.at not in inside:
            continue
        name = call.name
        if name in OF_FILES:
            asked = name
        elif name not in _OF_PATHS and not _is_plain_data(
            context, frame, (call.root[1], *call.path)
        ):
            return None
    return PolledCondition(asked, 0, (asked,)) if asked else None


def _is_plain_data(context: HangContext, frame: PyFrame, path: Sequence[str]) -> bool:
    """Tell whether a variable, or an attribute of one, is plain data or what has such."""
    word = context.view.variable(frame, path[0])
    for name in path[1:]:
        word = context.view.attribute(word, name) if word and not word & 7 else None
    if not word:  # a global, or what is not there yet
        return len(path) == 1
    return context.view.type_name(word) not in ("function", "method", "type")


@default_when_unreadable(False)
def only_repeats_one_call(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a frame's innermost loop makes one call, tests what came, and does no more.

    Where that call waits with a timeout, the loop has none.
    """
    return _variables_of_condition(context, frame, 1, asks=True) is not None


def variables_tested_by_coroutine(context: HangContext, frame: PyFrame) -> list[str]:
    """Return what a coroutine's innermost loop tests, which awaits a sleep and does nothing else.

    Each is a variable or an attribute of one; [] for other loops.
    """
    try:
        return _variables_tested(context, frame, sleeps=1, awaits=True)
    except (UnreadableMemory, LayoutError, _NotAPollingLoop, IndexError):
        return []


def _variables_tested(
    context: HangContext, frame: PyFrame, sleeps: int, *, awaits: bool = False
) -> list[str]:
    """Return what a frame's innermost loop tests, each a variable or an attribute of one."""
    tested = _variables_of_condition(context, frame, sleeps, awaits=awaits) or []
    for path in tested:
        root, *attributes = path.split(".")
        word = context.view.variable(frame, root)
        for attribute in attributes:
            word = _plain_attribute(context, word, attribute) if word and not word & 7 else None
        if attributes and word is None:
            raise _NotAPollingLoop
    return list(dict.fromkeys(tested))


def _value_of_variable_path(context: HangContext, frame: PyFrame, path: str) -> int | None:
    """Return what a variable, or an attribute of one, has; 0 where that is not known.

    None where code is called: a property's, or what tells whether an object is true.
    """
    root, *attributes = path.split(".")
    word = context.view.variable(frame, root)
    if word is None:
        scope = context.live_code.calls.globals_of(frame)
        of_module = context.view.objects.dict_get(scope, root)
        word = 0 if isinstance(of_module, Absent) else of_module
    for name in attributes:
        if not word or word & 7:
            return word and 0
        is_module = context.view.type_name(word) == "module"
        word = context.live_code.calls.attribute(word, name) if is_module else (
            _plain_attribute(context, word, name)
        )  # fmt: skip
    if word and not word & 7:
        tells = (context.live_code.calls.type_attribute(word, name) for name in _TELL_TRUTH)
        if any(at and context.view.type_name(at) == "function" for at in tells):
            return None
    return word


def _plain_attribute(context: HangContext, word: int, name: str) -> int | None:
    """Return an attribute, of the class where the object has none; None of a property: code."""
    own = context.view.attribute(word, name)
    if own is not None:
        return own
    process_values = get_process_values(context.target, context.python).context
    try:
        in_class = process_values.types.lookup(process_values.obj(word).type, name)
        value = process_values.obj(in_class[1]) if in_class else None
    except Undecodable:
        return None
    return value.address if value is not None and value.lineage.ident in PLAIN_DATA else None


def _variables_of_condition(
    context: HangContext, frame: PyFrame, calls: int, *, asks: bool = False, awaits: bool = False
) -> list[str] | None:
    """Return the variables that a frame's innermost loop tests; None where it does other things."""
    sites, body = context.call_sites, context.innermost_loop_code(frame)
    if not body:
        return None
    names, slots, cells = sites.name_tables(frame.code)
    try:
        return variables_tested_by(
            body, (slots, cells, names), sites, calls, asks=asks, awaits=awaits
        )
    except _NotAPollingLoop:
        return None


def variables_tested_by(
    body: Iterable[Instruction], tables: Sequence[Sequence[str]], sites: CallSites, calls: int = 1,
    *, asks: bool = False, awaits: bool = False,
) -> list[str]:  # fmt: skip
    """Return which variables a loop's instructions test, where they only sleep besides.

    `tables` are the names of locals, of cells, and of globals and attributes; `calls` how many
    calls there are: that of sleep(), which a coroutine `awaits`, and where it `asks` one that is
    tested, or compared. Raises _NotAPollingLoop, and IndexError where a table is too short.
    """
    tested: list[str] = []
    path, previous, calls_seen, results_dropped = "", "", 0, 0
    for each in body:
        quiet = each.operation in _NO_OPERATIONS or each.name == "KW_NAMES"
        if quiet or (awaits and each.operation in _AWAITS):
            continue
        does = "call" if each.name in _CALLS_WITH_NAMES else each.operation
        if does in _LOADS:
            number = sites.loaded_variable_index(each)
            path = tables[_LOADS[does]][number]
        elif does == "attr":
            place = sites.loaded_attribute_index(each)
            path = f"{path}.{tables[2][place]}" if place is not None and path else ""
        elif does in _TESTS_AND_JUMPS:
            tested += [path] if path else []
            path = ""
        elif does == "call":
            calls_seen += 1
            path = ""
        elif does in _HARMLESS_OPERATIONS or (asks and sites.comparison_operator(each)):
            results_dropped += previous == "call" and does == "pop"
            path = ""
        else:
            raise _NotAPollingLoop
        previous = does
    # What is not looked at is not asked.
    if calls_seen != calls or (asks and results_dropped == calls_seen):
        raise _NotAPollingLoop
    return tested
