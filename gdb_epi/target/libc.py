# SPDX-License-Identifier: Apache-2.0
"""Which C library the process runs on: facts about glibc's structs do not hold for musl's."""

from __future__ import annotations

from gdb_epi.target.api import Target, get_architecture

# musl's loader is the library itself (ldso/dynlink.c); Alpine calls it libc.musl-x86_64.so.1 too.
_MUSL = ("ld-musl-", "libc.musl-")
NOT_JUDGED = "not judged: this process runs on musl, and only glibc's words are known here"
_MUSL_MUTEX = 40


def runs_on_musl(target: Target) -> bool:
    """Tell whether musl's loader or library is mapped.

    A program that is linked statically against musl maps neither, and is not recognised.
    """
    paths = {region.path for region in target.regions()}
    return any(path and path.rpartition("/")[2].startswith(_MUSL) for path in paths)


def mutex_size(target: Target) -> int:
    """Return sizeof(pthread_mutex_t), which lies by value in CPython's structs."""
    size = get_architecture(target).mutex_size
    return size if size == _MUSL_MUTEX or not runs_on_musl(target) else _MUSL_MUTEX
