# SPDX-License-Identifier: Apache-2.0
"""A daemon gives all signals their default action, takes the limits of its configuration and
appends to a preallocated journal."""

import os
import resource
import signal

LIMIT = 3 << 30


def become_daemon():
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):
            pass
    os.umask(0o027)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))


class Journal:
    def __init__(self, path):
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o640)
        os.ftruncate(self.descriptor, LIMIT - 10000)
        os.lseek(self.descriptor, 0, os.SEEK_END)

    def append(self, entry):
        os.write(self.descriptor, entry)


def main():
    become_daemon()
    journal = Journal("journal")
    for number in range(1000):
        journal.append(b"%06d accepted a delivery of 40 crates\n" % number)


main()
