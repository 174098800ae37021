# SPDX-License-Identifier: Apache-2.0
"""The processor's family, model and stepping, which ld.so asked it for at start.

`_rtld_global_ro` holds a struct cpu_features (sysdeps/x86/include/cpu-features.h, glibc 2.26 to
2.43; read from 2.31, 2.36, 2.41 and 2.43): kind, max_cpuid, family, model, stepping, and CPUID's
leaves. Where in `_rtld_global_ro` differs from build to build, so the block is searched for and
believed only when the signature in leaf 1's EAX, kept elsewhere in the same struct, says the same
family, model and stepping, and when there is exactly one such place.
"""

from __future__ import annotations

import struct

from gdb_epi.errors import NOT_AVAILABLE, UNPARSABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.facts.symbols import exported
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import DUMPED, Target

SPAN = 4096  # bytes of _rtld_global_ro that are looked at (it has 900 to 1,100)
REACH = 512  # bytes between the block and leaf 1, on either side
KINDS = {1: "intel", 2: "amd", 3: "zhaoxin", 4: "other"}  # enum cpu_features_kind
MAX_LEAF = 0x40
HYPERVISOR = 1 << 31  # ECX of leaf 1
_BASIC = struct.Struct("<5I")  # kind, max_cpuid, family, model, stepping
_LEAF = struct.Struct("<4I")


class Processor(NamedTuple):
    """As /proc/cpuinfo has them; `hypervisor` is CPUID's word that this is a guest."""

    vendor: str
    family: int
    model: int
    stepping: int
    hypervisor: bool


def processor(target: Target) -> Processor | Absent:
    """Return what CPUID said of the processor when the program started.

    Absent with another C library, or when the block cannot be told for sure.
    """
    symbol = exported(target, "_rtld_global_ro")
    if symbol is None:
        return Absent(NOT_AVAILABLE, "no _rtld_global_ro: not glibc")
    data = _dumped(target, symbol)
    if not data:
        return Absent(UNREADABLE, "ld.so's data is not in the core")
    found = {one for at in range(0, len(data) - _BASIC.size, 4) if (one := _at(data, at))}
    if len(found) != 1:
        return Absent(UNPARSABLE, f"{len(found)} places in ld.so's data look like CPUID's answer")
    return found.pop()


def _dumped(target: Target, start: int) -> bytes:
    region = target.region_at(start)
    if region is None:
        return b""
    size = min(SPAN, region.start + region.dumped - start)
    try:
        return target.read(start, size) if size > 0 and _whole(target, start, size) else b""
    except UnreadableMemory:
        return b""


def _whole(target: Target, start: int, size: int) -> bool:
    return target.provenance(start, size) == DUMPED


def _at(data: bytes, at: int) -> Processor | None:
    kind, leaves, family, model, stepping = _BASIC.unpack_from(data, at)
    if kind not in KINDS or not 1 <= leaves <= MAX_LEAF:
        return None
    if not 4 <= family < 0x200 or model > 0xFF or stepping > 0xF:
        return None
    low, high = max(at - REACH, 0), min(at + REACH, len(data) - _LEAF.size)
    for place in range(low, high, 4):
        signature, _, features, _ = _LEAF.unpack_from(data, place)
        if decode_signature(signature) == (family, model, stepping):
            return Processor(KINDS[kind], family, model, stepping, bool(features & HYPERVISOR))
    return None


def decode_signature(eax: int) -> tuple[int, int, int]:
    """Return family, model, stepping of leaf 1's EAX (SDM volume 2, CPUID; AMD 24594)."""
    family, model, stepping = eax >> 8 & 0xF, eax >> 4 & 0xF, eax & 0xF
    if family in (0x6, 0xF):
        model |= eax >> 12 & 0xF0
    if family == 0xF:
        family += eax >> 20 & 0xFF
    return (family, model, stepping) if not eax & 0xF000C000 else (-1, -1, -1)
