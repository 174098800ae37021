# SPDX-License-Identifier: Apache-2.0
"""A variable of a Python frame holds the bad address, or what it was computed from."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.fault.variables_holding_address import (
    BASE,
    COVERS,
    INDEXED,
    IS,
    HoldingVariable,
    has_array_reaching_address,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import ADDRESS_BITS, WORD_MASK
from gdb_epi.target.api import Target
from gdb_epi.target.memory_search import find_word
from gdb_epi.util import add_article

INFO = "info"  # a kind that speaks for nothing


@detector(
    "address_in_variable",
    needs="python",
    # A damaged length or pointer of an object, or a damaged address in it, leaves the same.
    supports=SupportedLabel("software", "wrong-pointer", counted_by="kind", max_probability=0.79),
)
def address_in_variable(state: ProcessState) -> Iterator[Finding]:
    """Find a number, pointer or array of Python code that led C code to the bad address.

    Innocent causes: a flipped bit in that very number or pointer, which is told (kind "info": it
    speaks for nothing) where one bit makes it a pointer that stands elsewhere too; a flip in a
    number that is multiplied. A structure of ctypes counts if its memory is of somebody else and
    the pointer that it came from is not one bit away. A small number is never looked for. What an
    object that is gone was called says nothing about why it is gone.
    Reference: ctypes and cffi pass such values unchecked (Modules/_ctypes/callproc.c, ConvParam).
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how not in (ACCESS, TRANSFER):
        return
    for value in state.variables_holding_bad_address:
        if value.how not in (IS, BASE, INDEXED, COVERS):
            continue
        kind = value.how
        if kind in (IS, BASE) and _is_one_bit_from_known_pointer(
            state, account.address, value.offset
        ):
            kind = INFO
        facts: dict[str, object] = {"kind": kind, "name": value.name}
        facts["function"] = value.function
        if has_array_reaching_address(state.target, account.address or 0, [value]):
            facts["reaches_out"] = True
        summary = _describe_variable(state.target, account.address or 0, value)
        yield Finding("address_in_variable", f"thread {account.fault.tid}", facts, summary)
        return


def _is_one_bit_from_known_pointer(state: ProcessState, address: int | None, offset: int) -> bool:
    """Tell whether one bit of the value makes it a pointer to memory that another word holds too.

    That it leads to memory is no sign: in a process with many mappings two of its bits do.
    """
    if address is None:
        return True
    value = address - offset & WORD_MASK
    for bit in range(64):
        near = value ^ 1 << bit
        if near >> ADDRESS_BITS or not permits(state.target.region_at(near + offset), None):
            continue
        if find_word(state.target, near, limit=1).addresses:
            return True
    return False


def _describe_variable(target: Target, address: int, value: HoldingVariable) -> str:
    place = f" ({value.filename.rpartition('/')[2]}:{value.lineno})" if value.lineno else ""
    who = f"`{value.name}` of {value.function}{place}"
    if value.how == COVERS:
        if has_array_reaching_address(target, address, [value]):
            return f"{who} is an array whose shape and strides lead out of its memory"
        if permits(target.region_at(address - value.offset), "r"):
            return f"{who} reaches out of the memory that is there"
        what = "array" if value.type == "numpy.ndarray" else value.type
        return f"{who} is {add_article(what)} in memory that is not there"
    if value.how == INDEXED:
        return f"{who} is the bad address: it leads out of the memory that the pointer names"
    if value.how == BASE:
        return f"C code used the pointer {who}: the bad address lies {value.offset} bytes after it"
    return f"{who} is the bad address: C code used that number as an address"
