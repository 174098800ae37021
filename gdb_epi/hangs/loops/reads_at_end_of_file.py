# SPDX-License-Identifier: Apache-2.0
"""Loops that go on reading at the end of a stream: every read gives nothing, and none stops it.

`while True: data = connection.recv(1024)` does so when the peer has gone, `iter(file.read, "")` of
a binary file, and a loop that skips empty lines. That the last read gave nothing a variable tells,
or that a thread runs that adds to what stays short: who waits for data sleeps.
Loops that sleep or wait are left alone, as who follows a file that grows; so is what opens another
stream in each turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.library_calls import FILE_ON_DISK
from gdb_epi.hangs.types import (
    FILE_GROWS,
    GIL,
    HANG,
    PYTHON,
    RUNNING,
    HangDiagnosis,
    ThreadActivity,
    wait_diagnosis,
)
from gdb_epi.locks.python.acquire_calls import MADE
from gdb_epi.locks.python.call_sites import Instruction, MethodCall
from gdb_epi.locks.types import PROBABLE
from gdb_epi.typing_lite import NamedTuple

MAX_SHORT = 4096
_READS = frozenset(("read", "read1", "readline", "recv"))  # they give nothing at the end
_PAUSES = frozenset(("sleep", "wait", "wait_for", "select", "poll", "get", "join", "acquire"))
_SUPPRESSES = "suppress"  # contextlib
_ENDS_BLOCK = "WITH_EXCEPT_START"
MAX_BEFORE_EXIT = 8  # bytes: PUSH_EXC_INFO stands before it
_STREAM = "StreamReader"  # of asyncio; types that Python code made have no module here
_STREAMS = ("_io.", "_socket.", "socket", "SSLSocket")
_CALLED_AGAIN = "callable_iterator"  # of iter(function, end): both follow its head
_BETWEEN = frozenset(("nothing", "extended"))
_VARIABLES = ("store", "store_load")
_LOADS = {"fast": 1, "fast2": 2, "cell": 1, "global": 1, "name": 1, "const": 1, "number": 1}


@process_rule_from_thread_rule
def diagnose_loop_reading_at_end_of_file(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread runs a loop that reads, and the last read gave nothing."""
    runs = activity.kind in (*RUNNING, GIL) or activity.awaits == FILE_ON_DISK
    places = range(len(activity.frames)) if runs else ()
    number = next(
        (n for n in places if context.acquire_calls.is_running_in_loop(activity.frames[n])), None
    )
    if number is None:
        return None
    why, grows = "", False
    with suppress(UnreadableMemory, LayoutError, IndexError):
        why, stream = _describe_read_at_end(context, activity.frames[number])
        grows = bool(stream) and context.descriptors.may_be_on_disk(stream)
    if not why:
        return None
    looping = activity._replace(kind=PYTHON, frames=activity.frames[number:])
    looping = looping._replace(key_frames=looping.frames)
    sentence = f"{activity.who()} loops at {looping.where()}: {why}, and the loop reads on"
    answer = wait_diagnosis(
        HANG, "reads past the end", sentence, looping, PROBABLE, evidence=(why,),
        ruled_out=("a loop that sleeps or waits", "another stream in each turn"),
        doubts=("a test that ends the loop, about to be made at this moment",),
    )  # fmt: skip
    # Who follows a file, as `tail -f` does, reads on at an end that moves.
    return answer._replace(outside=FILE_GROWS) if grows else answer


def _describe_read_at_end(context: HangContext, frame: PyFrame) -> tuple[str, int]:
    """Say what a frame's innermost loop read last, where that is the end; "" for other loops.

    And what it reads (PyObject *), 0 where that is not known.
    """
    loop = context.acquire_calls.innermost_loop(frame)
    if loop is None:
        return "", 0
    body = [x for x in context.call_sites.instructions(frame.code) if loop[0] <= x.at <= loop[1]]
    calls = [
        c
        for c in context.call_sites.calls_of(frame.code).made_and_possible_calls()
        if loop[0] <= c.at <= loop[1]
    ]
    methods = {c.at: c.name for c in calls}
    if _PAUSES & set(methods.values()):
        return "", 0
    stored = _variables_stored(context, frame, body)
    empty = [
        name
        for _, name in stored
        if _is_empty_str_or_bytes(context, context.view.variable(frame, name))
    ]
    places = _find_stores_of_results(body, methods)
    short = [
        name for at, name in (*stored, *_attributes_stored(context, frame, body))
        if at in places.summed and name not in empty
        and _is_shorter_than_chunk(context, _value_of_variable_path(context, frame, name))
    ]  # fmt: skip
    if short and _are_read_errors_handled(context, frame, calls):
        short = []
    if not empty and not short:
        return "", 0
    end = f"`{empty[0]}` is empty" if empty else ""
    for word in context.view.slots.words_of_frame(frame).stack:
        if context.view.type_name(word) == _CALLED_AGAIN:
            return _describe_iter_at_end(context, word, end) if stored[0][1] in empty else ("", 0)
    changed = {name for _, name in stored}
    fixed = {c.path[-1] for c in calls if c.path and c.root[1] not in changed}
    for stream, method, when in context.acquire_calls.calls_with_times(frame):
        if method not in _READS & fixed or when == MADE:
            continue
        kind = context.view.type_name(stream)
        if short and kind.startswith(_STREAMS):
            return (
                f"{method}() returns at once, which it does at the end, and `{short[0]}`, to which "
                "it adds, is short all the same",
                stream,
            )
        if kind == _STREAM and _is_stream_at_end(context, stream):
            return f"{end}, and the stream that {method}() reads has ended", 0
        direct = [name for at, name in stored if at in places.alone and name in empty]
        if kind.startswith(_STREAMS) and direct:
            return f"`{direct[0]}` is empty, which {method}() gives at the end", stream
    return "", 0


def _are_read_errors_handled(
    context: HangContext, frame: PyFrame, calls: Sequence[MethodCall]
) -> bool:
    """Tell whether an error of a read is handled: a socket that does not block has no data then.

    The end of a `with` block is a handler too, but lets errors pass unless it is told otherwise.
    """
    if _SUPPRESSES in context.call_sites.name_tuple(frame.code, "co_names"):
        return True
    reads = [call.at for call in calls if call.name in _READS]
    steps = context.call_sites.instructions(frame.code)
    ends_block = [step.at for step in steps if step.name == _ENDS_BLOCK]
    return any(
        any(begin <= at < end for at in reads)
        and not any(target <= at < target + MAX_BEFORE_EXIT for at in ends_block)
        for begin, end, target in context.live_code.guarded_ranges_of_handlers(frame.code)
    )


def _variables_stored(
    context: HangContext, frame: PyFrame, body: Sequence[Instruction]
) -> list[tuple[int, str]]:
    """Return (byte, name) of the variables that instructions store."""
    slots = context.call_sites.name_tables(frame.code).variables
    shifts = {"store": 0, "store_load": 4}
    return [(x.at, slots[x.argument >> shifts[x.operation]]) for x in body if x.operation in shifts]


class _OffsetsOfResultStores(NamedTuple):
    """The byte offsets at which the result of a reading method is stored: alone, or in a sum."""

    alone: set[int]
    summed: set[int]


def _find_stores_of_results(
    body: Sequence[Instruction], methods: dict[int, str]
) -> _OffsetsOfResultStores:
    """Follow what calls return through straight code: (method, what of it) of each word."""
    stores, stack = _OffsetsOfResultStores(set(), set()), list[tuple[str, str]]()
    for each in body:
        method, what = stack[-1] if stack else ("", "")
        if method in _READS and each.operation in (*_VARIABLES, "") and what in ("sum", "result"):
            # An attribute is stored by one of several instructions that change the stack's order.
            if what == "sum" or each.operation:
                (stores.summed if what == "sum" else stores.alone).add(each.at)
            if what == "sum" and not each.operation:
                continue
        if each.operation == "call":
            del stack[len(stack) - each.argument :]
            stack[-1:] = [(stack[-1][0] if stack else "", "result")]
        elif each.operation == "sum":
            reads = [x for x in stack[-2:] if x[0] in _READS and x[1]]
            stack[-2:] = [(reads[0][0] if reads else "", "sum")]
        elif each.operation in ("method", "attr"):
            stack[-1:] = [(methods.get(each.at, ""), "")]
        elif each.operation in _LOADS:
            stack += [(methods.get(each.at, ""), "")] * _LOADS[each.operation]
        elif each.operation not in _BETWEEN:
            stack.clear()
    return stores


def _attributes_stored(
    context: HangContext, frame: PyFrame, body: Sequence[Instruction]
) -> list[tuple[int, str]]:
    """Return (byte, "self.name") of the attributes of a method's object that instructions store."""
    names = context.call_sites.name_tuple(frame.code, "co_names")
    stores = set(context.offsets_that_change_names(frame.code, names))
    first = (context.call_sites.name_tuple(frame.code, "co_varnames") or ["self"])[0]
    places = [(x.at, x.argument) for x in body if x.at in stores and not x.operation]
    return [(at, f"{first}.{names[number]}") for at, number in places if number < len(names)]


def _value_of_variable_path(context: HangContext, frame: PyFrame, path: str) -> int | None:
    name, _, attribute = path.partition(".")
    word = context.view.variable(frame, name)
    return context.view.attribute(word, attribute) if word and attribute else word


def _is_shorter_than_chunk(context: HangContext, word: int | None) -> bool:
    """Tell whether a value has fewer bytes or characters than a peer sends at once."""
    kind = context.view.type_name(word)
    if kind == "bytes":
        raw = context.view.reader.bytes_object(word or 0, MAX_SHORT + 1)
        return isinstance(raw, bytes) and len(raw) <= MAX_SHORT
    text = context.view.reader.string(word or 0, MAX_SHORT + 1) if kind == "str" else None
    return isinstance(text, str) and len(text) <= MAX_SHORT


def _describe_iter_at_end(context: HangContext, iterator: int, end: str) -> tuple[str, int]:
    """Say so, and of what, of a loop over iter(function, end), where the function reads."""
    reader = context.view.reader
    head = reader.layout.size("PyObject") or 16
    function, last = reader.u64(iterator + head), reader.u64(iterator + head + 8)
    partial = context.view.type_name(function) == "functools.partial"
    function, stream = reader.u64(function + head) if partial else function, 0
    if context.view.type_name(function) == "builtin_function_or_method":
        stream = reader.field(function, "PyCFunctionObject", "m_self")
        reads = context.view.type_name(stream).startswith(_STREAMS)
    else:
        reads = bool(_READS & set(context.acquire_calls.names_called(function)))
    kind = context.view.type_name(last)
    why = f"{end}, while its iter() ends only at a value of type {kind}" if reads else ""
    return why, stream


def _is_stream_at_end(context: HangContext, stream: int) -> bool:
    """Tell whether an asyncio StreamReader is at its end (Lib/asyncio/streams.py, 3.8 to 3.15)."""
    eof, buffer = (context.view.attribute(stream, name) for name in ("_eof", "_buffer"))
    if not eof or not buffer or context.view.objects.integer(eof) != 1:
        return False
    return ContainerReader(context.view.reader).length(buffer, "PyByteArrayObject") == 0


def _is_empty_str_or_bytes(context: HangContext, word: int | None) -> bool:
    kind = context.view.type_name(word)
    if kind == "bytes":
        return context.view.reader.bytes_object(word or 0, 1) == b""
    return kind == "str" and context.view.reader.string(word or 0, 1) == ""
