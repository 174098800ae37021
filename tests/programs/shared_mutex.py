# SPDX-License-Identifier: Apache-2.0
"""Wait for a pthread mutex in shared memory that a child holds; `robust` as the only argument.

Started by tests/support/hangs.py with the name of a function.
"""

import ctypes
import mmap
import os
import sys
import time

SHARED, ROBUST = 1, 1  # PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_ROBUST
libc = ctypes.CDLL("libpthread.so.0")
memory = mmap.mmap(-1, 4096)
mutex = ctypes.c_char.from_buffer(memory)


def settle_accounts(robust):
    attributes = ctypes.create_string_buffer(64)
    libc.pthread_mutexattr_init(attributes)
    libc.pthread_mutexattr_setpshared(attributes, SHARED)
    if robust:
        libc.pthread_mutexattr_setrobust(attributes, ROBUST)
    libc.pthread_mutex_init(ctypes.byref(mutex), attributes)
    begin, child_has_it = os.pipe()
    if os.fork() == 0:
        libc.pthread_mutex_lock(ctypes.byref(mutex))
        os.write(child_has_it, b"x")
        time.sleep(600)  # as long as anybody watches
        os._exit(0)
    os.read(begin, 1)
    with open("ready", "w") as out:
        out.write(str(os.getpid()))
    libc.pthread_mutex_lock(ctypes.byref(mutex))


if __name__ == "__main__":
    settle_accounts(sys.argv[1] == "robust")
