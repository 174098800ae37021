# SPDX-License-Identifier: Apache-2.0
"""Code for another processor: an instruction of an extension that this CPU does not have.

What the CPU has is known from the dead process. The kernel gives it CPUID's leaf 1, edx, as
AT_HWCAP. ld.so keeps every answer in `_rtld_global_ro._dl_x86_cpu_features`: kind, highest leaf,
family, model, stepping (5 words of 4 bytes), then a row for each leaf with eax, ebx, ecx and edx.
Since 2.33 after the four words of a row stand the same with the bits alone that the kernel supports
too. The place differs between releases, so it is found by AT_HWCAP. Reference: glibc
sysdeps/x86/include/cpu-features.h, 2.26 to 2.42.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent
from gdb_epi.fault.instructions import is_instruction_start
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.fault.signals import SIGILL
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import DUMPED, Target, module_at, try_read
from gdb_epi.target.auxv import AT_BASE, AT_HWCAP
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.x86 import MAX_LENGTH
from gdb_epi.x86.instruction_sets import InstructionSet, instruction_sets

LEAVES = ("1", "7", "80000001")  # the first rows, in this order
MAX_DATA = 64 << 10  # bytes of ld.so's data that are searched
_HEAD, _ROW = 5, 4  # words
_KINDS = range(1, 6)  # intel, amd, zhaoxin, other, and what may come
_MIN_LEAF, _MAX_LEAF = 1, 0x40
_EDX = 3


class CpuidLeaves(NamedTuple):
    """Rows of CPUID by leaf: (eax, ebx, ecx, edx). `active`: with the kernel's part; {} before."""

    family: int
    model: int
    rows: dict[str, tuple[int, ...]]
    active: dict[str, tuple[int, ...]]


def read_cpu_features(target: Target) -> CpuidLeaves | None:
    """Return what the CPU said; None where no ld.so of glibc wrote it down."""
    auxv = target.auxv()
    wanted, base = auxv.get(AT_HWCAP), auxv.get(AT_BASE)
    if not wanted or not base:
        return None
    loader = module_at(target, base)
    if loader is None:
        return None
    for region in target.regions():
        if not loader.start <= region.start < loader.end or "x" in region.perms:
            continue
        size = min(region.end - region.start, MAX_DATA)
        if target.provenance(region.start, size) != DUMPED:
            continue  # what the file holds, no CPU has filled in
        content = try_read(target, region.start, size & -4)
        words = struct.unpack(f"<{len(content) // 4}I", content)
        leaves = parse_cpu_features(words, wanted)
        if leaves is not None:
            return leaves
    return None


def parse_cpu_features(words: tuple[int, ...], hwcap: int) -> CpuidLeaves | None:
    """Return the features that words of 4 bytes hold, by leaf 1's edx; None without."""
    at = -1
    while True:
        try:
            at = words.index(hwcap & 0xFFFFFFFF, at + 1)
        except ValueError:
            return None
        first = at - _EDX
        head = words[max(0, first - _HEAD) : max(0, first)]
        if len(head) < _HEAD or head[0] not in _KINDS:
            continue
        if not _MIN_LEAF <= head[1] <= _MAX_LEAF or len(words) < first + 8 * len(LEAVES):
            continue
        plain, beside = words[first : first + _ROW], words[first + _ROW : first + 2 * _ROW]
        # What the kernel supports is a subset of the CPU's bits; the words of another leaf are not.
        halves = not any(b & ~a for a, b in zip(plain, beside, strict=True))
        stride = 2 * _ROW if halves else _ROW
        rows, active = {}, {}
        for number, leaf in enumerate(LEAVES):
            start = first + number * stride
            rows[leaf] = words[start : start + _ROW]
            if halves:
                active[leaf] = words[start + _ROW : start + 2 * _ROW]
        return CpuidLeaves(head[2], head[3], rows, active)


@detector(
    "missing_instruction_set", needs="crash", supports=SupportedLabel("software", "other-processor")
)
def missing_instruction_set(state: ProcessState) -> Iterator[Finding]:
    """Find an illegal instruction of an extension that the CPU said it lacks.

    Innocent causes: this is itself the ordinary explanation of SIGILL. Not said where the CPU has
    the extension, where ld.so wrote no CPUID down (musl, static programs), and in the middle of an
    instruction, where a wrong jump may have hit such bytes. A kernel that does not save the
    registers of an extension (a hypervisor, noxsave) counts as a CPU without it.
    Reference: Intel SDM volume 2, the exceptions of each instruction; AMD64 volume 6 (XOP).
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.signo != SIGILL:
        return
    if not fault.architecture.decodes:
        return
    wanted = instruction_sets(read_up_to(state.target, fault.pc, MAX_LENGTH))
    features = read_cpu_features(state.target) if wanted else None
    if features is None:
        return
    missing = next(
        (extension for extension in wanted if not _may_support(features, extension)), None
    )
    at = fault.pc
    if missing is None or not is_instruction_start(state.target, at):
        return
    facts = {
        "address": hex_word(at),
        "instruction_set": missing.name,
        "family": features.family,
        "model": features.model,
    }
    plain = f"an instruction of {missing.name} ran, which this CPU does not have"
    details = f"family {features.family:#x}, model {features.model:#x}, instruction at {at:#x}"
    subject = f"thread {fault.tid}"
    yield plain_finding("missing_instruction_set", subject, facts, plain, details)


def _may_support(features: CpuidLeaves, wanted: InstructionSet) -> bool:
    """Tell whether, as far as is known, CPU and kernel support an extension."""
    rows = [features.rows]
    if wanted.by_system and features.active:
        rows.append(features.active)
    return all(row[wanted.leaf][wanted.register] >> wanted.bit & 1 for row in rows)
