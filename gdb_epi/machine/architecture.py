# SPDX-License-Identifier: Apache-2.0
"""What is specific to one machine architecture."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.typing_lite import NamedTuple


class SignalFrameLayout(NamedTuple):
    """How the kernel lays out what it pushes before it runs a handler; offsets from its start.

    `marker` are bytes that stand in every one at `marker_at`, by which frames are found. `words`
    names the 64-bit words at `words_at`; `size`: how many of its bytes must be readable.
    """

    marker: bytes
    marker_at: int
    words: tuple[str, ...]
    words_at: int
    siginfo_at: int
    size: int


class Architecture(NamedTuple):
    """One machine.

    `registers` are named in the order of NT_PRSTATUS, as GDB names them. `ident` names the one
    that is the pthread_t of glibc, `call` the one with the number of the system call that the
    thread is in (all ones outside of any); where the machine has no such register, the target
    computes them when it reads the notes. `calls` names system calls
    that sleep by their numbers, `often_refused` others that sandboxes refuse.

    `call_pushes`: a call puts the return address on the stack; else into `link`.

    `decodes`: its instructions are known here. Without, a fault is known by the signal alone, and
    damage is not judged.
    """

    name: str
    number: int  # e_machine
    registers: tuple[str, ...]
    pc: str
    sp: str
    frame: str
    link: str | None
    ident: str
    thread_pointer: str
    call: str
    result: str
    number_in: str  # where the program puts the number of a system call
    arguments: tuple[str, ...]  # of system calls
    system_call: bytes  # the instruction
    calls: Mapping[int, str]
    often_refused: Mapping[int, str]
    general: tuple[str, ...]
    call_pushes: bool
    user_top: int  # where user space ends
    large_user_top: int  # with the largest page tables
    reports_wild: bool  # the kernel tells also an address that no page table could have
    canary_at: int | None  # after the thread pointer; the pointer guard follows
    descriptor_self: tuple[int, ...]  # where glibc's thread descriptor points at itself
    signal_frame: SignalFrameLayout
    is_call: Callable[[bytes], bool]  # whether the last of eight bytes of code are a call
    mutex_size: int  # sizeof(pthread_mutex_t) of glibc; of musl it is 40 everywhere
    decodes: bool
