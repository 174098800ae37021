# SPDX-License-Identifier: Apache-2.0
"""The process forked while a native thread held a pthread mutex of a library; the child calls
that library and waits for ever.
"""

import ctypes
import os
import time

library = ctypes.CDLL(os.path.abspath("registry.so"))


def add_metric():
    return library.add_metric(1)


def main():
    library.start_flusher()
    time.sleep(0.15)
    pid = os.fork()
    if pid == 0:
        with open("ready.part", "w") as file:
            file.write("%d\n" % os.getpid())
        os.rename("ready.part", "ready")
        add_metric()
        os._exit(0)
    os.waitpid(pid, 0)


main()
