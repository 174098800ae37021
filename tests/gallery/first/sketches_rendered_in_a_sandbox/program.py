# SPDX-License-Identifier: Apache-2.0
"""Render sketches of strangers in a thread that has locked itself in."""

import ctypes
import os
import struct
import threading

libc = ctypes.CDLL(None, use_errno=True)
OPENAT = 257
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2


def lock_in():
    """From here on this thread may not open files any more."""
    steps = [
        struct.pack("=HBBI", 0x20, 0, 0, 0),
        struct.pack("=HBBI", 0x15, 0, 1, OPENAT),
        struct.pack("=HBBI", 0x06, 0, 0, 0x00000000),
        struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000),
    ]
    code = ctypes.create_string_buffer(b"".join(steps), 8 * len(steps))
    program = ctypes.create_string_buffer(struct.pack("HL", len(steps), ctypes.addressof(code)))
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if libc.prctl(SECCOMP, FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def render(sketches, done):
    lock_in()
    for sketch in sketches:
        if sketch.startswith("include "):
            with open(sketch.split()[1]) as file:
                sketch = file.read()
        done.append(len(sketch))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    done = []
    sketches = ["circle 3", "line 4 5", "include /etc/hostname", "box 1 2"]
    renderer = threading.Thread(target=render, args=(sketches, done), name="renderer")
    threading.Timer(1.0, tell).start()
    renderer.start()
    renderer.join()
    print(done)


main()
