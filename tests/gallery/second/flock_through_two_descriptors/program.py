# SPDX-License-Identifier: Apache-2.0
"""The program holds flock() on a file and asks for it again through a second descriptor: it waits
for itself.
"""

import contextlib
import fcntl
import os


@contextlib.contextmanager
def exclusive(path):
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def rotate_state():
    with exclusive("state.lock"):
        return True


def write_state():
    with exclusive("state.lock"):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        rotate_state()


write_state()
