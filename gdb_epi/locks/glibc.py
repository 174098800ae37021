# SPDX-License-Identifier: Apache-2.0
"""glibc's thread descriptors and stack lists, without debug symbols.

libc exports one descriptor per field for libthread_db: three 32-bit words {bits, count, offset}
(glibc nptl_db/structs.def; GLIBC_PRIVATE dynamic symbols from 2.34 on, libpthread's .symtab
before). `__nptl_rtld_global` points at `_rtld_global`, which holds the lists.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.lean import NamedTuple
from gdb_epi.locks.context import u32, u64
from gdb_epi.locks.oldglibc import pthread_symbols
from gdb_epi.target.api import Target

MAX_DESCRIPTORS = 20_000
MAX_OFFSET = 1 << 16
EXITING = 0x10  # bit of cancelhandling: the thread ran thread exit
_LIST_NODE = 16  # sizeof(list_t): next, prev
_SELF = (0, 16)  # tcbhead_t: tcb, self

_FIELDS = {
    "list": "_thread_db_pthread_list",
    "tid": "_thread_db_pthread_tid",
    "cancelhandling": "_thread_db_pthread_cancelhandling",
    "start_routine": "_thread_db_pthread_start_routine",
    "used": "_thread_db_rtld_global__dl_stack_used",
    "user": "_thread_db_rtld_global__dl_stack_user",
}


class Descriptor(NamedTuple):
    """struct pthread of one thread, dead or alive; `address` is its pthread_t (fs_base)."""

    address: int
    tid: int
    exiting: bool
    on: str  # the list that holds it: "used", "user", "cache"


class StackLists(NamedTuple):
    """Every descriptor that glibc still knows, and where its fields lie.

    `generation` is the address of __fork_generation where symbols name it (before 2.34), `heads`
    are the addresses of the lists.
    """

    descriptors: tuple[Descriptor, ...]
    offsets: Mapping[str, int]
    complete: bool
    generation: int | None = None
    heads: Mapping[str, int] = {}

    def on(self, name: str) -> list[Descriptor]:
        """Return the descriptors of one list."""
        return [one for one in self.descriptors if one.on == name]


# Before 2.34 the lists are variables of libpthread.
_OLD = {"used": "stack_used", "user": "__stack_user", "cache": "stack_cache"}
_OLD_FIELDS = {name: symbol for name, symbol in _FIELDS.items() if name not in _OLD}


def _offsets(
    target: Target, fields: Mapping[str, str], known: Mapping[str, int]
) -> dict[str, int] | Absent:
    found = {}
    for name, symbol in fields.items():
        address = known.get(symbol) or target.symbol(symbol)
        if address is None:
            return Absent(NOT_AVAILABLE, f"no symbol {symbol}")
        offset = u32(target, address + 8)
        if offset is None or offset > MAX_OFFSET:
            return Absent(NOT_AVAILABLE, f"{symbol} cannot be read")
        found[name] = offset
    return found


def stack_lists(target: Target) -> StackLists | Absent:
    """Walk glibc's lists of thread stacks.

    Absent for another libc, glibc before 2.34 without libpthread's file, or unreadable lists.
    """
    names = (*_OLD_FIELDS.values(), *_OLD.values(), "__fork_generation")
    old = pthread_symbols(target, names)
    if all(symbol in old for symbol in (*_OLD_FIELDS.values(), *_OLD.values())):
        offsets = _offsets(target, _OLD_FIELDS, old)
        if isinstance(offsets, Absent):
            return offsets
        heads = {name: old[symbol] for name, symbol in _OLD.items()}
        return _walk_all(target, heads, offsets, old.get("__fork_generation"))
    offsets = _offsets(target, _FIELDS, {})
    if isinstance(offsets, Absent):
        return offsets
    pointer = target.symbol("__nptl_rtld_global")
    rtld = target.symbol("_rtld_global")
    if rtld is None and pointer is not None:
        rtld = u64(target, pointer)
    if rtld is None:
        return Absent(NOT_AVAILABLE, "no symbol _rtld_global")
    # The cache list follows the user list (sysdeps/generic/ldsodefs.h, 2.34 to 2.42).
    heads = {
        "used": rtld + offsets["used"],
        "user": rtld + offsets["user"],
        "cache": rtld + offsets["user"] + _LIST_NODE,
    }
    return _walk_all(target, heads, offsets, None)


def _walk_all(
    target: Target, heads: Mapping[str, int], offsets: Mapping[str, int], generation: int | None
) -> StackLists:
    descriptors: list[Descriptor] = []
    complete = True
    for name, head in heads.items():
        whole = _walk(target, name, head, offsets, descriptors)
        complete = complete and whole
    return StackLists(tuple(descriptors), offsets, complete, generation, heads)


def _walk(
    target: Target, name: str, head: int, offsets: Mapping[str, int], out: list[Descriptor]
) -> bool:
    """Append the descriptors of one circular list; False when it could not be followed.

    A descriptor begins with two pointers at itself (tcbhead_t, glibc 2.42
    sysdeps/x86_64/nptl/tls.h); without them it is something else, or not made to its end.
    """
    seen, whole = {head}, True
    node = u64(target, head)
    while node is not None and node not in seen and len(seen) < MAX_DESCRIPTORS:
        seen.add(node)
        address = node - offsets["list"]
        tid = u32(target, address + offsets["tid"])
        cancel = u32(target, address + offsets["cancelhandling"])
        if tid is None or cancel is None:
            return False
        if all(u64(target, address + at) == address for at in _SELF):
            out.append(Descriptor(address, tid, bool(cancel & EXITING), name))
        else:
            whole = False
        node = u64(target, node)
    return whole and node == head
