# SPDX-License-Identifier: Apache-2.0
"""objdump's view of instructions, to hold our decoder against."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gdb_epi.x86 import UNKNOWN_INDEX, Instruction, decode

LINE = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t(.*)$")
MEMORY = re.compile(
    r"(?:%(?P<segment>[c-gs]s):)?(?P<displacement>-?0x[0-9a-f]+)?"
    r"\((?:%(?P<base>\w+))?(?:,%(?P<index>\w+),(?P<scale>\d))?\)"
)
ABSOLUTE = re.compile(r"(?:^|[ ,*])(?:%(?P<segment>[fg]s):)?(?P<displacement>-?0x[0-9a-f]+)(?=,|$)")
READS = ("cmp", "test", "bt", "ucomi", "comi", "vucomi", "vcomi", "push", "call", "jmp", "fld",
         "fild", "fadd", "fmul", "fcom", "fsub", "fdiv", "fiadd", "fimul", "ficom", "fisub",
         "fidiv", "fbld", "frstor", "fxrstor", "xrstor", "ldmxcsr", "vldmxcsr", "mul", "imul",
         "div", "idiv", "fldcw", "fldenv", "vptest", "ptest", "lods", "scas", "clflush", "clwb",
         "vpcmp", "vptestm", "prefetch", "nop")  # fmt: skip
IMPLICIT = ("push", "pop", "ret", "call", "leave", "enter", "movs", "cmps", "stos", "lods", "scas",
            "outs", "ins", "xlat", "maskmov")  # fmt: skip
NARROW = {"eax": "rax", "ecx": "rcx", "edx": "rdx", "ebx": "rbx", "esp": "rsp", "ebp": "rbp",
          "esi": "rsi", "edi": "rdi", **{f"r{n}d": f"r{n}" for n in range(8, 16)}}  # fmt: skip


class Line(NamedTuple):
    """One instruction as objdump prints it."""

    address: int
    code: bytes
    text: str

    @property
    def mnemonic(self) -> str:
        """Return the first word that is no prefix."""
        for word in self.text.split():
            if word not in PREFIXES and not word.startswith("rex"):
                return word
        return ""


PREFIXES = {"lock", "rep", "repz", "repnz", "bnd", "notrack", "data16", "cs", "ds", "es", "ss",
            "fs", "gs", "addr32", "xacquire", "xrelease", "{evex}", "{vex}"}  # fmt: skip


def disassemble(file: Path, start: int, size: int) -> list[Line]:
    """Return what objdump says of a range of an ELF file's own addresses."""
    command = ["objdump", "-d", "-w", "-z", f"--start-address={start:#x}",
               f"--stop-address={start + size:#x}", str(file)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = []
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if match:
            text = match[3].partition("#")[0].strip()
            lines.append(Line(int(match[1], 16), bytes.fromhex(match[2]), text))
    return lines


def disagreement(line: Line) -> str | None:
    """Return what our decoder sees otherwise; None when both agree or objdump knows none."""
    if not line.mnemonic or "(bad)" in line.text or ".byte" in line.text:  # data, or cut off
        return None
    insn = decode(line.code + bytes(1))
    if insn is None:
        return "not decoded"
    if insn.length != len(line.code):
        return f"length {insn.length}, not {len(line.code)}"
    return _control(line, insn) or _operand(line, insn)


def _control(line: Line, insn: Instruction) -> str | None:
    word = line.mnemonic
    wanted = "next"
    if word.startswith("j") or word.startswith("loop"):
        wanted = "jump" if word.startswith("jmp") else "branch"
    elif word.startswith("call"):
        wanted = "call"
    elif word.startswith(("ret", "lret", "iret")):
        wanted = "return"
    elif word.startswith(("ud", "int", "hlt")):
        wanted = "trap"
    if insn.flow != wanted:
        return f"flow {insn.flow}, not {wanted}"
    if insn.target is not None and wanted in ("jump", "branch", "call"):
        operand = line.text.split()[-1] if "<" not in line.text else line.text.split()[-2]
        if int(operand, 16) != (line.address + insn.length + insn.target) & (1 << 64) - 1:
            return f"target {insn.target:#x}"
    if wanted in ("jump", "call") and "*%" in line.text:
        register = line.text.partition("*%")[2].strip()
        if insn.target_register != register:
            return f"through {insn.target_register}, not {register}"
    return None


def _operand(line: Line, insn: Instruction) -> str | None:
    ours = insn.memory
    direct = insn.target is not None or "(" in line.text
    match = MEMORY.search(line.text) or (None if direct else ABSOLUTE.search(line.text))
    if match is None:
        return f"an operand {ours} where there is none" if ours else None
    if ours is None and insn.operands and insn.operands[0].base is None:
        return None  # an absolute address of 8 bytes
    if ours is None:
        implicit = line.mnemonic.startswith(IMPLICIT)
        return None if implicit and insn.operands else "no operand"
    return _same_address(match, insn) or _same_access(line, insn, match)


def _same_address(match: re.Match[str], insn: Instruction) -> str | None:
    ours = insn.memory
    assert ours is not None
    parts = match.groupdict()
    base, index = parts.get("base"), parts.get("index")
    base, index = NARROW.get(base or "", base), NARROW.get(index or "", index)
    if index in ("riz", "eiz"):
        index = None
    wanted = (None if base in ("rip", "eip") else base, base in ("rip", "eip"))
    if (ours.base, ours.rip_relative) != wanted:
        return f"base {ours.base}, not {base}"
    explicit = insn.explicit_operand
    if explicit is not None and explicit.index_register == UNKNOWN_INDEX:
        return None  # it says that it does not know
    vector = index is not None and index[1:3] == "mm"
    if ours.index_register != (UNKNOWN_INDEX if vector else index):
        return f"index {ours.index_register}, not {index}"
    if index is not None and not vector and ours.scale != int(parts["scale"]):
        return f"scale {ours.scale}"
    displacement = int(parts["displacement"] or "0", 16)
    if (ours.displacement - displacement) % (1 << 64):
        return f"displacement {ours.displacement:#x}, not {displacement:#x}"
    segment = parts.get("segment")
    if (segment in ("fs", "gs")) != (ours.segment is not None):
        return f"segment {ours.segment}, not {segment}"
    return None


def _same_access(line: Line, insn: Instruction, match: re.Match[str]) -> str | None:
    word = line.mnemonic
    explicit = insn.explicit_operand
    if word.startswith(("lea", "nop", "prefetch", "endbr")) and not word.startswith("leave"):
        return "an access where there is none" if explicit else None
    if explicit is None:
        return "no access"
    if explicit.access is None:
        return None
    last = match.end() == len(line.text) or line.text[match.end() :].startswith("{")
    wanted = "w" if last and not word.startswith(READS) else "r"
    if word.startswith(("xchg", "cmpxchg", "bts", "btr", "btc")):
        wanted = "w"
    return None if explicit.access == wanted else f"access {explicit.access}, not {wanted}"


def disagreements(file: Path, start: int, size: int) -> Iterator[tuple[Line, str]]:
    """Yield the instructions of a range that objdump sees otherwise."""
    for line in disassemble(file, start, size):
        why = disagreement(line)
        if why:
            yield line, why
