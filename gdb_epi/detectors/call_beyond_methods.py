# SPDX-License-Identifier: Apache-2.0
"""A virtual function was called that the class of the object does not have."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.account import TRANSFER
from gdb_epi.fault.cxx_class import method_table
from gdb_epi.fault.memory_reads import read_word
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD
from gdb_epi.util import counted

THIS = "rdi"  # the first argument (System V ABI x86-64, 3.2.3)
MAX_BEHIND = 64  # slots after a table that are read


@detector("call_beyond_methods", needs="crash", supports=SupportedLabel("software", "other-data"))
def call_beyond_methods(state: ProcessState) -> Iterator[Finding]:
    """Find a call through a slot that lies after the last function of a class's method table.

    The table begins where the object in the first argument says, and names its class: so the object
    is whole, and the code took it for one of another class.
    Innocent causes: one flipped bit of the object's table pointer that leads to the very start of
    another class' table: few words are such starts. A table whose functions are NULL is not judged.
    Reference: Itanium C++ ABI, 2.5.2.
    """
    account = state.account
    if isinstance(account, Absent) or account.how != TRANSFER or account.returned:
        return
    fault, went_to = account.fault, account.address
    if not fault.architecture.decodes or not went_to:
        return
    target, subject = state.target, fault.registers.get(THIS, 0)
    held = read_word(target, subject) if subject % WORD == 0 else None
    table = method_table(target, held) if held else None
    if table is None or not table.methods:
        return
    behind = range(table.methods, table.methods + MAX_BEHIND)
    words = (read_word(target, table.address + WORD * n, dumped_only=False) for n in behind)
    number = next((n for n, word in zip(behind, words, strict=True) if word == went_to), None)
    if number is None:
        return
    facts = {"class": table.class_name, "methods": table.methods, "called": number + 1,
             "object": hex_word(subject)}  # fmt: skip
    summary = (
        f"a virtual function was called by entry {number + 1} of the table of an object of class "
        f"{table.class_name}, which has {counted(table.methods, 'entry')}: it was taken "
        "for an object of another class"
    )
    yield Finding("call_beyond_methods", f"thread {fault.tid}", facts, summary)
