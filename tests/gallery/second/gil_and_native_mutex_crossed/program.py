# SPDX-License-Identifier: Apache-2.0
"""One thread holds a library's mutex and wants the GIL; the main thread holds the GIL and wants
that mutex.
"""

import os
import threading
import time

import logsink


def background():
    logsink.flush_all()


def write_entry():
    logsink.log_line(1)


def main():
    threading.Thread(target=background, name="flusher").start()
    time.sleep(0.05)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    write_entry()


main()
