# SPDX-License-Identifier: Apache-2.0
"""Futures that the code which waits for them has made, and handed to no library.

A library sets the futures that it makes, and those that it is given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.locks.python.call_sites import MAX_CODE
from gdb_epi.util import default_when_unreadable

# Methods of containers and queues, which keep what they are given.
_KEEPS = frozenset("append appendleft insert add setdefault put put_nowait".split())
_ENDS = frozenset(("pop", "store", "test", "jump", "back", "cold", "await"))  # of a statement
_STATEMENT_ENDS = _ENDS - {"await"}
_ROOTS = ("fast", "cell", "global", "name")


@default_when_unreadable(False)
def is_future_made_by_frame(
    context: HangContext, frame: PyFrame, future: int, makers: Collection[str]
) -> bool:
    """Tell whether a frame's code made a future, by calling one of some names.

    Not where it passed it to a function that is none of the program's.
    """
    names = set[str]()
    for name, held in context.view.variable_addresses(frame):
        if held == future:
            names.add(name)
        elif not held & 7:
            names |= {each for each, at in context.view.attributes(held) if at == future}
    running = context.acquire_calls.running_byte_offset(frame)
    return running is not None and _is_future_made_by_code(
        context, frame.code, names, running, makers
    )


def _is_future_made_by_code(
    context: HangContext, code: int, names: Collection[str], running: int, makers: Collection[str]
) -> bool:
    """Tell whether code made a future, which has some `names`, and gave it to no library."""
    sites = context.call_sites
    used: dict[int, list[str]] = {}
    for at, _, name in sites.names_used_by_instructions(code):
        used.setdefault(at, []).append(name)
    steps = [x for x in sites.instructions(code) if x.operation not in ("nothing", "extended")]
    is_made = is_argument = stays = False
    for step, following in pairwise(steps):
        loaded = list(filter(None, used.get(step.at, [])))
        if loaded and following.operation == "call" and not following.argument:
            is_made |= loaded[-1] in makers
        of_itself = following.operation in ("attr", "method") or following.name == "STORE_ATTR"
        for name in loaded[:-1] if of_itself else loaded:
            is_argument |= name in names and not stays
        stays |= any(name in _KEEPS or name in context.live_code.own_functions for name in loaded)
        is_call = step.name.startswith("CALL")
        if is_call and is_argument and step.end <= running:
            return False
        if is_call or step.operation in _ENDS or step.name.startswith(("STORE_", "RETURN_")):
            is_argument = stays = False
    return is_made


@default_when_unreadable(False)
def is_future_made_by_called_function(
    context: HangContext, frame: PyFrame, makers: Collection[str]
) -> bool:
    """Tell whether a function of the program, whose outcome a frame waits for, made a future.

    And handed it to no library. What a statement calls last it loads first; a coroutine that it
    waits for would have a frame of its own.
    """
    own = context.live_code.own_functions
    functions = own.get(_name_of_function_loaded_first(context, frame), [])
    return bool(functions) and all(
        _is_future_made_by_code(
            context, function.code, _variables_returned(context, function.code), MAX_CODE, makers
        )
        for function in functions
    )


@default_when_unreadable(False)
def is_future_made_by_function_stored_from(
    context: HangContext, frame: PyFrame, future: int, makers: Collection[str]
) -> bool:
    """Tell whether a function of the program made what a variable of a frame holds: it gave it."""
    own = context.live_code.own_functions
    names = {name for name, held in context.view.variable_addresses(frame) if held == future}
    stored = {called for name, called in variables_stored(context, frame.code) if name in names}
    functions = [each for called in stored for each in own.get(called, ())]
    return (
        stored <= own.keys()
        and bool(functions)
        and all(
            _is_future_made_by_code(
                context,
                function.code,
                _variables_returned(context, function.code),
                MAX_CODE,
                makers,
            )
            for function in functions
        )
    )


def variables_stored(context: HangContext, code: int) -> Iterator[tuple[str, str]]:
    """Yield each variable that code stores to, and what the statement loads first to call it.

    "" where that is no name. Raises UnreadableMemory, LayoutError, IndexError.
    """
    sites = context.call_sites
    _, slots, cells = sites.name_tables(code)
    steps = {step.at: step for step in sites.instructions(code)}
    targets = {sites.jump_target(step) for step in steps.values()}
    chain, closed = list[str](), False
    for at, does, name in sites.names_used_by_instructions(code):
        step = steps[at]
        if step.name in ("STORE_FAST", "STORE_DEREF"):
            names = slots if does == "store" else cells
            one_of_two = at in targets  # `a or b`, `a if b else c`
            yield names[step.argument], chain[-1] if chain and not one_of_two else ""
        elif step.name.startswith("STORE_FAST_"):  # one of two, or and a load
            yield slots[step.argument >> 4], ""
            yield slots[step.argument & 15], ""
        if does in _STATEMENT_ENDS or does == "next" or step.name.startswith("STORE_"):
            chain, closed = [], False
        elif not closed and does in (("attr", "method") if chain else _ROOTS):
            chain.append(name)
        elif does not in ("nothing", "extended"):
            closed = bool(chain)


def _name_of_function_loaded_first(context: HangContext, frame: PyFrame) -> str:
    """Return the name of the function that the running statement of a frame loads first."""
    running, chain, closed = (
        context.acquire_calls.running_byte_offset(frame) or 0,
        list[str](),
        False,
    )
    for at, does, name in context.call_sites.names_used_by_instructions(frame.code):
        if at >= running:
            break
        if does in _STATEMENT_ENDS:
            chain, closed = [], False
        elif not closed and does in (("attr", "method") if chain else _ROOTS):
            chain.append(name)
        elif does not in ("nothing", "extended"):
            closed = bool(chain)
    return chain[-1] if chain else ""


def _variables_returned(context: HangContext, code: int) -> set[str]:
    """Return the variables that code returns."""
    names, last = set[str](), ""
    steps = {instruction.at: instruction for instruction in context.call_sites.instructions(code)}
    for at, does, name in context.call_sites.names_used_by_instructions(code):
        if steps[at].name == "RETURN_VALUE" and last:
            names.add(last)
        last = name if does == "fast" else last if does in ("nothing", "extended") else ""
    return names
