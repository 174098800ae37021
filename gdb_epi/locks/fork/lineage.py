# SPDX-License-Identifier: Apache-2.0
"""What fork keeps and exec changes: a name for a process and all its forked children.

glibc takes the stack canary and the pointer guard from the 16 random bytes that the kernel gives at
exec (AT_RANDOM; sysdeps/unix/sysv/linux/dl-osinfo.h, 2.31 to 2.42), and never changes them. 120
secret bits go into the hash, so it does not give them away; the words themselves are never stored.
"""

from __future__ import annotations

from gdb_epi.fault.memory_reads import read_u64
from gdb_epi.target.api import Target
from gdb_epi.target.auxv import exec_random
from gdb_epi.util import sha256_hex

POINTER_GUARD = 8  # bytes after the canary in tcbhead_t
_SALT = b"gdb-epi lineage/1"


def lineage(target: Target) -> str | None:
    """Return 16 hex digits that parent and child share; None when neither source is readable."""
    secret = _of_thread(target) or _of_kernel(target)
    return None if secret is None else sha256_hex(_SALT + secret)[:16]


def _of_thread(target: Target) -> bytes | None:
    threads = target.threads()
    at = threads[0].architecture.canary_at if threads else None
    base = threads[0].thread_pointer if threads else 0
    if not base or at is None:
        return None
    canary, guard = read_u64(target, base + at), read_u64(target, base + at + POINTER_GUARD)
    if not canary or not guard:
        return None
    return canary.to_bytes(8, "little") + guard.to_bytes(8, "little")


def _of_kernel(target: Target) -> bytes | None:
    raw = exec_random(target)
    # The canary's lowest byte is 0, so that no string function copies it.
    return None if raw is None else b"\0" + raw[1:]
