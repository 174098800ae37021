# SPDX-License-Identifier: Apache-2.0
# forks: {"name": "bypass-fork-without-handlers", "arguments": ["_Fork"]}
# forks: {"name": "bypass-raw-clone", "arguments": ["clone"]}
# forks: {"name": "bypass-c-fork", "arguments": ["fork"]}
# forks: {"name": "bypass-c-fork-with-gil", "arguments": ["fork with GIL"]}
"""Fork below CPython, so that none of its after-fork hooks run; the child waits for a lock."""

import ctypes
import sys
import threading

import forkbed

SYS_FORK = 57  # x86-64
lock = threading.Lock()


def hold():
    with lock:
        forkbed.park()


def take():
    with lock:
        pass


def forker(name):
    """Return a function that forks."""
    if name == "clone":
        call = ctypes.CDLL(None).syscall
        return lambda: call(SYS_FORK)
    if name == "fork with GIL":
        return ctypes.PyDLL(None).fork
    return getattr(ctypes.CDLL(None), name)


def main():
    fork = forker(sys.argv[2])
    forkbed.spawn(hold, "holder")
    forkbed.hang_in_child(take, fork=fork, bypass=True, hold="hold")


if __name__ == "__main__":
    main()
