# SPDX-License-Identifier: Apache-2.0
"""What the core itself says about the machine: CPU, processor, kernel, GPU driver.

Processor: its family, model and stepping, which ld.so asked it for at start. `_rtld_global_ro`
holds a struct cpu_features (sysdeps/x86/include/cpu-features.h, glibc 2.26 to 2.43; read from 2.31,
2.36, 2.41 and 2.43): kind, max_cpuid, family, model, stepping, and CPUID's leaves. Where in
`_rtld_global_ro` differs from build to build, so the block is searched for and believed only when
the signature in leaf 1's EAX, kept elsewhere in the same struct, says the same family, model and
stepping, and when there is exactly one such place.

CPU: the one that a thread last ran on, from the area that the kernel keeps for restartable
sequences. glibc registers it for every thread since 2.35 (sysdeps/unix/sysv/linux/rseq-internal.h)
and exports where it lies relative to the thread pointer. The kernel writes it on each return to
user space (kernel/rseq.c), so it is the CPU on which the thread ran last, wherever the dump was
written.

Kernel: the running one, from the notes of the vDSO that it maps into every process. Sources:
arch/x86/entry/vdso/note.S (ELFNOTE_START(Linux, 0, "a") with LINUX_VERSION_CODE), Linux 2.6 to
6.18; include/linux/kernel.h for the code; the build-id is that of the vDSO image, which is built
with the kernel.
"""

from __future__ import annotations

import struct
from contextlib import suppress

from gdb_epi.errors import (
    NOT_APPLICABLE,
    NOT_AVAILABLE,
    UNPARSABLE,
    UNREADABLE,
    Absent,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.fault.memory_reads import read_up_to, read_word
from gdb_epi.record.redact import base_name
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.sizes import PAGE, signed_word
from gdb_epi.target import elf
from gdb_epi.target.api import DUMPED, Target, Thread, get_architecture
from gdb_epi.target.auxv import (
    AT_HWCAP,
    AT_HWCAP2,
    AT_PLATFORM,
    AT_RSEQ_FEATURE_SIZE,
    AT_SYSINFO_EHDR,
)
from gdb_epi.target.elf import base_and_headers
from gdb_epi.target.symbols import exported_address
from gdb_epi.typing_lite import NamedTuple

SPAN = 4096  # bytes of _rtld_global_ro that are examined (it has 900 to 1,100)
REACH = 512  # bytes between the block and leaf 1, on either side
KINDS = {1: "intel", 2: "amd", 3: "zhaoxin", 4: "other"}  # enum cpu_features_kind
MAX_LEAF = 0x40
HYPERVISOR = 1 << 31  # ECX of leaf 1
_BASIC = struct.Struct("<5I")  # kind, max_cpuid, family, model, stepping
_LEAF = struct.Struct("<4I")
NODE_END = 24  # struct rseq: node_id is the word at 20, valid when the feature size covers it
MAX_CPU = 1 << 16
MAX_NODE = 1 << 12
MAX_OFFSET = 1 << 20  # bytes between the thread pointer and the area
_AREA = struct.Struct("<IIQII")  # cpu_id_start, cpu_id, rseq_cs, flags, node_id
MAX_NOTES = 4096
NT_VERSION = 0  # of owner "Linux": u32 major << 16 | minor << 8 | patch (at most 255)
MAX_PLATFORM = 32
_QUIET = (NOT_APPLICABLE, NOT_AVAILABLE)  # usual on older systems; others are reported


class Processor(NamedTuple):
    """The fields of /proc/cpuinfo; `hypervisor` is CPUID's statement that this is a guest."""

    vendor: str
    family: int
    model: int
    stepping: int
    hypervisor: bool


def read_processor(target: Target) -> Processor | Absent:
    """Return what CPUID said about the processor when the program started.

    Absent with another C library, or when the block is not certain.
    """
    if not get_architecture(target).call_pushes:
        return Absent(NOT_APPLICABLE, "only x86 has CPUID")
    symbol = exported_address(target, "_rtld_global_ro")
    if symbol is None:
        return Absent(NOT_AVAILABLE, "no _rtld_global_ro: not glibc")
    region = target.region_at(symbol)
    size = min(SPAN, region.start + region.dumped - symbol) if region is not None else 0
    table = b""
    with suppress(UnreadableMemory):
        if size > 0 and target.provenance(symbol, size) == DUMPED:
            table = target.read(symbol, size)
    if not table:
        return Absent(UNREADABLE, "ld.so's data is not in the core")
    places = (_processor_at(table, at) for at in range(0, len(table) - _BASIC.size, 4))
    answers = {answer for answer in places if answer is not None}
    if len(answers) != 1:
        return Absent(UNPARSABLE, f"{len(answers)} places in ld.so's data look like CPUID's answer")
    return answers.pop()


def _processor_at(table: bytes, at: int) -> Processor | None:
    kind, leaves, family, model, stepping = _BASIC.unpack_from(table, at)
    if kind not in KINDS or not 1 <= leaves <= MAX_LEAF:
        return None
    if not 4 <= family < 0x200 or model > 0xFF or stepping > 0xF:
        return None
    low, high = max(at - REACH, 0), min(at + REACH, len(table) - _LEAF.size)
    for place in range(low, high, 4):
        signature, _, features, _ = _LEAF.unpack_from(table, place)
        if decode_cpuid_signature(signature) == (family, model, stepping):
            return Processor(KINDS[kind], family, model, stepping, bool(features & HYPERVISOR))
    return None


def decode_cpuid_signature(eax: int) -> tuple[int, int, int]:
    """Return family, model, stepping of leaf 1's EAX (SDM volume 2, CPUID; AMD 24594)."""
    family, model, stepping = eax >> 8 & 0xF, eax >> 4 & 0xF, eax & 0xF
    if family in (0x6, 0xF):
        model |= eax >> 12 & 0xF0
    if family == 0xF:
        family += eax >> 20 & 0xFF
    return (family, model, stepping) if not eax & 0xF000C000 else (-1, -1, -1)


class LastCpu(NamedTuple):
    """The CPU number, and the NUMA node where the kernel tells it."""

    number: int
    node: int | None


def read_last_cpu(target: Target, thread: Thread) -> LastCpu | Absent:
    """Return the CPU of a thread's last return to user space.

    Absent before glibc 2.35, with other C libraries, when the area was never registered (a kernel
    or a tunable without rseq, a thread that glibc did not start), or when it is not dumped.
    """
    symbol = exported_address(target, "__rseq_offset")
    if symbol is None:
        return Absent(NOT_AVAILABLE, "no __rseq_offset: glibc before 2.35, or another C library")
    # ld.so writes the word at start; the copy in the file is 0, which is not an offset.
    word = read_word(target, symbol)
    base = thread.thread_pointer
    if word is None or not base:
        return Absent(UNREADABLE, "the offset of the rseq area is not in the core")
    offset = signed_word(word)
    if not 0 < abs(offset) < MAX_OFFSET:
        return Absent(NOT_APPLICABLE, "glibc registered no rseq area")
    area = base + offset
    try:
        if target.provenance(area, _AREA.size) != DUMPED:
            return Absent(UNREADABLE, "the rseq area is not in the core")
        start, number, _, _, node = _AREA.unpack(target.read(area, _AREA.size))
    except UnreadableMemory:
        return Absent(UNREADABLE, "the rseq area is not in the core")
    if number >= MAX_CPU or start != number:  # -1, -2: not registered, or refused
        return Absent(NOT_APPLICABLE, "the thread's rseq area is not registered")
    knows_node = target.auxv().get(AT_RSEQ_FEATURE_SIZE, 0) >= NODE_END and node < MAX_NODE
    return LastCpu(number, node if knows_node else None)


class Kernel(NamedTuple):
    """`version` is what uname -r begins with; `saturated`: a patch level of 255 or more."""

    version: str
    saturated: bool
    build_id: str | None


def read_kernel(target: Target) -> Kernel | Absent:
    """Return the kernel's version and the build-id of its vDSO.

    Absent without a vDSO (vdso=0, a core cut before it) or without its note.
    """
    start = target.auxv().get(AT_SYSINFO_EHDR)
    if not start:
        return Absent(NOT_AVAILABLE, "the core names no vDSO")
    try:
        if target.provenance(start, PAGE) != DUMPED:
            return Absent(UNREADABLE, "the vDSO is not in the core")
        image = base_and_headers(target.read(start, PAGE), start)
        if image is None:
            return Absent(UNPARSABLE, "the vDSO has no ELF header")
        base, segments = image
        code = build_id = None
        for segment in segments:
            if segment.type != elf.PT_NOTE:
                continue
            raw = target.read(base + segment.vaddr, min(segment.filesz, MAX_NOTES))
            build_id = build_id or elf.read_build_id(raw)
            for note in elf.read_notes(raw):
                if note.name == b"Linux" and note.type == NT_VERSION and len(note.desc) >= 4:
                    code = int.from_bytes(note.desc[:4], "little")
    except UnreadableMemory:
        return Absent(UNREADABLE, "the vDSO is not in the core")
    if not code:
        return Absent(NOT_AVAILABLE, "the vDSO has no version note")
    version = f"{code >> 16}.{code >> 8 & 0xFF}.{code & 0xFF}"
    return Kernel(version, code & 0xFF == 0xFF, build_id)


def _note_absence(notes: RecordNotes, subject: str, why: Absent) -> None:
    if why.reason not in _QUIET:
        notes.errors.append(SoftError("facts", subject, why.detail))


@group("cpu", order=220)
def cpu_group(parts: RecordParts, notes: RecordNotes) -> Json | None:
    """Return the CPU on which the crashed thread last returned to user space."""
    threads = parts.state.target.threads()
    if not threads:
        return None
    cpu = read_last_cpu(parts.state.target, threads[0])
    if isinstance(cpu, Absent):
        _note_absence(notes, "cpu", cpu)
        return None
    fields: Json = {"number": cpu.number, "source": "rseq"}
    return fields if cpu.node is None else {**fields, "numa_node": cpu.node}


@group("hardware", order=230)
def hardware_group(parts: RecordParts, notes: RecordNotes) -> Json | None:
    """Return the processor's signature, what the kernel says about it, and the GPU driver."""
    target = parts.state.target
    auxv = target.auxv()
    fields: Json = {}
    cpuid = read_processor(target)
    if isinstance(cpuid, Absent):
        _note_absence(notes, "hardware", cpuid)
    else:
        fields |= {**cpuid._asdict(), "source": "cpuid"}
    for name, tag in (("hwcap", AT_HWCAP), ("hwcap2", AT_HWCAP2)):
        if tag in auxv:
            fields[name] = f"{auxv[tag]:#x}"
    platform_at = auxv.get(AT_PLATFORM)
    raw = read_up_to(target, platform_at, MAX_PLATFORM).split(b"\0", 1)[0] if platform_at else b""
    if raw and raw.isascii() and raw.decode().isprintable():
        fields["platform"] = raw.decode()
    driver = gpu_driver([module.path for module in target.modules()])
    if driver:
        fields["gpu_driver"] = driver
    return fields or None


def gpu_driver(paths: list[str]) -> str | None:
    """Return the NVIDIA driver's version, which its libraries carry in their file names."""
    for path in paths:
        name, _, version = base_name(path).partition(".so.")
        numeric = "." in version and all(part.isdigit() for part in version.split("."))
        if numeric and name in ("libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler"):
            return version
    return None


@group("kernel", order=240)
def kernel_group(parts: RecordParts, notes: RecordNotes) -> Json | None:
    """Return the version of the running kernel and the build-id of its vDSO."""
    kernel = read_kernel(parts.state.target)
    if isinstance(kernel, Absent):
        _note_absence(notes, "kernel", kernel)
        return None
    fields: Json = {"version": kernel.version, "source": "vdso"}
    if kernel.saturated:
        fields["patch_at_least"] = True
    return fields | ({"vdso_build_id": kernel.build_id} if kernel.build_id else {})
