# SPDX-License-Identifier: Apache-2.0
"""A function of pthreads was called for a thread that has ended."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import (
    Finding,
    SupportedLabel,
    detector,
    failure_and_frames,
    hex_word,
    plain_finding,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS
from gdb_epi.fault.mapping_checks import permits
from gdb_epi.fault.own_native_code import (
    AT_FAULT,
    LINE,
    function_source_name,
    own_library_names_of_frames,
)
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import ADDRESS_BITS, HALF_MASK, PAGE

# Their first argument is the thread (pthread.h); glibc has names with more at the end for parts.
_OF_THREADS = (
    "pthread_cancel", "pthread_clockjoin", "pthread_detach", "pthread_getaffinity",
    "pthread_getattr_np", "pthread_getcpuclockid", "pthread_getname", "pthread_getschedparam",
    "pthread_join", "pthread_kill", "pthread_setaffinity", "pthread_setname",
    "pthread_setschedp", "pthread_sigqueue", "pthread_timedjoin", "pthread_tryjoin",
)  # fmt: skip
_C_LIBRARY = ("libc.", "libc-", "libpthread")
ALIGNMENT = 64  # of struct pthread (TCB_ALIGNMENT in sysdeps/x86_64/nptl/tls.h)
# Bytes of struct pthread: it begins with a tcbhead_t of 704 (sysdeps/x86_64/nptl/tls.h), which none
# of these functions reads of another thread, and has 2,304 to 2,496 (2.31 to 2.42).
FIELDS = range(704, 2560)


@detector(
    "expired_thread_id",
    needs="crash",
    supports=SupportedLabel("software", "use-after-free", root=True),
)
def expired_thread_id(state: ProcessState) -> Iterator[Finding]:
    """Find a function of pthreads that read the descriptor of a thread where no memory is.

    A thread's id is the address of its descriptor, which lies in the memory of its stack. That
    memory is unmapped some time after the thread has ended and was joined.
    Innocent causes: a flipped bit in the id of a living thread (not said where one bit makes it
    that, nor where the core does not have those ids); a number that never was an id, as that of
    the kernel: those are below 4 GiB, and 63 of 64 others are no multiple of 64; where a thread
    that was started lives, its descriptor lies at the same place of a page (stacks are whole
    pages, with the descriptor at a fixed distance from the end); another argument, into which a
    function writes its answer (its fields begin at 0).
    Reference: pthread_getcpuclockid(3), pthread_kill(3) (NOTES); nptl/allocatestack.c.
    """
    failure = failure_and_frames(state, ACCESS)
    if failure is None:
        return
    account, frames = failure
    operand, name = account.site.operand, function_source_name(frames[0]) if frames else None
    if operand is None or account.address is None or name is None:
        return
    if not frames[0].module_name.startswith(_C_LIBRARY):
        return
    if not name.lstrip("_").startswith(_OF_THREADS) or operand.index_register is not None:
        return
    id = account.fault.registers.get(str(operand.base), 0)
    if id <= HALF_MASK or id % ALIGNMENT or account.address - id not in FIELDS:
        return
    if permits(state.target.region_at(account.address), None) or id >> ADDRESS_BITS:
        return
    threads = state.target.threads()
    if any(not t.ident or (id ^ t.ident).bit_count() == 1 for t in threads):
        return
    main = account.fault.tid if isinstance(state.process, Absent) else state.process.pid
    started = [thread.ident for thread in threads if thread.tid != main]
    if started and all((id ^ other) % PAGE for other in started):
        return
    facts: dict[str, object] = {"function": name.lstrip("_"), "id": hex_word(id)}
    if not own_library_names_of_frames(frames):
        facts[AT_FAULT] = LINE
    plain = (
        f"{name.lstrip('_')}() was called with the id of a thread that has ended, whose memory was "
        "given back"
    )
    subject = f"thread {account.fault.tid}"
    yield plain_finding("expired_thread_id", subject, facts, plain, f"no memory is at {id:#x}")
