# SPDX-License-Identifier: Apache-2.0
"""Signs of a fork that glibc leaves (F1, F2, F3, F5, F6, F15), read without debug symbols."""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault.memory_reads import read_u32, read_u64, try_read
from gdb_epi.locks.fork.sign_readings import CERTAIN, STRONG, WEAK, ForkSignReadings
from gdb_epi.locks.glibc_threads import StackLists, ThreadDescriptor, read_stack_lists
from gdb_epi.target.api import Target, target_noun
from gdb_epi.target.libc import NOT_JUDGED, runs_on_musl
from gdb_epi.util import counted

_ADD_FOUR = b"\x48\x83\x05"  # addq $imm8, disp32(%rip)
_GENERATION_STEP = 4  # fork() adds 4 to __fork_generation (glibc sysdeps/nptl/_Fork.c, fork.c)
MAX_FORK_CODE = 1024  # searched bytes of fork()
MAX_GENERATIONS = 1 << 20
MAX_NAMED = 8  # thread ids in one sentence


def read_glibc_signs(reader: ForkSignReadings) -> None:
    """Read F1, F2, F3, F5, F6 and F15; other C libraries have none of them."""
    if runs_on_musl(reader.target):
        for name in ("F1", "F2", "F3", "F5", "F6", "F15"):
            reader.unreadable(name, NOT_JUDGED)
        return
    lists = read_stack_lists(reader.target)
    _generation(reader, lists)
    if isinstance(lists, Absent):
        for name in ("F2", "F3", "F5", "F6"):
            reader.unreadable(name, f"glibc's thread lists: {lists.detail}")
    else:
        _own_tid(reader, lists)
        _note_vanished(reader, lists)
        _phantoms(reader, lists)
        _forking_thread(reader, lists)
    # F15: this lineage once had several threads.
    address = reader.target.symbol("__libc_single_threaded")
    value = try_read(reader.target, address, 1) if address is not None else b""
    if not value:
        reader.unreadable("F15", "no __libc_single_threaded (glibc before 2.32, or another libc)")
    elif value == b"\0" and len(reader.threads) == 1:
        reader.yes("F15", "one thread now, but this lineage had more once", WEAK)
    elif value == b"\0":
        reader.info("F15", "several threads now, so what came before does not show", WEAK)
    else:
        reader.no("F15", "there was never a second thread since exec", STRONG)


def _generation(reader: ForkSignReadings, lists: StackLists | Absent) -> None:
    """F1: glibc counts fork(); a symbol names the counter before 2.34, the code of fork() since."""
    address = None if isinstance(lists, Absent) else lists.generation
    if address is None:
        address = _counter(reader.target)
    if address is None:
        reader.unreadable("F1", "the code of fork() is not to be had, or has another shape")
        return
    value = read_u64(reader.target, address)
    if value is None:
        reader.unreadable("F1", "__fork_generation is not there")
    elif value % _GENERATION_STEP or value // _GENERATION_STEP > MAX_GENERATIONS:
        reader.unreadable("F1", f"the word of __fork_generation is {value:#x}: not a counter")
    elif value:
        reader.generation = value // _GENERATION_STEP
        reader.yes("F1", f"glibc counts {reader.generation} fork() since exec", CERTAIN)
    else:
        reader.generation = 0
        reader.no("F1", "glibc counts no fork() since exec; _Fork() and raw clone are not counted")


def _counter(target: Target) -> int | None:
    for symbol in ("__libc_fork", "fork"):
        start = target.symbol(symbol)
        if start is None:
            continue
        region = target.region_at(start)
        size = min(MAX_FORK_CODE, region.end - start) if region is not None else 0
        code = try_read(target, start, size)
        at = code.find(_ADD_FOUR)
        while at >= 0:
            end = at + 8
            if len(code) >= end and code[end - 1] == _GENERATION_STEP:
                displacement = int.from_bytes(code[at + 3 : at + 7], "little", signed=True)
                return start + end + displacement
            at = code.find(_ADD_FOUR, at + 1)
    return None


def _own_tid(reader: ForkSignReadings, lists: StackLists) -> None:
    """F6: glibc stored a thread id that is not the LWP's."""
    at = lists.offsets["tid"]
    bases = [(thread.tid, thread.ident) for thread in reader.threads if thread.ident]
    pairs = [(tid, own) for tid, base in bases if (own := read_u32(reader.target, base + at))]
    reader.own_tid = next((stored for tid, stored in pairs if tid == reader.pid), None)
    different = [(tid, stored) for tid, stored in pairs if tid != stored]
    if not pairs:
        reader.unreadable("F6", "no thread's descriptor can be read")
    elif not different:
        reader.no("F6", f"glibc's thread ids are those of the {target_noun(reader.target.kind)}")
    elif len(pairs) > 1 and len(different) == len(pairs):
        reader.other_view = True
        reader.unclear("F6", "no thread id of the core is the one glibc stored: the core was "
                             "taken from outside the process's pid namespace")  # fmt: skip
    else:
        _odd_tid(reader, *different[0])


def _odd_tid(reader: ForkSignReadings, tid: int, stored: int) -> None:
    """Interpret one thread whose id differs from what glibc stored for it."""
    process = reader.target.process()
    parent = None if isinstance(process, Absent) else process.ppid
    numbers = f"glibc stored thread id {stored} for LWP {tid}"
    if parent == stored and parent > 1:
        reader.raw_clone = True
        reader.forker = stored
        reader.old_tids.add(stored)
        reader.yes("F6", f"{numbers}, which is the parent's: a child of raw clone or vfork", STRONG)
        return
    reader.other_view = True
    reader.unclear(
        "F6", f"{numbers}: a child of raw clone, or a core from outside the process's pid namespace"
    )


def _note_vanished(reader: ForkSignReadings, lists: StackLists) -> None:
    gone = [d for d in lists.on("cache") if d.tid == 0 and not d.exiting]
    gone = [d for d in gone if d.address not in reader.live]
    ended = sum(d.exiting for d in lists.on("cache"))
    if gone and reader.all_bases_known:
        reader.orphans |= {d.address for d in gone}
        reader.yes(
            "F2",
            f"of {counted(len(gone), 'cached thread stack')} the thread never ran thread exit: it "
            "vanished in a fork",
            CERTAIN,
        )
    elif not lists.complete:
        reader.unreadable("F2", "glibc's stack lists could be followed in part only")
    else:
        reader.no("F2", f"no cached stack of a thread that vanished ({ended} of ended threads)")


def _phantoms(reader: ForkSignReadings, lists: StackLists) -> None:
    entries = [*lists.on("used"), *lists.on("user")]
    ghosts = [d for d in entries if d.address not in reader.live and d.tid > 0 and not d.exiting]
    if ghosts and reader.all_bases_known:
        reader.orphans |= {d.address for d in ghosts}
        reader.old_tids |= {d.tid for d in ghosts}
        reader.raw_clone = reader.raw_clone or _has_parents_id(reader, ghosts)
        tids = ", ".join(str(d.tid) for d in ghosts[:MAX_NAMED])
        reader.yes(
            "F3",
            f"glibc lists threads that are not in the {target_noun(reader.target.kind)}, with "
            f"their old ids {tids}: a child of _Fork() or raw clone",
            CERTAIN,
        )
    elif not lists.complete:
        reader.unreadable("F3", "glibc's stack lists could be followed in part only")
    else:
        reader.no(
            "F3", f"every thread that glibc lists is in the {target_noun(reader.target.kind)}"
        )


def _has_parents_id(reader: ForkSignReadings, ghosts: list[ThreadDescriptor]) -> bool:
    """Tell whether the leader still has the id of a thread of the parent (raw clone)."""
    if reader.own_tid is None or reader.own_tid == reader.pid:
        return False
    reader.old_tids.add(reader.own_tid)
    return not reader.other_view or bool(ghosts)


def _forking_thread(reader: ForkSignReadings, lists: StackLists) -> None:
    """F5: the leader's own descriptor lies on a stack made by pthread_create()."""
    base = reader.leader_base
    if base in {d.address for d in lists.on("used")}:
        reader.from_main = False
        reader.yes(
            "F5",
            "the main LWP runs on a stack of pthread_create(): forked by another thread",
            CERTAIN,
        )
    elif base in {d.address for d in lists.on("user")}:
        reader.from_main = True
        reader.no(
            "F5", "the main LWP runs on the initial stack: no fork, or one by the main thread"
        )
    else:
        reader.unreadable("F5", "the main LWP's descriptor is on none of glibc's lists")
