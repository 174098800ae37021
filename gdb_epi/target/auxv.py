# SPDX-License-Identifier: Apache-2.0
"""The auxiliary vector: tags (include/uapi/linux/auxvec.h), and memory that two of them name."""

from __future__ import annotations

from gdb_epi.target.api import Target, try_read

AT_PHDR, AT_BASE, AT_ENTRY = 3, 7, 9
AT_PLATFORM, AT_HWCAP, AT_HWCAP2 = 15, 16, 26
AT_RANDOM = 25
AT_RSEQ_FEATURE_SIZE = 27  # Linux 6.3 and later
AT_EXECFN = 31
AT_SYSINFO_EHDR = 33
RANDOM_BYTES = 16


def read_at_random_bytes(target: Target) -> bytes | None:
    """Return the 16 bytes that the kernel gave at exec, which forked children keep; None without.

    Stack canaries come from them: nothing but a hash of them may be shown.
    """
    address = target.auxv().get(AT_RANDOM)
    raw = try_read(target, address, RANDOM_BYTES) if address else b""
    return raw if any(raw) else None


def read_arguments_and_environment(target: Target, most: int) -> bytes:
    """Return arguments and environment as the kernel laid them out; they end at AT_EXECFN.

    At most the last `most` bytes; empty when they are not in the core.
    """
    end = target.auxv().get(AT_EXECFN)
    region = target.region_at(end) if end else None
    if not end or region is None:
        return b""
    start = max(region.start, end - most)
    return try_read(target, start, end - start)
