# SPDX-License-Identifier: Apache-2.0
"""Whether anything ties a damaged word to the failure of the process.

In: the context and the evidence of the damage. Out: yes or no. Most checks start from what failed,
and what they find is tied to it. A few compare all that has a copy elsewhere (code with its file, a
string with its hash), wherever it lies. Such a word may be as it is on purpose and for long, and
then it is not why the process died. Of a process that went on, what its threads are at stands for
what failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.heap.readers import shared_object_search
from gdb_epi.corruption.strings.find_strings import reachable_strings, str_and_bytes_layouts
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.fault.address_place import NULL, NULL_BASE
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import module_at

STACK = 16 << 10  # bytes above the stack pointer: the callers whose values the failure came from
OBJECT = 64  # bytes before a damaged word at which its object may begin
MAX_THREADS = 64  # that are looked at where nothing failed
MEMBERS = 4096  # how far from a damaged pointer it may have been followed
LEAST_POINTER = 1 << 16
# Strings with their hash, read-only memory with its file, and what a process never changes, such as
# the small numbers of CPython.
_COMPARED_EVERYWHERE = frozenset(("R1", "R2", "R2:written", "R3", "R32"))
# Small ints and the flags of types.
_NO_POINTERS = frozenset(("R32", "R28"))
# What a look-up by name raises. The hash or a letter of a name, damaged, makes one fail.
_FAILED_LOOKUPS = frozenset(("KeyError", "AttributeError", "NameError", "ModuleNotFoundError"))


def is_tied_to_failure(context: Context, damage: Sequence[Evidence]) -> bool:
    """Tell whether the damage that was found leads to what failed, or to what any thread does."""
    account = context.state.fault_account
    if not isinstance(account, Absent) and account.place.kind in (NULL, NULL_BASE):
        # A number or a flag that is wrong makes no pointer NULL.
        damage = [evidence for evidence in damage if evidence.id not in _NO_POINTERS]
    if any(evidence.id not in _COMPARED_EVERYWHERE for evidence in damage):
        return True
    fault = context.fault
    if isinstance(fault, Absent):
        threads = islice(context.target.threads(), MAX_THREADS)
        at_hand = [(thread.sp, thread.registers) for thread in threads]
        values = []
    else:
        at_hand = [(fault.sp, fault.registers)]
        values = [fault.pc, fault.address or 0]
        site = context.site
        if not isinstance(site, Absent):  # what was called through a slot is in no register
            slot = None if site.operand is None else site.operand.address(fault.registers)
            values += [site.address or 0, site.slot or slot or 0]
    for sp, registers in at_hand:
        values += registers.values()
        values += split_into_words(read_up_to(context.target, sp, STACK))
    if any(_does_damage_lead_to_values(context, evidence, values) for evidence in damage):
        return True
    return has_failed_lookup(context.state) and _is_damaged_string_used_as_name(context, damage)


def has_failed_lookup(state: ProcessState) -> bool:
    """Whether the thread that failed had not found a name, and knew of it."""
    return any(
        info.type in _FAILED_LOOKUPS
        for thread in state.exceptions
        if thread.thread.crashed
        for raised in thread.all_raised()
        for info in raised.exceptions
    )


def _is_damaged_string_used_as_name(context: Context, damage: Sequence[Evidence]) -> bool:
    """Whether a damaged string is one that frames know, or has the hash of what was not found."""
    strings = {evidence.facts["object"] for evidence in damage if "object" in evidence.facts}
    python = context.state.python
    if not strings or isinstance(python, Absent):
        return False
    with suppress(UnreadableMemory, LayoutError):
        heap = shared_object_search(context)
        forms = str_and_bytes_layouts(heap, python)
        return bool(forms) and any(
            address in strings for address in reachable_strings(context, heap, python, forms[0])
        )
    return False


def _does_damage_lead_to_values(context: Context, damage: Evidence, values: Sequence[int]) -> bool:
    where, wrong = damage.where, damage.found or 0
    if not isinstance(where, int):
        return True
    if wrong >= LEAST_POINTER and any(abs(value - wrong) < MEMBERS for value in values):
        return True
    region = context.target.region_at(where)
    if region is not None and "x" in region.perms and module_at(context.target, where) is not None:
        function = context.functions.function_at(where)
        if function is not None:  # the failed instruction, or one that has called
            return any(function.start <= value <= function.end for value in values)
    return any(where - OBJECT <= value < where + 8 for value in values)
