# SPDX-License-Identifier: Apache-2.0
"""A barrier waits for four parties; one thread died of an exception before it came there, the
other three wait.
"""

import os
import threading
import time

BARRIER = threading.Barrier(4)


def phase(number):
    if number == 2:
        raise RuntimeError("no data for party 2")
    BARRIER.wait()


def main():
    threading.excepthook = lambda *_: None
    threads = [threading.Thread(target=phase, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()


main()
