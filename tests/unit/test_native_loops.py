# SPDX-License-Identifier: Apache-2.0
"""Loops of machine code that are followed: which cannot end, and which may."""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gdb_epi.errors import UnreadableMemory
from gdb_epi.hangs.native.c_library_calls import (
    argument_registers,
    function_called_before,
    returned_number_of,
)
from gdb_epi.hangs.native.native_loops import MAX_STEPS_OF_ALL, _NativeRun, find_endless_loop_from
from gdb_epi.hangs.native.native_state import LeavesLoop
from gdb_epi.x86 import REGISTERS

CODE, MEMORY = 0x1000, 0x8000
ITSELF = "eb fe"  # jmp .
POLL = "8b 07 85 c0 74 fa c3"  # mov eax, [rdi]; test eax, eax; je .-4; ret
BYTE = "80 3f 00 74 fb c3"  # cmp byte [rdi], 0; je .-3; ret
COUNTING = "48 ff c1 8b 07 85 c0 74 f7 c3"  # inc rcx; and POLL
CHAIN = "48 8b 7f 08 48 85 ff 75 f7 c3"  # mov rdi, [rdi + 8]; test rdi, rdi; jne .-7; ret
COUNTDOWN = "83 e9 01 75 fb c3"  # sub ecx, 1; jne .-3; ret
# test eax, eax; je out; mov eax, [rdi]; add rdi, 4; jmp back; out: ret
TABLE = "85 c0 74 08 8b 07 48 83 c7 04 eb f4 c3"
TO_SEVEN = "83 f8 07 7d 04 ff c0 eb f7 c3"  # cmp eax, 7; jge out; inc eax; jmp back; out: ret
TAKE = "89 d8 f0 0f b1 17 75 f8 c3"  # mov eax, ebx; lock cmpxchg [rdi], edx; jne .-6; ret
EXCHANGE = "87 07 f3 90 85 c0 75 f8 c3"  # xchg [rdi], eax; pause; test eax, eax; jne back; ret
STORE = "89 07 eb fc"  # mov [rdi], eax; jmp back


def followed(
    code: str, memory: bytes = b"", import_name: Callable[[int], str] = lambda slot: "",
    **registers: int,
) -> int | None:  # fmt: skip
    """Return where the loop begins that cannot end, from the start of the code on."""
    raw = bytes.fromhex(code)

    def read(address: int, size: int) -> bytes:
        for start, content in ((CODE, raw), (MEMORY, memory)):
            if start <= address and address + size <= start + len(content):
                return content[address - start : address - start + size]
        raise UnreadableMemory(address, size, "not there")

    loop = find_endless_loop_from(
        read, range(CODE, CODE + len(raw)), CODE, registers, [MAX_STEPS_OF_ALL], import_name
    )
    return None if loop is None else loop.start - CODE


@pytest.mark.parametrize(
    ("code", "memory", "registers"),
    [
        (ITSELF, b"", {}),
        (POLL, bytes(4), {"rdi": MEMORY}),
        (BYTE, bytes(1), {"rdi": MEMORY}),
        (COUNTING, bytes(4), {"rdi": MEMORY, "rcx": 3}),
        (CHAIN, struct.pack("<4Q", 0, MEMORY + 16, 0, MEMORY), {"rdi": MEMORY}),
        (TAKE, b"\1\0\0\0", {"rdi": MEMORY, "rbx": 0, "rdx": 1, "rax": 7}),
        (EXCHANGE, b"\1\0\0\0", {"rdi": MEMORY, "rax": 1}),
    ],
)
def test_a_loop_that_cannot_end(code: str, memory: bytes, registers: dict[str, int]) -> None:
    assert followed(code, memory, **registers) == 0


@pytest.mark.parametrize(
    ("code", "memory", "registers"),
    [
        (POLL, b"\1\0\0\0", {"rdi": MEMORY}),
        (POLL, b"", {"rdi": MEMORY}),  # not in the core
        (CHAIN, struct.pack("<4Q", 0, MEMORY + 16, 0, 0), {"rdi": MEMORY}),
        (COUNTDOWN, b"", {"rcx": 500}),
        (COUNTDOWN, b"", {}),
        (TABLE, struct.pack("<4I", 5, 5, 5, 0), {"rdi": MEMORY, "rax": 5}),
        (TO_SEVEN, b"", {"rax": 2}),
        (TAKE, bytes(4), {"rdi": MEMORY, "rbx": 0, "rdx": 1, "rax": 7}),  # the lock is free
        (EXCHANGE, bytes(4), {"rdi": MEMORY, "rax": 1}),
        (STORE, bytes(4), {"rdi": MEMORY, "rax": 1}),
    ],
)
def test_a_loop_that_may_end(code: str, memory: bytes, registers: dict[str, int]) -> None:
    assert followed(code, memory, **registers) is None


ENDS = """
#define F __attribute__((noinline))
typedef unsigned int ui;
F long gcd(long n) { long b = 360; while (b) { long t = n % b; n = b; b = t; } return n; }
F static long step(long n) { return n % 3 == 0 ? n / 3 : n - 1; }
F long calls(long n) { long c = 0; while (n > 0) { n = step(n); c++; } return c; }
F long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
F long sort(long n) {
    long a[24], h = 0;
    for (int i = 0; i < 24; i++) a[i] = n * i * 7919 % 257 - 100;
    for (int i = 1; i < 24; i++) {
        long v = a[i]; int j = i;
        while (j > 0 && a[j - 1] > v) { a[j] = a[j - 1]; j--; }
        a[j] = v;
    }
    for (int i = 0; i < 24; i++) h = h * 31 + a[i];
    return h;
}
F long root(long n) {
    double x = n, y = x;
    for (int i = 0; i < 9; i++) y = (y + x / y) / 2;
    return y * 1e6;
}
F long quarters(long n) {
    float a = 0, e = n; long c = 0;
    while (a != e) { a += .25f; c++; }
    return c;
}
F long nearest(long n) { double a = n; while (a > 0.7) a = a * 0.75 - 0.0625f; return a * 1e9; }
F long narrow(long n) { unsigned char i = 0; long s = 0; while (i < n + 90) s += i++; return s; }
F long halves(long n) { ui a = n | 1, k = 0; while (a && k < 90) { a >>= 1; k += 2; } return k; }
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("option", ["-O0", "-O2"])
def test_what_ends_comes_to_what_the_machine_makes_of_it(option: str, tmp_path: Path) -> None:
    library = tmp_path / "ends.so"
    command = ["gcc", option, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input=ENDS, text=True, check=True)
    functions, beyond = ctypes.CDLL(str(library)), 0x10  # where the first function returns to
    for name in (
        "gcd", "calls", "fib", "sort", "halves", "root", "quarters", "nearest", "narrow"
    ):  # fmt: skip
        function = getattr(functions, name)
        function.restype, function.argtypes = ctypes.c_long, [ctypes.c_long]
        start = ctypes.cast(function, ctypes.c_void_p).value or 0
        stack = ctypes.create_string_buffer(struct.pack("<Q", beyond).rjust(4096, b"\0"), 4096)
        registers = dict.fromkeys(REGISTERS, 0x1111)
        registers |= {"rdi": 11, "rsp": ctypes.addressof(stack) + 4088, "eflags": 0x202}
        run = _NativeRun(ctypes.string_at, range(start - 4096, start + 4096), start, registers)
        with pytest.raises(LeavesLoop):
            run.find_loop([MAX_STEPS_OF_ALL])
        result = run._values["rax"].number
        assert (run._at, result) == (beyond, function(11) % (1 << 64)), name


ENDLESS = """
#define F __attribute__((noinline))
typedef unsigned char byte;
F long narrow(long n) { long s = 0; for (byte i = 0; i < (unsigned)n + 256; i++) s += i; return s; }
F long past(long n) {
    float a = n * 1e6f; long c = 0;
    while (a != n + .5f) { a += .01f; c++; }
    return c;
}
F long lost(long n) { double a = n * 1e16, e = a + 1e3; while (a < e) a += .5; return a; }
F long never(long n) { double z = n - n, x = z / z; while (!(x < 1)) x = x * 2 + 1; return x; }
F long odd(long n) { while (n != 1) n = n & 1 ? 3 * n - 1 : n >> 1; return n; }
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("option", ["-O0", "-O2"])
def test_loops_whose_numbers_never_get_there(option: str, tmp_path: Path) -> None:
    library = tmp_path / "endless.so"
    command = ["gcc", option, "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input=ENDLESS, text=True, check=True)
    functions = ctypes.CDLL(str(library))
    for name in ("narrow", "past", "lost", "never", "odd"):
        start = ctypes.cast(getattr(functions, name), ctypes.c_void_p).value or 0
        stack = ctypes.create_string_buffer(struct.pack("<Q", 16).rjust(4096, b"\0"), 4096)
        registers = dict.fromkeys(REGISTERS, 0x1111)
        registers |= {"rdi": 5, "rsp": ctypes.addressof(stack) + 4088, "eflags": 0x202}
        code = range(start - 4096, start + 4096)
        loop = find_endless_loop_from(ctypes.string_at, code, start, registers, [MAX_STEPS_OF_ALL])
        assert loop is not None, name


def test_a_spin_that_yields_does_not_end_and_one_that_sleeps_may_be_a_services() -> None:
    """Cmp dword [rbx], 0; jne out; call through the slot behind the flag; jmp back; out: ret."""
    slot = MEMORY + 8
    code = f"83 3b 00 75 08 ff 15 {struct.pack('<i', slot - CODE - 11).hex()} eb f3 c3"
    for name, flag, start in (("sched_yield", 0, 0), ("sched_yield", 1, None), ("usleep", 0, None)):
        memory = struct.pack("<QQ", flag, 0x99999)
        names = {slot: name}
        assert followed(code, memory, lambda at, n=names: n.get(at, ""), rbx=MEMORY) == start, name


def test_a_loop_that_stores_a_new_value_each_turn_may_end() -> None:
    """Cmp dword [rdi], 7; je out; inc dword [rdi]; jmp back; out: ret."""
    assert followed("83 3f 07 74 04 ff 07 eb f7 c3", bytes(4), rdi=MEMORY) is None
    assert followed("83 3f 07 74 04 ff 06 eb f7 c3", bytes(8), rdi=MEMORY, rsi=MEMORY + 4) == 0


def test_what_a_loop_stored_costs_later_turns_nothing() -> None:
    """A loop that fills memory: mov [rdi], eax; add rdi, 4; cmp rdi, rdx; jne back."""
    raw = bytes.fromhex("89 07 48 83 c7 04 48 39 d7 75 f5")
    run = _NativeRun(
        lambda at, size: raw[at - CODE : at - CODE + size], range(CODE, CODE + len(raw)), CODE,
        dict.fromkeys(REGISTERS, MEMORY) | {"rdx": MEMORY << 8, "eflags": 0x202},
    )  # fmt: skip
    with pytest.raises(LeavesLoop):
        run.find_loop([4000])
    assert len(run._values) > 900
    assert len(run._registers()) == len(REGISTERS) + 1


# back: mov rdi, rbx; mov rsi, rbp; call [rip + slot]; test eax, eax; jne back; ret
SEEK = "48 89 df 48 89 ee ff 15 f4 6f 00 00 85 c0 75 f0 c3"
# back: dec ecx; jz out; mov rdi, rbx; mov rsi, rbp; call [rip + slot]; jmp back; out: ret
KEEPS_RCX = "ff c9 74 0e 48 89 df 48 89 ee ff 15 f0 6f 00 00 eb ee c3"


@pytest.mark.parametrize(
    ("code", "name", "texts", "begins"),
    [
        (SEEK, "strcmp", b"tern\0gull\0", 0),
        (SEEK, "strcmp", b"tern\0tern\0", None),  # found: it leaves
        (SEEK, "memcmp", b"tern\0gull\0", None),  # how many bytes it compares is not known
        (SEEK, "strcpy", b"tern\0gull\0", None),  # it changes memory
        (SEEK, "", b"tern\0gull\0", None),
        (SEEK, "powf", b"tern\0gull\0", None),  # what it gives in rax is not known
        (KEEPS_RCX, "strcmp", b"tern\0gull\0", None),  # any function may change rcx
    ],
)
def test_a_function_of_the_c_library_that_compares_is_followed(code, name, texts, begins) -> None:
    memory = struct.pack("<Q", 0x5000) + texts.ljust(120, b"\0")
    registers = {"rbx": MEMORY + 8, "rbp": MEMORY + 13, "rcx": 100}
    slots = {MEMORY: name}
    assert followed(code, memory, lambda slot: slots.get(slot, ""), **registers) == begins


def _reader(**parts: bytes) -> Callable[[int, int], bytes]:
    """Return who reads parts of memory by their addresses: at_1000=b"..."."""
    places = {int(name.rpartition("_")[2], 16): content for name, content in parts.items()}

    def read(address: int, size: int) -> bytes:
        for start, content in places.items():
            if start <= address and address + size <= start + len(content):
                return content[address - start : address - start + size]
        raise UnreadableMemory(address, size, "not there")

    return read


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("ff 15 fa 0f 00 00", "memcpy"),  # call [rip + 0xffa], whose end is at 0x1006
        ("90 e8 fa 00 00 00", "memcpy"),  # call of the stub at 0x1100
        ("90 e8 0a 01 00 00", ""),  # of a function of this library
        ("90 90 90 90 ff d0", ""),  # call rax
    ],
)
def test_which_function_a_call_called(code: str, name: str) -> None:
    """A thread in memcpy() changes what the loop behind it looks at: only some are passed over."""
    stub = bytes.fromhex("f3 0f 1e fa f2 ff 25 f5 0e 00 00 0f 1f 44 00 00")
    memory = bytes.fromhex(code).ljust(0x100, b"\x90") + stub + b"\xc3" * 16
    slots = {0x2000: "memcpy"}
    read = _reader(at_1000=memory)
    assert function_called_before(0x1006, read, lambda slot: slots.get(slot, "")) == name


@pytest.mark.parametrize(
    ("name", "first", "second", "gives"),
    [
        ("strlen", b"tern\0", b"", 4),
        ("strlen", b"t" * 5000 + b"\0", b"", None),
        ("strcmp", b"t" * 5000 + b"a\0", b"t" * 5000 + b"b\0", None),
        ("strcmp", b"t" * 4095 + b"\0", b"t" * 4095 + b"\0", 0),
        ("strcmp", b"a" * 5000 + b"\0", b"b" * 5000 + b"\0", 0xFFFFFFFF),
    ],
)
def test_a_text_that_goes_on_beyond_what_is_read(name, first, second, gives) -> None:
    read = _reader(at_8000=first.ljust(8192, b"\0"), at_10000=second.ljust(8192, b"\0"))
    given = dict(zip(argument_registers(name), (0x8000, 0x10000), strict=False))
    assert returned_number_of(name, given, read) == gives


def test_a_guess_counts_only_where_the_same_test_comes_out_so_again() -> None:
    """A thread in strcmp(): what it will give is not known, what the next call gives is."""
    endless = bytes.fromhex(SEEK)
    # test eax, eax; jne over; ret; over: jmp over: what was guessed is never asked again
    once = bytes.fromhex("85 c0 75 01 c3 eb fe")
    for raw, memory, loops in (
        (endless, struct.pack("<Q", 0x5000) + b"tern\0gull\0".ljust(120, b"\0"), True),
        (endless, struct.pack("<Q", 0x5000) + b"tern\0tern\0".ljust(120, b"\0"), False),
        (once, b"", False),
    ):

        def read(address: int, size: int, raw: bytes = raw, memory: bytes = memory) -> bytes:
            for start, content in ((CODE, raw), (MEMORY, memory)):
                if start <= address and address + size <= start + len(content):
                    return content[address - start : address - start + size]
            raise UnreadableMemory(address, size, "not there")

        after_call = CODE + (12 if raw is endless else 0)
        run = _NativeRun(
            read, range(CODE, CODE + len(raw)), after_call,
            {"rbx": MEMORY + 8, "rbp": MEMORY + 13}, {MEMORY: "strcmp"}.get, True,
        )  # fmt: skip
        if loops:
            assert run.find_loop([MAX_STEPS_OF_ALL]).start == CODE
        else:
            with pytest.raises((LeavesLoop, UnreadableMemory)):
                run.find_loop([MAX_STEPS_OF_ALL])
