# SPDX-License-Identifier: Apache-2.0
"""A thread that spins on a lock word: a short loop that only looks at one word.

`while (!cas(&gate, 0, 1));` is a lock that no system call tells. The loop around the thread's
instruction has no call, every access in it is to one word, which is not 0, and what writes there is
atomic; or it only reads there, and pauses (Intel SDM volume 2, PAUSE).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.fault.memory_reads import read_u32, read_up_to
from gdb_epi.target.api import Target, Thread
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.x86 import decode
from gdb_epi.x86.decode import PREFIXES
from gdb_epi.x86.instruction import BRANCH, JUMP, NEXT, Instruction

MAX_FUNCTION = 16_384  # bytes
MAX_LOOP = 24  # instructions
LOCK, REPEAT, PAUSE, EXCHANGES = 0xF0, 0xF3, 0x90, (0x86, 0x87)

Code = Sequence[tuple[int, bytes, Instruction]]  # address, bytes


def spun_on_word(target: Target, thread: Thread) -> int | None:
    """Return the address of the word for which a thread spins; None when it does not, or unknown.

    Only x86-64: other instructions are not decoded.
    """
    if thread.architecture.pc != "rip":
        return None
    word = word_tested_by_loop(_loop_around(target, thread.pc), thread.registers)
    return word if word is not None and read_u32(target, word) else None


def word_tested_by_loop(loop: Code, registers: Mapping[str, int]) -> int | None:
    """Return the address of the only word that a loop accesses, if it accesses it like a lock."""
    words: set[int | None] = set()
    atomic = pauses = writes = False
    for at, code, instruction in loop:
        prefixes = code[: next((n for n, byte in enumerate(code) if byte not in PREFIXES), 0)]
        pauses |= REPEAT in prefixes and instruction.opcode == PAUSE and not instruction.opcode_map
        operand = instruction.explicit
        if operand is None:
            continue
        words.add(operand.address({**registers, "rip": at}))
        exchanges = not instruction.opcode_map and instruction.opcode in EXCHANGES
        if LOCK in prefixes or exchanges:
            atomic = True
        else:
            writes |= operand.access != "r"
    if len(words) != 1 or writes or not (atomic or pauses):
        return None
    return words.pop()


def _loop_around(target: Target, pc: int) -> Code:
    """Return the innermost loop of a function that holds an instruction; empty without one."""
    function = FunctionBounds(target).at(pc)
    if function is None or function.end - function.start > MAX_FUNCTION:
        return ()
    code = read_up_to(target, function.start, function.end - function.start)
    body: list[tuple[int, bytes, Instruction]] = []
    at = 0
    while at < len(code):
        instruction = decode(code[at : at + 15])
        if instruction is None:
            return ()
        address = function.start + at
        body.append((address, code[at : at + instruction.length], instruction))
        at += instruction.length
        first = instruction.branches_to(function.start + at)
        if first is not None and first <= pc <= address:
            loop = [each for each in body if each[0] >= first]
            straight = all(each[2].flow in (NEXT, BRANCH, JUMP) for each in loop)
            return loop if straight and len(loop) <= MAX_LOOP else ()
    return ()
