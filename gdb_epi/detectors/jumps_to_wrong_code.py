# SPDX-License-Identifier: Apache-2.0
"""Code ran that should not: memory that is not executable, what lies behind methods or a function.

The class is known by its table of virtual functions: before the functions stand the offset to the
top of the object and a pointer to the class' std::type_info, whose second word is the name of the
class. Source: Itanium C++ ABI, 2.5.2 (virtual table components) and 2.9.4 (RTTI layout).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from gdb_epi.detectors.registry import (
    DOUBT,
    FILTER,
    NOTHING_SAID,
    Finding,
    SupportedLabel,
    detector,
    hex_word,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.address_place import FORBIDDEN
from gdb_epi.fault.instructions import call_returning_to
from gdb_epi.fault.mapping_checks import VSYSCALL, may_execute
from gdb_epi.fault.memory_reads import c_string, read_up_to, read_word
from gdb_epi.fault.own_native_code import (
    facts_of_file_at_fault,
    is_own_library,
    readable_name,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import PAGE, WORD, WORD_MASK
from gdb_epi.target.api import Target, module_at
from gdb_epi.target.cfi import Unwinder
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.symbols import symbol_at
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted
from gdb_epi.x86.decode import decode
from gdb_epi.x86.instruction import JUMP, NEXT, RETURN

MAX_CODE = 256  # bytes that are read as instructions
MIN_INSTRUCTIONS = 2  # instructions up to the end of a function; `ret` alone is one byte
ZERO = b"\x00\x00"  # add %al, (%rax): what memory full of zeros reads as
MAX_METHODS = 512
MAX_NAME = 256
MAX_OBJECT = 1 << 20  # bytes between an object and its base part
_TYPE, _TOP, _NAME = -WORD, -2 * WORD, WORD
THIS = "rdi"  # the first argument (System V ABI x86-64, 3.2.3)
MAX_PADDING = 32  # bytes between two functions: they are aligned to 16, in places to 32
MAX_BEHIND = 64  # slots after a table that are read
VSYSCALL_ENTRIES = {0: "gettimeofday", 0x400: "time", 0x800: "getcpu"}


@detector("not_executable", needs="crash", supports=SupportedLabel("software", "not-executable"))
def not_executable(state: ProcessState) -> Iterator[Finding]:
    """Find that control went to code in memory without permission to run it.

    Innocent causes, tested: a wrong pointer that leads to data (the bytes there must read as
    instructions up to a return or jump, at the start of a page, where memory for code begins). A
    flipped bit in a page table is left: nothing in a core would tell. Of 15,873 pages of data of 12
    cores 134 read as code (0.8 %).
    Reference: mprotect(2), PROT_EXEC; SELinux' execmem; hardened kernels refuse W and X together.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how != TRANSFER or account.failed_in_return:
        return
    at = account.address
    if account.place.kind != FORBIDDEN or at is None or at % PAGE:
        return
    if not account.fault.architecture.decodes:
        return
    region = state.target.region_at(at)
    if region is None or not decodes_as_whole_function(read_up_to(state.target, at, MAX_CODE)):
        return
    facts = {"address": hex_word(at), "permissions": region.perms}
    summary = (
        f"code ran in memory that is not executable ({region.perms}, no PROT_EXEC), at {at:#x}"
    )
    yield Finding("not_executable", f"thread {account.fault.tid}", facts, summary)


def decodes_as_whole_function(code: bytes) -> bool:
    """Tell whether bytes read as instructions up to the end of a function."""
    count = at = 0
    while at < len(code):
        instruction = None if code[at : at + 2] == ZERO else decode(code[at:])
        if instruction is None or instruction.privileged:
            return False
        count, at = count + 1, at + instruction.length
        if instruction.flow in (RETURN, JUMP):
            return count >= MIN_INSTRUCTIONS
        if instruction.flow != NEXT and count == 1:
            return False
    return False


@detector(
    "vsyscall",
    needs="crash",
    supports=SupportedLabel("software", "refused-call", counted_by="kind", doubt_fact=DOUBT),
)
def vsyscall(state: ProcessState) -> Iterator[Finding]:
    """Find a call into the page by which old code asks the kernel for the time.

    Innocent causes: this is itself the ordinary explanation of a call to one of the entries. That
    the kernel does not offer the page is a setting of the host, and told as a doubt. A call to
    another address there speaks for nothing: the pointer may have been damaged.
    Reference: arch/x86/entry/vsyscall/vsyscall_64.c; glibc before 2.14, and static programs.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how != TRANSFER or account.failed_in_return:
        return
    at = account.address
    if at is None or at & -PAGE != VSYSCALL:
        return
    entry = VSYSCALL_ENTRIES.get(at - VSYSCALL, "")
    facts = {"address": hex_word(at), "kind": NOTHING_SAID}
    summary = f"the vsyscall page was called at {at:#x}, which is none of its entries"
    if entry:
        facts |= {"kind": entry, DOUBT: FILTER}
        summary = (
            f"{entry}() was called by the vsyscall page, as only code of long ago does, and the "
            "host's kernel does not offer that page (vsyscall=none, LEGACY_VSYSCALL_NONE)"
        )
    yield Finding("vsyscall", f"thread {account.fault.tid}", facts, summary)


class VirtualTable(NamedTuple):
    """A table of virtual functions: the address that objects hold, its class, its functions."""

    address: int
    class_name: str
    methods: int


def virtual_table_at(target: Target, address: int) -> VirtualTable | None:
    """Return the table that objects with this first word have; None where none begins there."""
    region = target.region_at(address)
    if address % WORD or region is None or region.path is None or "x" in region.perms:
        return None
    top = _read_mapped_word(target, address + _TOP)
    if top is None or not 0 <= -top & WORD_MASK <= MAX_OBJECT:
        return None
    info = _read_mapped_word(target, address + _TYPE)
    name = _class_of_type_info(target, info) if info else None
    if name is None:
        return None
    # NULL stands for a missing function of a base class; at the end it means nothing.
    words = (_read_mapped_word(target, address + WORD * number) for number in range(MAX_METHODS))
    methods = takewhile(lambda word: word and may_execute(target.region_at(word)), words)
    return VirtualTable(address, name, sum(1 for _ in methods))


def _class_of_type_info(target: Target, info: int) -> str | None:
    """Return the name in a std::type_info: its first word is a table of methods too."""
    own, name = _read_mapped_word(target, info), _read_mapped_word(target, info + _NAME)
    if info % WORD or not own or not name or target.region_at(own) is None:
        return None
    sizes = (min(size, PAGE - name % PAGE) for size in (MAX_NAME, 64, 16))
    mangled = c_string(target, name & ~(1 << 63), *sizes).decode("ascii", "replace")
    mangled = mangled.removeprefix("*")
    if not mangled.isascii() or not (mangled[:1].isdigit() or mangled[:1] in ("N", "S")):
        return None
    from gdb_epi.demangle.itanium import class_name  # modules that other crashes do not need

    return class_name(mangled)


def _read_mapped_word(target: Target, address: int) -> int | None:
    return read_word(target, address, dumped_only=False)


@detector("call_beyond_methods", needs="crash", supports=SupportedLabel("software", "other-data"))
def call_beyond_methods(state: ProcessState) -> Iterator[Finding]:
    """Find a call through a slot that lies after the last function of a class's method table.

    The table begins where the object in the first argument says, and names its class: so the object
    is whole, and the code took it for one of another class.
    Innocent causes: one flipped bit of the object's table pointer that leads to the very start of
    another class' table: few words are such starts. A table whose functions are NULL is not judged.
    Reference: Itanium C++ ABI, 2.5.2.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how != TRANSFER or account.failed_in_return:
        return
    fault, went_to = account.fault, account.address
    if not fault.architecture.decodes or not went_to:
        return
    target, subject = state.target, fault.registers.get(THIS, 0)
    held = read_word(target, subject) if subject % WORD == 0 else None
    table = virtual_table_at(target, held) if held else None
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


@detector("ran_past_end", needs="crash", supports=SupportedLabel("software", "wrong-code"))
def ran_past_end(state: ProcessState) -> Iterator[Finding]:
    """Find code that ran on behind a function of the program that ends with a call.

    The return address of that call still lies just below the stack pointer, or below the word that
    a return then took. Compilers end a function so where the source has no `return`.
    Innocent causes, tested: an address left there by a function that does not return (a thrown
    exception): what was called since has its frame 8 bytes off from there, as the ABI aligns
    calls, and would have written to it.
    Reference: C++ 2020, 8.7.4 (a way without return is undefined); System V ABI x86-64, 3.2.2.
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how not in (ACCESS, TRANSFER):
        return
    fault, target = account.fault, state.target
    slot = account.site.slot if account.failed_in_return else None
    behind = read_word(target, (fault.sp if slot is None else slot) - WORD)
    module = None if behind is None else module_at(target, behind)
    if behind is None or module is None or not is_own_library(module.path):
        return
    bounds = FunctionBounds(target)
    ended = bounds.function_returned_to(behind)
    if ended is None or ended.end != behind or call_returning_to(target, behind) is None:
        return
    reached = bounds.function_at(fault.pc)
    if slot is None:
        if reached is None or not 0 <= reached.start - behind <= MAX_PADDING:
            return
        rule = Unwinder(target, bounds).rule(fault.pc)
        if rule is None or (rule.base, rule.offset) != ("rsp", WORD):
            return
    symbol = symbol_at(target, ended.start)
    file = module.path.rpartition("/")[2]
    name = "a function" if symbol is None else readable_name(symbol.name)
    summary = (
        f"{name} came to its end without a return, behind a call, and what lies there was run: "
        "look for a way through it without a return statement (gcc -Wreturn-type warns)"
    )
    facts = {"function": name, **facts_of_file_at_fault(file)}
    yield Finding("ran_past_end", f"thread {fault.tid}", facts, summary)
