# SPDX-License-Identifier: Apache-2.0
"""How a loop ends: after the last of a finite sequence, or when a comparison holds.

A loop that serves goes on until somebody stops it. One that goes over the members of a list, or
reads until a text or a number of bytes has come, wants something specific, after which the program
goes on. `while True:`, a flag, `if not block: break` and `==` are no such ends: services have them.
A loop whose test compares a clock ends when its time has come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdb_epi.locks.python.call_sites import CallSites, Instruction

FINITE = frozenset((
    "list_iterator", "list_reverseiterator", "tuple_iterator", "tupleiterator", "range_iterator",
    "set_iterator", "dict_keyiterator", "dict_valueiterator", "dict_itemiterator",
))  # fmt: skip
_WANTS = frozenset(("<", "<=", ">", ">=", "in", "not in"))
_ORDER = frozenset(("<", "<=", ">", ">="))
# Functions of `time` (the standard library also calls one `_time`), and methods `time` and `now` of
# event loops and datetime.
CLOCKS = frozenset((
    "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns", "_time",
    "process_time", "process_time_ns", "thread_time", "now", "utcnow",
))  # fmt: skip
_MEMBERSHIP = ("in", "not in")
MAX_ROUNDS = 16  # one for each loop that is nested, and one more
_BETWEEN = frozenset(("truth", "nothing", "extended"))


def ends_by_comparison(
    instructions: Iterable[Instruction], loop: tuple[int, int], sites: CallSites
) -> bool:
    """Tell whether a comparison of what was read leads out of a loop (first, last byte).

    `in` a constant is left alone: services are told to end by one of several words.
    """
    body = _body(instructions, loop[0], loop[1])
    again = _leads_again(body, loop[0], sites)
    compared = constant = False
    for each in body:
        operator = sites.comparison(each)
        if operator:
            compared = operator in _WANTS and not (operator in _MEMBERSHIP and constant)
        elif each.operation not in _BETWEEN:
            target = sites.leads_to(each)
            if compared and target is not None and not {each.end, target} <= again:
                return True
            compared = False
        constant = each.operation == "const"
    return False


def ends_by_clock(code: int, loop: range, sites: CallSites) -> bool:
    """Tell whether a comparison with a clock leads out of a loop: `while monotonic() < until:`.

    `loop` are the bytes of the loop in the code object `code`.
    Raises UnreadableMemory, LayoutError.
    """
    body = _body(sites.instructions(code), loop.start, loop.stop - 1)
    names = sites.strings(code, "co_names")
    again = _leads_again(body, loop.start, sites)
    named = asked = compared = False
    for each in body:
        if sites.comparison(each):
            compared = asked and sites.comparison(each) in _ORDER
        target = sites.leads_to(each)
        if compared and target is not None and not {each.end, target} <= again:
            return True
        if target is not None or each.operation in ("store", "pop", "store_load"):
            named = asked = compared = False
        number = sites.name_read(each)
        if number is not None:
            named = number < len(names) and names[number] in CLOCKS
        asked |= named and each.operation == "call"
    return False


def _body(instructions: Iterable[Instruction], first: int, last: int) -> list[Instruction]:
    """Return a loop's instructions, with the NOP before them.

    In 3.11 `while True:` is a NOP, to which `continue` jumps; the end of the body jumps behind it.
    """
    body: list[Instruction] = []
    for each in instructions:
        if each.at > last:
            break
        if each.at >= first or (each.operation == "nothing" and each.end == first):
            body.append(each)
    return body


def _leads_again(body: Sequence[Instruction], first: int, sites: CallSites) -> set[int]:
    """Return the bytes of a loop from which its first one is reached again."""
    again = {first}
    for _ in range(MAX_ROUNDS):
        size = len(again)
        for each in reversed(body):
            on = each.goes_on and each.end in again
            if on or sites.leads_to(each) in again:
                again.add(each.at)
        if len(again) == size:
            break
    return again
