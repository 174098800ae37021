# SPDX-License-Identifier: Apache-2.0
"""Deaths for tests/tools/fetch_aarch64.py: `aarch64_deaths.py NAME` dies as NAME says.

They need nothing but the standard library, as they run where little else is.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import select
import signal
import sys
import threading
import time


def null_access() -> None:
    """Read at address 0 in libc, called from Python, while another thread waits for a lock."""
    guard = threading.Lock()
    guard.acquire()
    threading.Thread(target=wait_for, args=(guard,), name="waiter").start()
    time.sleep(0.5)
    outer("hello", [1, 2, 3])


def outer(greeting: str, numbers: list[int]) -> None:
    total = sum(numbers)
    inner(greeting, total)


def inner(greeting: str, total: int) -> None:
    ctypes.string_at(0)


def wait_for(guard: threading.Lock) -> None:
    guard.acquire()


def behind_handler() -> None:
    """As null_access(), with faulthandler, which raises the signal again."""
    faulthandler.enable()
    inner("hello", 6)


def wild_write() -> None:
    """Write to an address that nothing is mapped at."""
    ctypes.memset(0x4100_0000_0000, 1, 8)


def wild_call() -> None:
    """Call a function at an address that nothing is mapped at."""
    ctypes.CFUNCTYPE(None)(0x30_0000_0000)()


def aborted() -> None:
    """End by abort()."""
    os.abort()


def overflow() -> None:
    """Run the C stack over: glibc parses each parenthesis by a call of its own."""
    expression = ctypes.create_string_buffer(256)
    extended = 1
    ctypes.CDLL(None).regcomp(expression, b"(" * 2_000_000, extended)


def stuck() -> None:
    """Wait in five ways; another process ends it."""
    first, second = threading.Lock(), threading.Lock()
    reader, _writer = os.pipe()
    for target, arguments in (
        (take_both, (first, second)),
        (take_both, (second, first)),
        (read_pipe, (reader,)),
        (poll_pipe, (reader,)),
        (time.sleep, (1000,)),
    ):
        threading.Thread(target=target, args=arguments, name=target.__name__).start()
    time.sleep(0.5)
    if not os.fork():
        time.sleep(0.5)
        os.kill(os.getppid(), signal.SIGABRT)
        os._exit(0)
    threading.Event().wait()


def take_both(one: threading.Lock, other: threading.Lock) -> None:
    with one:
        time.sleep(0.2)
        with other:
            pass


def read_pipe(descriptor: int) -> None:
    os.read(descriptor, 1)


def poll_pipe(descriptor: int) -> None:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    poller.poll()


DEATHS = {
    death.__name__: death
    for death in (
        null_access, behind_handler, wild_write, wild_call, aborted, overflow, stuck,
    )
}  # fmt: skip

if __name__ == "__main__":
    with contextlib.suppress(KeyError):
        DEATHS[sys.argv[1]]()
    sys.exit(f"no such death, or it did not die: {sys.argv[1:]}")
