# SPDX-License-Identifier: Apache-2.0
"""Whether a process is a forked child, and which threads it lost: found without any lock.

Each sign has a name (F1 ... F15) and is reported by it, with its reading or with why it could not
be read. "Forked" alone is a fact, not a finding: daemons and pools fork too.

A lineage names a process and all its forked children until exec. glibc takes the stack canary and
the pointer guard from the 16 random bytes that the kernel gives at exec (AT_RANDOM;
sysdeps/unix/sysv/linux/dl-osinfo.h, 2.31 to 2.42), and never changes them. 120 secret bits go into
the hash, so it does not give them away; the words themselves are never stored.
"""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.fault.memory_reads import read_u64
from gdb_epi.locks.fork.forking_calls import CHILD, find_thread_in_fork_handlers
from gdb_epi.locks.fork.signs import (
    CERTAIN,
    NO,
    YES,
    ForkSignReadings,
    parse_start_method,
    read_glibc_signs,
    read_python_signs,
)
from gdb_epi.locks.fork.vanished_threads import find_vanished_threads
from gdb_epi.locks.types import ForkEvidence, ForkSign, ThreadInForkHandlers, VanishedThreads
from gdb_epi.target.api import Target
from gdb_epi.target.auxv import read_exec_random
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import sha256_hex

POINTER_GUARD = 8  # bytes after the canary in tcbhead_t
_SALT = b"gdb-epi lineage/1"
# Each of these proves a fork by itself; F6 only when it shows a raw clone.
_PROOFS = frozenset({"F1", "F2", "F3", "F5", "F7", "F8"})


def _secret_of_thread(target: Target) -> bytes | None:
    threads = target.threads()
    at = threads[0].architecture.canary_at if threads else None
    base = threads[0].thread_pointer if threads else 0
    if not base or at is None:
        return None
    canary, guard = read_u64(target, base + at), read_u64(target, base + at + POINTER_GUARD)
    if not canary or not guard:
        return None
    return canary.to_bytes(8, "little") + guard.to_bytes(8, "little")


def _secret_of_kernel(target: Target) -> bytes | None:
    raw = read_exec_random(target)
    # The canary's lowest byte is 0, so that no string function copies it.
    return None if raw is None else b"\0" + raw[1:]


_ORDER = tuple(f"F{number}" for number in range(1, 16))


def read_fork_signs(target: Target, python: PythonState | Absent) -> ForkSignReadings:
    """Read every sign of a process."""
    reader = ForkSignReadings(target, python)
    read_glibc_signs(reader)
    read_python_signs(reader)
    _notes(reader)
    return reader


def conclude_from_signs(reader: ForkSignReadings) -> ForkEvidence:
    """Return what the readings amount to."""
    # 16 hex digits that parent and child share; None when neither source is readable.
    secret = _secret_of_thread(reader.target) or _secret_of_kernel(reader.target)
    secret_hash = None if secret is None else sha256_hex(_SALT + secret)[:16]
    if secret_hash is None:
        reader.unreadable("F14", "neither the canary nor AT_RANDOM can be read")
    else:
        reader.info("F14", f"exec lineage {secret_hash}: equal in parent and forked child", CERTAIN)
    yes = reader.saying(YES)
    forked = bool(yes & _PROOFS) or reader.raw_clone
    looked = forked or reader.state("F1") == NO or reader.state("F2") == NO
    readings = tuple(reader.readings[name] for name in _ORDER if name in reader.readings)
    return ForkEvidence(
        forked=forked if looked else None,
        depth=_depth(reader, yes, forked),
        parent_multithreaded=_was_multithreaded(reader, yes, forked=forked),
        from_main_thread=reader.from_main if forked else None,
        hooks_bypassed=_bypassed_handlers(reader, yes, forked=forked),
        in_fork_handlers=None,
        lineage=secret_hash,
        signals=tuple(ForkSign(r.name, r.says, r.sure) for r in readings if r.state == YES),
        old_tids=tuple(sorted(reader.old_tids)),
        readings=readings,
        forker_old_tid=_forker(reader, forked),
        started_by=reader.started_by,
    )


def _depth(reader: ForkSignReadings, yes: set[str], forked: bool) -> int | None:
    """Return the forks since exec: what glibc counts, and one more that it did not count."""
    uncounted = "F3" in yes or reader.raw_clone
    if reader.generation is None:
        return None
    if uncounted:
        return reader.generation + 1
    return None if forked and not reader.generation else reader.generation


def _was_multithreaded(reader: ForkSignReadings, yes: set[str], *, forked: bool) -> bool | None:
    if forked and yes & {"F2", "F3", "F5", "F8", "F9"}:
        return True
    if not forked or (forked and "F10" in yes):
        return True if forked else None
    # Every orphan stack may have been reused by threads of the child, so their absence proves
    # nothing while the lineage once had threads.
    unsure = reader.state("F2") != NO or "F15" in yes or len(reader.threads) > 1
    return None if unsure else False


def _forker(reader: ForkSignReadings, forked: bool) -> int | None:
    """Return the number that the forking thread had in the parent.

    The kernel writes the number of the thread that forked into pr_ppid, not that of its process
    (fs/binfmt_elf.c, fill_psinfo: real_parent), as long as that thread lives.
    """
    process = reader.target.process()
    if not forked:
        return None
    if reader.forker is not None or isinstance(process, Absent):
        return reader.forker
    return process.ppid if process.ppid > 1 and not reader.other_view else None


def _bypassed_handlers(reader: ForkSignReadings, yes: set[str], *, forked: bool) -> bool | None:
    if not forked:
        return None
    if "F3" in yes or "F10" in yes or reader.raw_clone:
        return True
    return False if isinstance(reader.python, PythonState) else None


def _notes(reader: ForkSignReadings) -> None:
    """F4, F12, F13: what GDB and the notes of the core say."""
    reader.info("F4", "not asked: F3 tells the same of glibc's lists")
    process = reader.target.process()
    if isinstance(process, Absent):
        reader.unreadable("F12", process.detail)
        reader.unreadable("F13", process.detail)
        return
    method = parse_start_method(reader.target)
    if method is not None:
        reader.info("F12", f"the command line is that of multiprocessing's {method}: exec came")
    else:
        reader.info("F12", "the command line is not one of multiprocessing's")
    ended = " (its parent has ended, or it is in a container)" if process.ppid == 1 else ""
    reader.info("F13", f"forked by thread {process.ppid} of its parent{ended}", CERTAIN)


def add_atfork_handlers(
    evidence: ForkEvidence, handlers: ThreadInForkHandlers | None
) -> ForkEvidence:
    """Return the evidence of a process whose handlers were looked for.

    A child that is still inside them has not bypassed them: thread states of vanished threads (F10)
    are then what has not been cleared yet.
    """
    inside = handlers is not None and handlers.when == CHILD
    bypassed = evidence.hooks_bypassed
    if inside and not any(signal.name in ("F3", "F6") for signal in evidence.signals):
        bypassed = False if evidence.forked else None
    return evidence._replace(in_fork_handlers=handlers is not None, hooks_bypassed=bypassed)


class ForkFacts(NamedTuple):
    """What is known about a fork without looking at any lock."""

    evidence: ForkEvidence
    handlers: ThreadInForkHandlers | None
    vanished: VanishedThreads
    soft_errors: tuple[SoftError, ...]


def examine_fork(target: Target, python: PythonState | Absent) -> ForkFacts:
    """Return whether this is a forked child, and which threads it lost."""
    signs = read_fork_signs(target, python)
    evidence = conclude_from_signs(signs)
    handlers = find_thread_in_fork_handlers(target, python, evidence)
    evidence = add_atfork_handlers(evidence, handlers)
    vanished = find_vanished_threads(target, python, evidence, signs.thread_objects)
    return ForkFacts(evidence, handlers, vanished, (*signs.soft_errors(), *vanished.soft_errors))
