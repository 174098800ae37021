# SPDX-License-Identifier: Apache-2.0
"""The parent used OpenMP and forked; the child enters a parallel region and waits for the threads
of the team, which fork() did not copy.
"""

import ctypes
import os
import time

library = ctypes.CDLL(os.path.abspath("scaling.so"))
library.scale_all.restype = ctypes.c_double
values = (ctypes.c_double * 100000)(*([1.0] * 100000))


def rescale():
    return library.scale_all(values, len(values), ctypes.c_double(1.5))


def main():
    rescale()
    child = os.fork()
    if child == 0:
        with open("ready.new", "w") as file:
            file.write("%d\n" % os.getpid())
        os.rename("ready.new", "ready")
        rescale()
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.5)


main()
