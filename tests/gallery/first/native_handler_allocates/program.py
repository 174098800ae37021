# SPDX-License-Identifier: Apache-2.0
"""A native signal handler (a sampling profiler's) calls malloc() while the thread that it
interrupts holds malloc's lock: the thread waits for itself.
"""

import ctypes
import os


def draw_report(library):
    while True:
        library.render_all(100000)


def main():
    library = ctypes.CDLL(os.path.abspath("sampler.so"))
    library.sampler_start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    draw_report(library)


main()
