# SPDX-License-Identifier: Apache-2.0
"""Two threads wait for each other's end by join()."""

import os
import threading
import time

THREADS = {}


def stop_reader():
    time.sleep(0.1)
    THREADS["writer"].join()


def stop_writer():
    time.sleep(0.1)
    THREADS["reader"].join()


def main():
    THREADS["reader"] = threading.Thread(target=stop_reader)
    THREADS["writer"] = threading.Thread(target=stop_writer)
    for thread in THREADS.values():
        thread.start()
    time.sleep(0.4)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


main()
