# SPDX-License-Identifier: Apache-2.0
"""The same addresses each time: a test must not fail by chance, nor pass by it.

Where the mappings of a program lie is chosen anew by the kernel at each start, and so is whether
two of its addresses differ in one bit. `GDB_EPI_LAYOUT=random` leaves the choice to the kernel.
"""

from __future__ import annotations

import ctypes
import os
import resource
from functools import cache

FIXED, RANDOM = "fixed", "random"
ADDR_NO_RANDOMIZE = 0x0040000  # <linux/personality.h>
ASK = 0xFFFFFFFF
STACK = 8 << 20  # bytes that a stack may grow to: it decides where mappings begin
# glibc chooses its memcpy, memset and strlen by the CPU and its caches: registers and what stacks
# hold hang on it. These names are switched off where a version knows them; SSE2 is everywhere.
ONE_CPU = "glibc.cpu.hwcaps=" + ",".join(
    f"-{name}"
    for name in (
        "AVX512F", "AVX512VL", "AVX512BW", "AVX2", "AVX2_Usable", "AVX", "AVX_Usable", "FMA",
        "FMA_Usable", "BMI2", "ERMS", "FSRM",
    )
)  # fmt: skip
CACHES = {"x86_data_cache_size": 0x8000, "x86_shared_cache_size": 0x100000,
          "x86_non_temporal_threshold": 0xC0000}  # fmt: skip
CHANCE = 0.001  # that a test fails by


def fix() -> bool:
    """Give the programs that this process starts from now on fixed addresses, where it may.

    They also use the same code of the C library on each CPU: which byte memmove() touches first,
    and so the address that a program dies at, hangs on that. Returns whether addresses are fixed:
    containers may forbid it (seccomp).
    """
    if os.environ.get("GDB_EPI_LAYOUT") == RANDOM:
        return False
    os.environ.update(one_cpu())
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    if soft != STACK and (hard == resource.RLIM_INFINITY or hard >= STACK):
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, hard))
    _personality(_personality(ASK) | ADDR_NO_RANDOMIZE)
    return is_fixed()


def is_fixed() -> bool:
    """Whether the programs that this process starts have fixed addresses."""
    return bool(_personality(ASK) & ADDR_NO_RANDOMIZE)


def name() -> str:
    """Return `fixed` or `random`, for the keys of what is kept."""
    return FIXED if is_fixed() else RANDOM


def one_cpu() -> dict[str, str]:
    """Return the environment in which glibc uses the same code on each CPU."""
    caches = [f"glibc.cpu.{what}={size:#x}" for what, size in CACHES.items()]
    return {"GLIBC_TUNABLES": ":".join((ONE_CPU, *caches))}


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _personality(wanted: int) -> int:
    """Set the execution domain (ASK: leave it) and return the one before; 0 where it may not."""
    return max(0, int(_libc().personality(ctypes.c_ulong(wanted))))


def most_of(count: int, rate: float) -> int:
    """Return how many of a number happen at most, at a rate, but for a chance of CHANCE."""
    left, happened, term = 1.0, 0, (1 - rate) ** count
    while left - term > CHANCE:
        left -= term
        term *= (count - happened) / (happened + 1) * rate / (1 - rate)
        happened += 1
    return happened
