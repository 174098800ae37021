# SPDX-License-Identifier: Apache-2.0
"""glibc's thread descriptors and stack lists, without debug symbols.

libc exports one descriptor per field for libthread_db: three 32-bit words {bits, count, offset}
(glibc nptl_db/structs.def; GLIBC_PRIVATE dynamic symbols from 2.34 on, libpthread's .symtab
before). `__nptl_rtld_global` points at `_rtld_global`, which holds the lists.

glibc before 2.34: threads live in a library of their own, and no dynamic symbol names its lists.

Distributions keep libpthread's .symtab, because libthread_db needs it (nptl_db/structs.def). It is
read here with `struct` alone: one small file, a few milliseconds.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.fault.memory_reads import read_u32, read_u64
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Module, Target, get_architecture
from gdb_epi.target.elf import SHDR, SHT_DYNSYM, SHT_SYMTAB, SYM
from gdb_epi.typing_lite import NamedTuple

MAX_SECTIONS = 4096
MAX_SYMBOLS = 1 << 20
MAX_TABLE = 64 << 20  # bytes of one section
MAX_NAME = 256
_STT_FUNC = 2
MAX_DESCRIPTORS = 20_000
MAX_OFFSET = 1 << 16
EXITING = 0x10  # bit of cancelhandling: the thread ran thread exit
_LIST_NODE = 16  # sizeof(list_t): next, prev
_FIELDS = {
    "list": "_thread_db_pthread_list",
    "tid": "_thread_db_pthread_tid",
    "cancelhandling": "_thread_db_pthread_cancelhandling",
    "start_routine": "_thread_db_pthread_start_routine",
    "used": "_thread_db_rtld_global__dl_stack_used",
    "user": "_thread_db_rtld_global__dl_stack_user",
}
# Before 2.34 the lists are variables of libpthread.
_OLD = {"used": "stack_used", "user": "__stack_user", "cache": "stack_cache"}


def read_libpthread_symbols(target: Target, names: Collection[str]) -> dict[str, int]:
    """Return the run-time addresses of symbols of libpthread's .symtab.

    Empty where there is no such library, no matching file, or no .symtab (glibc 2.34 and later keep
    an empty libpthread.so.0).
    """
    for module in target.modules():
        if module.path.rpartition("/")[2].startswith("libpthread"):
            return _symbols_of_module(module, names)
    return {}


def _symbols_of_module(module: Module, names: Collection[str]) -> dict[str, int]:
    if isinstance(module.file, Absent):
        return {}
    wanted = {name.encode(): name for name in names}
    addresses: dict[str, int] = {}
    try:
        with open(module.file, "rb") as stream:
            for text, value in read_elf_symtab(stream.read(MAX_TABLE)):
                if text in wanted:
                    addresses[wanted[text]] = module.base + value
    except (OSError, struct.error, IndexError):
        return {}
    return addresses


def read_elf_symtab(image: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield (name, value) of the .symtab of a 64-bit ELF file. Raises struct.error, IndexError."""
    for name, _info, value, _size in _symtab_entries(image, (SHT_SYMTAB,)):
        yield name, value


def read_elf_functions(path: str, limit: int) -> list[tuple[int, int, str]]:
    """Return (value, size, name) of an ELF file's functions; empty when it cannot be read."""
    try:
        with open(path, "rb") as stream:
            image = stream.read(limit)
        return [
            (value, size, name.decode("utf-8", "replace"))
            for name, info, value, size in _symtab_entries(image, (SHT_SYMTAB, SHT_DYNSYM))
            if info & 15 == _STT_FUNC and size
        ]
    except (OSError, struct.error, IndexError):
        return []


def _symtab_entries(image: bytes, kinds: tuple[int, ...]) -> Iterator[tuple[bytes, int, int, int]]:
    table_at = struct.unpack_from("<Q", image, 40)[0]
    size, count = struct.unpack_from("<HH", image, 58)
    if size != SHDR.size or count > MAX_SECTIONS:
        return
    sections = [SHDR.unpack_from(image, table_at + size * n) for n in range(count)]
    for section in sections:
        if section[1] not in kinds:
            continue
        strings_at = sections[section[6]][4]
        start, total = section[4], min(section[5], MAX_SYMBOLS * SYM.size)
        symbol_table = image[start : start + total // SYM.size * SYM.size]
        for name, info, _other, index, value, length in SYM.iter_unpack(symbol_table):
            end = image.find(b"\0", strings_at + name, strings_at + name + MAX_NAME)
            if index and end >= 0:
                yield image[strings_at + name : end], info, value, length


class ThreadDescriptor(NamedTuple):
    """struct pthread of one thread, dead or alive; `address` is its pthread_t."""

    address: int
    tid: int
    exiting: bool
    on: str  # the list that holds it: "used", "user", "cache"


class StackLists(NamedTuple):
    """Every descriptor that glibc still knows, and where its fields lie.

    `generation` is the address of __fork_generation where symbols name it (before 2.34), `heads`
    are the addresses of the lists.
    """

    descriptors: tuple[ThreadDescriptor, ...]
    offsets: Mapping[str, int]
    complete: bool
    generation: int | None = None
    heads: Mapping[str, int] = {}

    def descriptors_on(self, name: str) -> list[ThreadDescriptor]:
        """Return the descriptors of one list."""
        return [descriptor for descriptor in self.descriptors if descriptor.on == name]


_OLD_FIELDS = {name: symbol for name, symbol in _FIELDS.items() if name not in _OLD}


def _find_descriptor_offsets(
    target: Target, fields: Mapping[str, str], addresses: Mapping[str, int]
) -> dict[str, int] | Absent:
    offsets = {}
    for name, symbol in fields.items():
        address = addresses.get(symbol) or target.symbol(symbol)
        if address is None:
            return Absent(NOT_AVAILABLE, f"no symbol {symbol}")
        offset = read_u32(target, address + 8)
        if offset is None or offset > MAX_OFFSET:
            return Absent(NOT_AVAILABLE, f"{symbol} cannot be read")
        offsets[name] = offset
    return offsets


def read_stack_lists(target: Target) -> StackLists | Absent:
    """Walk glibc's lists of thread stacks.

    Absent for another libc, glibc before 2.34 without libpthread's file, or unreadable lists.
    """
    names = (*_OLD_FIELDS.values(), *_OLD.values(), "__fork_generation")
    old = read_libpthread_symbols(target, names)
    if all(symbol in old for symbol in (*_OLD_FIELDS.values(), *_OLD.values())):
        offsets = _find_descriptor_offsets(target, _OLD_FIELDS, old)
        if isinstance(offsets, Absent):
            return offsets
        heads = {name: old[symbol] for name, symbol in _OLD.items()}
        return _walk_stack_lists(target, heads, offsets, old.get("__fork_generation"))
    offsets = _find_descriptor_offsets(target, _FIELDS, {})
    if isinstance(offsets, Absent):
        return offsets
    pointer = target.symbol("__nptl_rtld_global")
    rtld = target.symbol("_rtld_global")
    if rtld is None and pointer is not None:
        rtld = read_u64(target, pointer)
    if rtld is None:
        return Absent(NOT_AVAILABLE, "no symbol _rtld_global")
    # The cache list follows the user list (sysdeps/generic/ldsodefs.h, 2.34 to 2.42).
    heads = {
        "used": rtld + offsets["used"],
        "user": rtld + offsets["user"],
        "cache": rtld + offsets["user"] + _LIST_NODE,
    }
    return _walk_stack_lists(target, heads, offsets, None)


def _walk_stack_lists(
    target: Target, heads: Mapping[str, int], offsets: Mapping[str, int], generation: int | None
) -> StackLists:
    descriptors: list[ThreadDescriptor] = []
    complete = True
    for name, head in heads.items():
        whole = _walk_stack_list(target, name, head, offsets, descriptors)
        complete = complete and whole
    return StackLists(tuple(descriptors), offsets, complete, generation, heads)


def _walk_stack_list(
    target: Target, name: str, head: int, offsets: Mapping[str, int], out: list[ThreadDescriptor]
) -> bool:
    """Append the descriptors of one circular list; False when it could not be followed.

    On x86-64 a descriptor begins with two pointers at itself (tcbhead_t, glibc 2.42
    sysdeps/x86_64/nptl/tls.h); without them it is something else, or not made to its end. Where it
    does not, the link back to the node before it says as much.
    """
    seen, whole, before = {head}, True, head
    selves = get_architecture(target).descriptor_self
    node = read_u64(target, head)
    while node is not None and node not in seen and len(seen) < MAX_DESCRIPTORS:
        seen.add(node)
        address = node - offsets["list"]
        tid = read_u32(target, address + offsets["tid"])
        cancel = read_u32(target, address + offsets["cancelhandling"])
        if tid is None or cancel is None:
            return False
        linked = bool(selves) or read_u64(target, node + WORD) == before
        if linked and all(read_u64(target, address + at) == address for at in selves):
            out.append(ThreadDescriptor(address, tid, bool(cancel & EXITING), name))
        else:
            whole = False
        before, node = node, read_u64(target, node)
    return whole and node == head
