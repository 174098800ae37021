# SPDX-License-Identifier: Apache-2.0
"""Loops that call a function again when it failed, and sleep in between: those of libraries.

Such a loop has a state in its frame: the failure of the last try (an exception whose traceback
begins in that very frame), how many tries there were, and what limits them. The names are those
that every such library uses: tenacity's `stop` and `attempt_number`, backoff's `max_tries` and
`tries`, retrying's `stop`. Without a limit a function that goes on failing is called for ever.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice

from gdb_epi.cpython.running.exceptions import ExceptionDecoder, ExceptionInfo
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent
from gdb_epi.hangs.frame_references import METHODS
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import is_in_serving_loop, library_frames_called
from gdb_epi.hangs.library_calls import is_library_file
from gdb_epi.hangs.types import HANG, RUNNING, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, default_when_unreadable

MAX_VALUES = 512  # of one frame: its variables, their attributes, and those of these
MANY = 3  # tries: fewer are no sign that it will not succeed
TOO_MANY = 1000  # of them say that it will not, also to who serves others
_LIMIT = re.compile(r"(?:\A|_)(?:max|limit|stop|deadline|total)(?:_|\Z)", re.IGNORECASE)
_TRIES = re.compile(
    r"(?:\A|_)(?:attempts?|attempt_number|tries|retry_count|failures)\Z", re.IGNORECASE
)
_RETRIES = re.compile(r"retr(?:y|ies)|backoff|tenacity", re.IGNORECASE)
_NO_LIMIT = re.compile(r"never|forever|infinite|unlimited", re.IGNORECASE)
_CALLED = ("fn", "func", "function", "f", "target", "wrapped", "callable")
_PLAIN = frozenset(("str", "int", "float", "bytes", "bool", "NoneType", "module", "type", "dict",
                    "tuple", "list", "set", "frozenset", "code", "frame", "cell"))  # fmt: skip
_FUNCTIONS = ("function", *METHODS)


class _RetryLoopState(NamedTuple):
    """The state of a loop that retries: what, how often, after what, and whether without limit."""

    frame: PyFrame
    function: str
    tries: int | None
    error: ExceptionInfo | None
    unlimited: str  # what says that there is no limit: "stop"; "" where nothing does


def diagnose_library_retry(context: HangContext, activity: ThreadActivity) -> HangDiagnosis | None:
    """Return the answer for a thread that sleeps, or runs, in a loop that tries again.

    None where the number of tries, or their time, is limited; of a thread that runs, also where
    there were few tries: the one that goes on may well be its work.
    """
    if not activity.frames:
        return None
    for frame in (*library_frames_called(context, activity), activity.frames[0]):
        if not context.acquire_calls.is_running_in_loop(
            frame
        ) or context.iterates_over_finite_container(frame):
            continue
        retry = _read_retry_state(context, frame)
        many = activity.kind not in RUNNING or (retry and (retry.tries or 0) >= TOO_MANY)
        if retry and many and (retry.unlimited or not context.is_in_bounded_loop(frame)):
            return _diagnose_retry(context, activity, retry)
    return None


def _diagnose_retry(
    context: HangContext, activity: ThreadActivity, retry: _RetryLoopState
) -> HangDiagnosis:
    own = retry.frame.address == activity.frames[0].address
    loop = "it" if own else f"{retry.frame.module}.{retry.frame.qualname or retry.frame.name}"
    error = retry.error.type if retry.error is not None else None
    so_far = [] if retry.tries is None else [f"some {counted(retry.tries, 'try')} so far"]
    so_far += [f"the last one failed with {error}"] if isinstance(error, str) else []
    ends = "nothing limits the tries, so it never gives up" if retry.unlimited else (
        "no limit of the tries is seen"
    )  # fmt: skip
    few = retry.tries is not None and retry.tries < MANY
    many = retry.tries is not None and retry.tries >= TOO_MANY
    serves = is_in_serving_loop(context, activity.frames[1 if own else 0 :])
    runs = activity.kind in RUNNING
    evidence = [f"{loop} {'makes' if runs else 'sleeps between two'} tries of {retry.function}"]
    evidence += so_far
    if retry.unlimited:
        evidence.append(f"its {retry.unlimited} sets no limit")
    if retry.error is not None:
        evidence.append(f"the traceback of {error} leads through {retry.function}")
    return wait_diagnosis(
        HANG, "retries", f"{activity.who()} {'is' if runs else 'sleeps'} at {activity.where()}"
        f"{'' if own else f' in {loop}'}"
        f"{', where it tries' if runs else ' between two tries of'} {retry.function}"
        f"{' again and again' if runs else ''}"
        f"{' (' * bool(so_far)}{', '.join(so_far)}{')' * bool(so_far)}; {ends}", activity,
        PROBABLE if retry.unlimited and not few and (many or not serves) else INFO,
        evidence=tuple(evidence), ruled_out=("a number of tries that ends it", "a time limit")
        if retry.unlimited else (),
        doubts=("whether the next try succeeds is not in the core",),
    )  # fmt: skip


def _read_retry_state(context: HangContext, frame: PyFrame) -> _RetryLoopState | None:
    """Return the state of a loop that retries; None for other loops, and where a limit is set."""
    decoder = ExceptionDecoder(context.target, context.python)
    tries: int | None = None
    unlimited = function = ""
    error: ExceptionInfo | None = None
    for name, value, depth in _values_of_variables(context, frame):
        kind = context.view.type_name(value)
        if depth < 2 and _LIMIT.search(name):
            if _is_retry_limit(context, value, kind):
                return None
            unlimited = unlimited or (name if _is_no_retry_limit(context, value, kind) else "")
        elif kind == "int" and _TRIES.search(name):
            number = context.view.objects.integer(value)
            tries = number if isinstance(number, int) and number > (tries or 0) else tries
        elif kind in _FUNCTIONS and name in _CALLED:
            function = function or _function_name(context, value)
        elif kind not in _PLAIN and kind not in _FUNCTIONS:
            raised = decoder.exception(value)
            if _was_caught_in_frame(frame, raised):
                error = raised
    failing = _retried_function(error) if error is not None else function
    is_retry_loop = (
        _RETRIES.search(f"{frame.module} {frame.qualname or frame.name}") and tries is not None
    )
    if not failing or not (is_retry_loop or error is not None) or (error is None and not unlimited):
        return None
    return _RetryLoopState(frame, f"{failing}()", tries, error, unlimited)


def _values_of_variables(context: HangContext, frame: PyFrame) -> Iterator[tuple[str, int, int]]:
    """Yield (name, PyObject *, depth) of variables, of their attributes, and of those of these."""
    view = context.view
    level = [(name, at) for name, at in view.variable_addresses(frame) if not at & 7]
    left, seen = MAX_VALUES, set[int]()
    for depth in range(3):
        following: list[tuple[str, int]] = []
        for name, at in level:
            yield name, at, depth
            if left <= 0 or at in seen or view.type_name(at) in (*_PLAIN, *_FUNCTIONS):
                continue
            seen.add(at)
            attributes = list(islice(view.attributes(at), left))
            left -= len(attributes)
            following += [(key, value) for key, value in attributes if value and not value & 7]
        level = following


def _is_retry_limit(context: HangContext, value: int, kind: str) -> bool:
    """Tell whether a value is a number that limits, or an object that has one."""
    if kind == "int":
        number = context.view.objects.integer(value)
        return not isinstance(number, Absent) and number > 0
    if kind == "float":
        amount = context.view.float_value(value)
        return math.isfinite(amount) and amount > 0
    if kind in _PLAIN or kind in _FUNCTIONS:
        return False
    held = ((at, context.view.type_name(at)) for _, at in context.view.attributes(value))
    return any(each in ("int", "float") and _is_retry_limit(context, at, each) for at, each in held)


def _is_no_retry_limit(context: HangContext, value: int, kind: str) -> bool:
    if kind == "NoneType" or _NO_LIMIT.search(kind):
        return True
    if kind == "float":
        return not _is_retry_limit(context, value, kind)
    return kind in _FUNCTIONS and bool(_NO_LIMIT.search(_function_name(context, value)))


@default_when_unreadable("")
def _function_name(context: HangContext, value: int) -> str:
    """Return the name of a function or bound method of Python; "" for others."""
    reader = context.view.reader
    if context.view.type_name(value) == "method":
        value = reader.field(value, "PyMethodObject", "im_func")
    if context.view.type_name(value) != "function":
        return ""
    return reader.text_field(value, "PyFunctionObject", "func_qualname")


def _was_caught_in_frame(frame: PyFrame, error: ExceptionInfo) -> bool:
    """Tell whether an exception was caught in a frame, and raised by what that had called."""
    if isinstance(error.type, Absent) or isinstance(error.traceback, Absent):
        return False
    lines = error.traceback.lines
    return len(lines) > 1 and lines[0].code == frame.code


def _retried_function(error: ExceptionInfo) -> str:
    """Return the function that failed: the first one of the program, else the one called."""
    if isinstance(error.traceback, Absent):
        return ""
    lines = error.traceback.lines[1:]
    own = (line for line in lines if line.filename and not is_library_file(line.filename))
    first = next(own, lines[0])
    return first.qualname or first.name
