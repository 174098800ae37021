# SPDX-License-Identifier: Apache-2.0
"""A print spooler writes what it does to a log on a pipe that a log collector reads."""

import ctypes
import os
import signal


def start_log(library):
    reading, writing = os.pipe()
    library.spool_log_to(writing)
    return reading


def print_all(library, jobs):
    for number, title in enumerate(jobs):
        library.spool_print(number, title.encode())


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    library = ctypes.CDLL(os.path.abspath("spool.so"))
    collector = start_log(library)
    print_all(library, ["invoice", "letter"])
    print(os.read(collector, 400))
    os.close(collector)
    print_all(library, ["poster", "label"])


main()
