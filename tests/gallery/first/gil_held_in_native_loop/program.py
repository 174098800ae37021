# SPDX-License-Identifier: Apache-2.0
"""A native function waits for a condition that another Python thread should set, but it holds
the GIL: the other thread can never run.
"""

import ctypes
import os
import threading
import time

library = ctypes.PyDLL(os.path.abspath("flagged.so"))


def finish():
    time.sleep(0.3)
    library.set_flag()


def main():
    threading.Thread(target=finish, name="finisher").start()
    time.sleep(0.05)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    library.await_flag()


main()
