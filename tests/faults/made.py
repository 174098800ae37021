# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501
"""Faults that are made up: borders, and what no program on this machine can make.

Each row was derived by hand from arch/x86/mm/fault.c, arch/x86/kernel/traps.c and signal.c,
kernel/signal.c, sigaction(2) and the System V ABI for x86-64, before the code was asked.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from support.faults import CALL_SITE, INDIRECT_SITE, PROTECTION, failed, fault_at
from support.scenes import (
    FS_BASE,
    HEAP,
    HEAP_SIZE,
    MMAP,
    MMAP_SIZE,
    PC,
    PID,
    SP,
    STACK,
    STACK_SIZE,
    TEXT,
    crash,
)

from gdb_epi.corruption.context import Context
from gdb_epi.target.api import CrashInfo, Region

LOAD, STORE, PUSH, POP = "488b07", "488907", "50", "58"
KIB, MIB = 1 << 10, 1 << 20
WILD = 0x7ABC_1234_5678
NX = HEAP + 64
MAPERR, ACCERR = 1, 2
END = MMAP + MMAP_SIZE
GOOD = MMAP + 0x1240


class Row(NamedTuple):
    """A fault, and the names that are right for it; "|" between several that are."""

    name: str
    make: Callable[[], Context]
    category: str
    symptom: str
    why: str


def closed(start: int, size: int, perms: str = "---", path: str | None = None) -> Region:
    return Region(start, start + size, perms, path, 0, 0)


def load(at: int, **more: Any) -> Context:
    died = fault_at(at, more.pop("code", MAPERR)) if at < 1 << 47 or at >> 47 == 0x1FFFF else None
    return failed(LOAD, died or PROTECTION, rdi=at, **more)


def store(at: int, **more: Any) -> Context:
    died = fault_at(at, more.pop("code", MAPERR)) if at < 1 << 47 or at >> 47 == 0x1FFFF else None
    return failed(STORE, died or PROTECTION, rdi=at, **more)


def unread(at: int, code: int = MAPERR, **more: Any) -> Context:
    """A fault whose instruction is neither in the core nor in a file."""
    made = failed(LOAD, fault_at(at, code), **more)
    made.target.memory.pop(TEXT)  # type: ignore[attr-defined]
    return made


def went(at: int, died: CrashInfo | None = None, **more: Any) -> Context:
    canonical = at < 1 << 47
    return failed("", died or (fault_at(at) if canonical else PROTECTION), at=at, **more)


def called(at: int, **more: Any) -> Context:
    return went(at, rax=at, words={SP: INDIRECT_SITE}, **more)


def jumped(at: int, **more: Any) -> Context:
    return went(at, words={SP: 5, SP - 8: 6}, **more)


def returned(at: int, **more: Any) -> Context:
    return went(at, words={SP - 8: at, SP: 5}, **more)


def sent(signo: int, code: int, sender: int | None = None, value: int | None = None) -> Context:
    return failed("c3", CrashInfo(signo, code, 0, value, sender, 0 if sender else None, PID))


def message(text: str) -> Context:
    made = failed("c3", crash(6, -6, sender=PID), words={HEAP: HEAP + 0x100})
    raw = text.encode() + b"\0"
    target: Any = made.target
    target._symbols["__abort_msg"] = HEAP
    target.write(HEAP + 0x100, struct.pack("<I", len(raw) + 4) + raw)
    return made


def in_prologue(subtract: str, left: int, at: int, **registers: int) -> Context:
    """A push in a function that has made its frame: rsp is `left` bytes below the stack."""
    sp = STACK - left
    return failed(PUSH, fault_at(at), before=subtract, rsp=sp, **registers)


# A table: a line or two a row.
# fmt: off
def _rows() -> Iterator[Row]:
    # Low addresses: vm.mmap_min_addr is 65536, so nothing is ever mapped below.
    for at in (0, 1, 8, 4095):
        yield Row(f"read of {at}", lambda at=at: load(at), "segv-null", "null-dereference", "page 0")
        yield Row(f"write to {at}", lambda at=at: store(at), "segv-null", "null-dereference", "page 0")
        yield Row(f"unread access at {at}", lambda at=at: unread(at), "segv-null",
                  "null-dereference", "the kernel's word is enough")
        yield Row(f"call of {at}", lambda at=at: called(at), "segv-null", "call-to-null",
                  "the word at rsp is behind an indirect call")
        yield Row(f"jump to {at}", lambda at=at: jumped(at), "segv-null", "call-to-null",
                  "neither called nor returned")
    for at in (4096, 0x2000, 65535):
        yield Row(f"read of {at}", lambda at=at: load(at), "segv-near-null", "near-null", "below 64 KiB")
        yield Row(f"write to {at}", lambda at=at: store(at), "segv-near-null", "near-null", "below 64 KiB")
        yield Row(f"call of {at}", lambda at=at: called(at), "segv-near-null", "call-to-null",
                  "a known disagreement: what is not mapped for reading is not mapped for calls")
        yield Row(f"jump to {at}", lambda at=at: jumped(at), "segv-near-null", "call-to-null", "as above")
        yield Row(f"return to {at}", lambda at=at: returned(at), "segv-near-null",
                  "return-to-garbage", "the popped slot holds it")
    yield Row("read of 65536", lambda: load(65536), "segv-wild", "wild-read", "may be mapped")
    yield Row("call of 65536", lambda: called(65536), "segv-exec", "call-through-bad-pointer", "may be mapped")
    yield Row("return to 0", lambda: returned(0), "return-to-null", "return-to-null", "slot 0, no call")
    yield Row("0 with a return address on top", lambda: went(0, words={SP: CALL_SITE}, rax=0),
              "segv-null", "call-to-null", "a direct call went elsewhere: not a return either")
    yield Row("NULL minus 8", lambda: failed("488b47f8", fault_at((1 << 64) - 8), rdi=0),
              "segv-near-null", "near-null", "a base of 0 and a displacement")
    yield Row("NULL plus 1 MiB", lambda: failed("488b8700001000", fault_at(MIB), rdi=0),
              "segv-near-null", "near-null", "a member of a huge struct")
    yield Row("0 as an index", lambda: failed("488b0c07", fault_at(WILD), rdi=0, rax=WILD),
              "segv-wild", "wild-read", "base 0 with an index: the index is the pointer")

    # Control in memory that may not be executed.
    for how, make, symptom in (
        ("call", called, "call-through-bad-pointer"), ("jump", jumped, "jump-to-data"),
        ("return", returned, "return-to-garbage"),
    ):
        yield Row(f"{how} to the heap", lambda make=make: make(NX, died=fault_at(NX, ACCERR)),
                  "segv-exec", symptom, "SEGV_ACCERR at rip: a fetch")
        yield Row(f"{how} to nothing", lambda make=make: make(WILD), "segv-exec", symptom,
                  "SEGV_MAPERR at rip: a fetch")
        guard = closed(END, 4096)
        yield Row(f"{how} to a guard", lambda make=make, guard=guard: make(
            guard.start, died=fault_at(guard.start, ACCERR), extra_regions=[guard]),
            "segv-exec", symptom, "a fetch is no read")
        yield Row(f"{how} to 2^60", lambda make=make: make(1 << 60 | 0x1230), "segv-noncanonical",
                  symptom, "Intel: #GP at the target")
        yield Row(f"{how} below the stack", lambda make=make: make(STACK - 16), "segv-exec", symptom,
                  "a fetch runs out of no stack")

    # Stacks and guards.
    for size in (4, 16, 32, 36, 64, 256, 1024):
        guard = closed(END, size * KIB)
        for offset in (0, size * KIB - 8):
            yield Row(f"read {offset} bytes into a guard of {size} KiB",
                      lambda guard=guard, offset=offset: load(
                          guard.start + offset, code=ACCERR, extra_regions=[guard]),
                      "segv-guard", "guard-page", "beside memory, at most 1 MiB")
    large = closed(END, 1028 * KIB)
    yield Row("the start of 1028 KiB without permissions",
              lambda: load(large.start + 8, code=ACCERR, extra_regions=[large]), "segv-wild",
              "past-the-end", "a reservation, 8 bytes behind memory")
    yield Row("the middle of 1028 KiB without permissions",
              lambda: load(large.start + 500 * KIB, code=ACCERR, extra_regions=[large]), "segv-wild",
              "reserved-memory", "a reservation")
    alone = closed(0x6000_0000_0000, 8192)
    yield Row("a closed mapping alone", lambda: load(alone.start + 8, code=ACCERR, extra_regions=[alone]),
              "segv-wild", "reserved-memory", "nothing beside it to guard")
    for below in (8, 4096, 65536):
        yield Row(f"push {below} bytes below the stack", lambda below=below: failed(
            PUSH, fault_at(STACK - below), rsp=STACK - below + 8), "segv-stack-overflow",
            "stack-overflow", "rsp at the stack's end")
    yield Row("far below the stack, rsp at its end", lambda: store(STACK - 65544, rsp=STACK + 8),
              "segv-wild", "wild-write", "more than 64 KiB away and above no frame")
    yield Row("below the stack, rsp far above", lambda: store(STACK - 16, rsp=STACK + 0x100000 + 8),
              "segv-wild", "wild-write", "rsp says nothing of an overflow")
    for size in (4, 64, 256, 4096, 8 * 1024):
        guard = closed(STACK - size * KIB, size * KIB)
        for deep in (8, size * KIB // 2):
            yield Row(f"{deep} bytes into a stack's guard of {size} KiB, by rsp",
                      lambda guard=guard, deep=deep: failed(
                          PUSH, fault_at(STACK - deep, ACCERR), rsp=STACK - deep + 8,
                          extra_regions=[guard]),
                      "segv-stack-overflow", "stack-overflow", "a thread's guard has any size")
    far = closed(STACK - 256 * KIB, 256 * KIB)
    yield Row("a stack's guard through a pointer", lambda: store(
        STACK - 8, code=ACCERR, rsp=STACK + STACK_SIZE + 100 * KIB, extra_regions=[
            far, Region(STACK + STACK_SIZE, STACK + MIB, "rw-", None, 0, 0)]),
        "segv-guard", "guard-page", "rsp is nowhere near the end")
    # sub $0x1800000,%rsp is 48 81 ec 00 00 80 01; sub %rax,%rsp is 48 29 c4.
    base = STACK + 0x5000
    yield Row("one frame of variable size", lambda: in_prologue("4829c4", 20 * MIB, STACK - 20 * MIB - 8,
              rbp=base), "segv-stack-overflow", "stack-overflow", "rbp is still in the stack")
    guard = closed(STACK - 4 * KIB, 4 * KIB)
    beneath = Region(STACK - 260 * KIB, guard.start, "rw-", None, 0, 0)
    for frame, what in ((base, "stack-overflow"), (beneath.start + 0x3000, "guard-page")):
        yield Row(f"its guard, rsp in memory beneath it, rbp at {frame:#x}", lambda frame=frame: store(
            STACK - 8, code=ACCERR, rsp=beneath.start + 0x2000, rbp=frame, extra_regions=[beneath, guard]),
            f"segv-{what.replace('-page', '')}", what, "the frame began in the stack above the guard, or did not")
    yield Row("rsp damaged: one bit puts it back", lambda: failed(
        PUSH, fault_at((SP ^ (1 << 28)) - 8), rsp=SP ^ (1 << 28), rbp=SP + 64),
        "segv-wild", "bad-stack-pointer", "no code took that much from rsp")
    yield Row("push with rsp 0", lambda: failed(PUSH, fault_at((1 << 64) - 8), rsp=0), "segv-wild",
              "bad-stack-pointer", "-8: the kernel's half")
    yield Row("pop with rsp 0", lambda: failed(POP, fault_at(0), rsp=0), "segv-null",
              "bad-stack-pointer", "no pointer was followed")
    yield Row("pop from a wild rsp", lambda: failed(POP, fault_at(WILD & ~7), rsp=WILD & ~7),
              "segv-wild", "bad-stack-pointer", "no stack there")
    yield Row("pop from a rsp that is no address", lambda: failed(
        POP, crash(7, 128, 0), rsp=0x4321_A000_1234_5678), "segv-noncanonical", "bad-stack-pointer",
        "#SS: SIGBUS with SI_KERNEL")
    yield Row("no room for a handler", lambda: failed(PUSH, PROTECTION, rsp=STACK), "segv-stack-overflow",
              "stack-overflow", "force_sigsegv(): SI_KERNEL, the registers of the fault")

    # The map.
    readable = Region(0x6000_0000_0000, 0x6000_0001_0000, "r--", None, 0, 0)
    for make, what in ((store, "with its text"), (lambda at, **m: unread(at, ACCERR, extra_regions=[readable]), "unread")):
        yield Row(f"write to r--, {what}", lambda make=make: make(
            readable.start, code=ACCERR, extra_regions=[readable]), "segv-wild", "write-to-read-only",
            "SEGV_ACCERR where reads are granted")
    yield Row("write to r-x", lambda: store(TEXT + 8, code=ACCERR), "segv-wild", "write-to-read-only", "text")
    yield Row("read of rw-, as the map is", lambda: load(GOOD), "segv-wild", "mapping-changed",
              "mapped since, or another thread closed it for a moment")
    for distance in (0, 4096, 65536):
        yield Row(f"read {distance} bytes behind a mapping", lambda distance=distance: load(
            HEAP + HEAP_SIZE + distance), "segv-wild", "past-the-end", "at most 64 KiB")
    yield Row("read 65544 bytes behind", lambda: load(HEAP + HEAP_SIZE + 65544), "segv-wild", "wild-read", "")
    yield Row("wild read", lambda: load(WILD), "segv-wild", "wild-read", "nothing near")
    yield Row("wild write", lambda: store(WILD), "segv-wild", "wild-write", "nothing near")
    yield Row("wild, unread", lambda: unread(WILD), "segv-wild", "wild-access", "r or w is not told")
    for at in (0xFFFF_8880_0000_1230, 0xFFFF_FFFF_8100_0000):
        yield Row(f"read of {at:#x}", lambda at=at: load(at), "segv-wild", "wild-read", "the kernel's half")
    for at in (1 << 47 | 8, 0x8000_1234_1234_1230, 0x0020_7ABC_1234_5678):
        yield Row(f"read of {at:#x}", lambda at=at: load(at), "segv-noncanonical", "non-canonical", "#GP")
    yield Row("by fs", lambda: failed("64488b07", fault_at(FS_BASE + 0x7000_0000), rdi=0x7000_0000),
              "segv-wild", "wild-read", "a thread's variable far away")

    # si_code values that have names of their own.
    yield Row("SEGV_PKUERR", lambda: store(GOOD, code=4), "segv-protection-key", "protection-key", "code 4")
    yield Row("SEGV_CPERR", lambda: failed("c3", fault_at(0, 10)), "segv-shadow-stack", "shadow-stack", "#CP")
    yield Row("misaligned vector", lambda: failed("0f2907", PROTECTION, rdi=HEAP + 8), "segv-misaligned",
              "misaligned-access", "#GP without an address")
    yield Row("BUS_ADRALN", lambda: failed(LOAD, crash(7, 1, 0), rdi=HEAP + 1), "segv-misaligned",
              "misaligned-access", "#AC: its address is 0 and means nothing")
    yield Row("hlt", lambda: failed("f4", PROTECTION), "segv-privileged", "privileged-instruction", "#GP")
    yield Row("#GP without a reason", lambda: failed(LOAD, PROTECTION, rdi=HEAP), "segv-protection",
              "protection-fault", "its operand is fine: force_sigsegv() in kernel/signal.c")
    yield Row("a handler without a stack", lambda: failed("0f05", PROTECTION), "segv-protection",
              "protection-fault", "syscall makes no fault: force_sigsegv()")
    for code, category in ((2, "bus-adrerr"), (3, "bus-adrerr"), (4, "bus-memerr"), (5, "bus-memerr")):
        yield Row(f"SIGBUS {code}", lambda code=code: failed(LOAD, crash(7, code, HEAP), rdi=HEAP), category,
                  "bus-error", "BUS_ADRERR, BUS_OBJERR, BUS_MCEERR_AR, BUS_MCEERR_AO")
    for code in range(1, 9):
        yield Row(f"SIGFPE {code}", lambda code=code: failed("f7f1", crash(8, code, PC)), "fpe", "arithmetic",
                  "FPE_INTDIV to FPE_FLTSUB")
    for code in (1, 2, 5):
        yield Row(f"SIGILL {code}", lambda code=code: failed("0f0b", crash(4, code, PC)), "ill",
                  "illegal-instruction", "ILL_ILLOPC, ILL_ILLOPN, ILL_PRVOPC")
    for code in (1, 2, 4, 128):
        yield Row(f"SIGTRAP {code}", lambda code=code: failed("cc", crash(5, code, 0)), "trap", "trap",
                  "TRAP_BRKPT, TRAP_TRACE, TRAP_HWBKPT, int3")

    # Signals that were sent.
    for signo, name in ((11, "SIGSEGV"), (7, "SIGBUS"), (8, "SIGFPE"), (4, "SIGILL"), (3, "SIGQUIT")):
        for code in (0, -1, -6):
            yield Row(f"{name} with {code} by itself", lambda signo=signo, code=code: sent(signo, code, PID, HEAP),
                      f"raised:{name}", "signal-sent", "SI_USER, SI_QUEUE, SI_TKILL: no address")
            yield Row(f"{name} with {code} by another", lambda signo=signo, code=code: sent(signo, code, 77, HEAP),
                      "killed-external", "signal-sent", "the sender is not this process")
    yield Row("SIGABRT by another", lambda: sent(6, 0, 77), "killed-external", "signal-sent", "no abort()")
    yield Row("SI_TIMER", lambda: sent(3, -2, 77), "raised:SIGQUIT", "signal-sent", "77 is a timer's number")
    yield Row("SIGXCPU", lambda: sent(24, 128), "limit:cpu", "limit-reached", "RLIMIT_CPU")
    yield Row("SIGXFSZ", lambda: sent(25, 0, PID), "limit:file-size", "limit-reached", "RLIMIT_FSIZE")
    yield Row("SIGXFSZ by another", lambda: sent(25, 0, 77), "killed-external", "signal-sent", "kill -XFSZ")
    yield Row("SIGQUIT of the terminal", lambda: sent(3, 128), "killed-external", "signal-sent", "SI_KERNEL")
    yield Row("SYS_SECCOMP", lambda: sent(31, 1), "seccomp", "refused-call", "SECCOMP_RET_KILL")

    # Texts of glibc.
    for text, category, symptom in (
        ("p: e.c:2: f: Assertion `n > 0' failed.\n", "abort-assert", "abort-assert"),
        ("free(): invalid pointer\n", "abort-malloc:free-invalid-pointer", "abort-malloc"),
        ("free(): double free detected in tcache 2\n", "abort-malloc:free-double-free-detected-in-tcache-2",
         "abort-double-free"),
        ("double free or corruption (fasttop)\n", "abort-malloc:double-free-or-corruption-fasttop",
         "abort-double-free"),
        ("double free or corruption (out)\n", "abort-malloc:double-free-or-corruption-out", "abort-malloc"),
        ("double free or corruption (!prev)\n", "abort-malloc:double-free-or-corruption-prev", "abort-malloc"),
        ("corrupted size vs. prev_size\n", "abort-malloc:corrupted-size-vs-prev-size", "abort-malloc"),
        ("malloc(): corrupted top size\n", "abort-malloc:malloc-corrupted-top-size", "abort-malloc"),
        ("malloc(): unaligned tcache chunk detected\n",
         "abort-malloc:malloc-unaligned-tcache-chunk-detected", "abort-malloc"),
        ("*** stack smashing detected ***: terminated\n", "abort-fortify", "abort-stack-smashing"),
        ("*** buffer overflow detected ***: terminated\n", "abort-fortify", "abort-fortify"),
    ):
        yield Row(text.strip(), lambda text=text: message(text), category, symptom, "__abort_msg")

# fmt: on


ROWS = tuple(_rows())
