# SPDX-License-Identifier: Apache-2.0
"""What a dry run takes timed waits of `threading` and `queue` to give: nothing, as nobody gives it.

That no other code changes what the loop looks at is shown beside it (unblocked_threads.py): the
event stays as it is, the queue is empty still, the thread goes on, and the wait ends by its
timeout.
Reference: Lib/threading.py, Lib/queue.py, 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import (
    CertainException,
    ComputedNumber,
    Item,
    Method,
    NoneResult,
    ProcessObject,
)
from gdb_epi.hangs.dry_run.block_instructions import BlockInstructions
from gdb_epi.hangs.dry_run.library_values import module_of_function

_EMPTY = "Empty"  # the exception, a global of `queue`


def call_timed_method(
    run: BlockInstructions, called: Method, arguments: Sequence[Item], named: Mapping[str, Item]
) -> Item:
    """Return what a method gives that waits, or asks for a thread; None where its code is followed.

    Raises Undecodable where it has no timeout, Raised where it gives up with an exception.
    """
    function = ProcessObject(called.function)
    if not isinstance(called.self, ProcessObject) or called.self.address < 0:
        return None
    at = run.decoder.field(function.address, "PyFunctionObject", "func_qualname")
    model = _MODELS.get((module_of_function(run, function), run.decoder.string(at)))
    if model is None:
        return None
    run.memory.read.add(called.self.address)
    return model(run, called, arguments, named)


def _require_timeout(
    run: BlockInstructions, place: int, arguments: Sequence[Item], named: Mapping[str, Item]
) -> None:
    """Raise Undecodable where a wait has no timeout."""
    limit = named.get("timeout", arguments[place] if len(arguments) > place else NoneResult())
    if run.is_none(limit):
        raise Undecodable("a wait without a timeout")
    run.memory.pauses = True


def _call_event_wait(
    run: BlockInstructions, called: Method, arguments: Sequence[Item], named: Mapping[str, Item]
) -> Item:
    if run.truth(run.instance_attribute(called.self, "_flag")):
        return ComputedNumber(True)
    _require_timeout(run, 0, arguments, named)
    return ComputedNumber(False)


def _call_condition_wait(
    run: BlockInstructions, _called: Method, arguments: Sequence[Item], named: Mapping[str, Item]
) -> Item:
    _require_timeout(run, 0, arguments, named)
    return ComputedNumber(False)


def _call_condition_wait_for(
    run: BlockInstructions, _called: Method, arguments: Sequence[Item], named: Mapping[str, Item]
) -> Item:
    _require_timeout(run, 1, arguments, named)
    return run.call_item(named.get("predicate", (*arguments, None)[0]), [])


def _call_queue_get(
    run: BlockInstructions, called: Method, arguments: Sequence[Item], named: Mapping[str, Item]
) -> Item:
    if run.length(run.instance_attribute(called.self, "queue")):
        return None  # its code is followed
    blocks = named.get("block", (*arguments, ComputedNumber(True))[0])
    if run.truth(blocks):
        _require_timeout(run, 1, arguments, named)
    return _raise_queue_empty(run, called)


def _call_queue_get_nowait(
    run: BlockInstructions, called: Method, _arguments: Sequence[Item], _named: Mapping[str, Item]
) -> Item:
    return (
        None
        if run.length(run.instance_attribute(called.self, "queue"))
        else _raise_queue_empty(run, called)
    )


def _raise_queue_empty(run: BlockInstructions, called: Method) -> Item:
    run.memory.pauses = True
    scope = run.decoder.field(called.function, "PyFunctionObject", "func_globals")
    kind = run.decoder.objects.dict_get(scope, _EMPTY)
    empty = (
        run.stand_in_exception_class(run.decoder.types.type_at(kind))
        if isinstance(kind, int)
        else None
    )
    raise Undecodable("an exception of another kind") if empty is None else CertainException(empty)


def _call_thread_join(
    run: BlockInstructions, called: Method, arguments: Sequence[Item], named: Mapping[str, Item]
) -> Item:
    if _is_thread_running(run, called):
        _require_timeout(run, 0, arguments, named)
    return NoneResult()


def _call_thread_is_alive(
    run: BlockInstructions, called: Method, _arguments: Sequence[Item], _named: Mapping[str, Item]
) -> Item:
    return ComputedNumber(_is_thread_running(run, called))


def _is_thread_running(run: BlockInstructions, called: Method) -> bool:
    ident = run.instance_attribute(called.self, "_ident")
    return not run.is_none(ident) and run.to_python(ident) in run.memory.living_threads


_Model = Callable[[BlockInstructions, Method, "Sequence[Item]", "Mapping[str, Item]"], Item]
_MODELS: Mapping[tuple[str, str], _Model] = {
    ("threading", "Event.wait"): _call_event_wait,
    ("threading", "Condition.wait"): _call_condition_wait,
    ("threading", "Condition.wait_for"): _call_condition_wait_for,
    ("threading", "Thread.join"): _call_thread_join,
    ("threading", "Thread.is_alive"): _call_thread_is_alive,
    ("queue", "Queue.get"): _call_queue_get,
    ("queue", "Queue.get_nowait"): _call_queue_get_nowait,
}
