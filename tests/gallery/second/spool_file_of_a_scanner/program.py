# SPDX-License-Identifier: Apache-2.0
"""Pages of a scanner go through a spool file; the C library locks it while a page is written."""

import ctypes
import fcntl
import os
import threading
import time

libc = ctypes.PyDLL(None, use_errno=True)


class Spool:
    def __init__(self, path):
        self.path = path
        self.writing = threading.Event()

    def write_page(self, page):
        """Write a page; nobody reads the spool meanwhile."""
        with open(self.path, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.writing.set()
            for line in page:
                file.write(line)
                time.sleep(0.05)
            file.flush()
            fcntl.flock(file, fcntl.LOCK_UN)

    def take_page(self):
        with open(self.path, "rb") as file:
            if libc.flock(file.fileno(), fcntl.LOCK_EX):
                raise OSError(ctypes.get_errno(), self.path)
            return file.read()


def main():
    spool = Spool("page.spool")
    page = [b"%06d\n" % number for number in range(40)]
    threading.Thread(target=spool.write_page, args=(page,), name="scanner").start()
    spool.writing.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(len(spool.take_page()))


main()
