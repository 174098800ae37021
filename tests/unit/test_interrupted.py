# SPDX-License-Identifier: Apache-2.0
"""The number of a system call that a signal met: a signal frame does not hold it."""

from __future__ import annotations

import pytest
from support.scenes import SP, TEXT, state

from gdb_epi.fault.signal_sender import (
    CANCELLED,
    registers_before_handler,
    threads_in_restarted_calls,
)
from gdb_epi.machine import X86_64
from gdb_epi.target.api import Thread

FUTEX, EINTR = 202, (1 << 64) - 4
CONSTANT = bytes.fromhex("b8ca0000000f05")
# Debian 13's glibc 2.41: __internal_syscall_cancel() of a process with one thread, and of one with
# several, which calls __syscall_cancel_arch().
ALONE = bytes.fromhex("488b4424100f05")
CALLER = bytes.fromhex("4989c94889f14150488b7424204989d04889fa4c89dfe878b30000")
LATER_PUSH = bytes.fromhex("4989c94889f1488b74242041504989d04889fa4c89dfe878b30000")
OVERWRITTEN = bytes.fromhex("4989c9488b742420415048c7c60000000089fa4c89dfe878b30000")


def number_at(code: bytes, *, caller: bytes = b"", place: int = 0) -> int | None:
    """Return the number behind a system call at the end of `code`; it lies at SP + `place`."""
    pc, behind = TEXT + 0x200, TEXT + 0x400
    words = {SP: behind, SP + place: FUTEX} if place else {SP: behind}
    target = state(words=words).target
    target.write(pc - len(code), code)
    target.write(behind - len(caller), caller)
    before = registers_before_handler(target, {"rip": pc, "rsp": SP, "rax": EINTR}, X86_64)
    assert before is not None
    return before.get("orig_rax")


@pytest.mark.parametrize(
    ("code", "caller", "place", "number"),
    [
        (CONSTANT, b"", 0, FUTEX),
        (ALONE, b"", 0x10, FUTEX),
        (CANCELLED, bytes(8) + CALLER, 0x28, FUTEX),
        (CANCELLED, bytes(8) + LATER_PUSH, 0x30, FUTEX),
        (CANCELLED, bytes(8) + OVERWRITTEN, 0x30, None),
        (CANCELLED, bytes(40), 0x28, None),
        (bytes(20) + X86_64.system_call, b"", 0x10, None),
        (ALONE, b"", 0x18, 0),  # read(): what the stack holds is believed
    ],
)
def test_what_the_code_before_a_call_tells(
    code: bytes, caller: bytes, place: int, number: int | None
) -> None:
    assert number_at(code, caller=caller, place=place) == number


def test_a_word_that_is_no_number_is_not_taken_for_one() -> None:
    pc = TEXT + 0x200
    target = state(words={SP + 0x10: TEXT}).target
    target.write(pc - len(ALONE), ALONE)
    before = registers_before_handler(target, {"rip": pc, "rsp": SP, "rax": EINTR}, X86_64)
    assert before is not None and "orig_rax" not in before


@pytest.mark.parametrize(("number", "name"), [(219, "futex"), (7, "poll"), ((1 << 64) - 1, None)])
def test_a_call_begun_again_is_what_the_code_before_it_says(number: int, name: str | None) -> None:
    """A hung poll() that SIGSTOP and SIGCONT had met was "healthy: a timer ends that"."""
    pc = TEXT + 0x200
    target = state().target
    target.write(pc - len(CONSTANT), CONSTANT)
    thread = Thread(7, {"rip": pc, "rsp": SP, "rax": 0, "orig_rax": number}, "prog")
    (again,) = threads_in_restarted_calls(target, [thread])
    assert again.system_call_name == name


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"rdi": SP, "rsi": 0x189, "rdx": 5}, "futex"),
        ({"rdi": SP, "rsi": 0x189, "rdx": 6}, "poll"),  # 393 descriptors
        ({"rdi": SP, "rsi": 1, "rdx": 1000}, "poll"),
        ({"rdi": 1, "rsi": 0, "rdx": SP}, "restart_syscall"),  # clock_nanosleep()
        ({"rdi": SP, "rsi": 0}, "restart_syscall"),  # nanosleep()
        ({"rdi": SP, "rsi": SP}, "restart_syscall"),
    ],
)
def test_a_call_begun_again_whose_code_is_not_here_is_what_its_arguments_are(
    arguments: dict[str, int], name: str
) -> None:
    """A wait for a condition was "asleep between two turns of a loop: nothing wrong is seen"."""
    registers = {"rip": TEXT + 0x200, "rsp": SP, "rax": 0, "orig_rax": 219, **arguments}
    (again,) = threads_in_restarted_calls(
        state(words={SP: 5}).target, [Thread(7, registers, "prog")]
    )
    assert again.system_call_name == name
