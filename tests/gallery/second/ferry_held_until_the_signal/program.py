# SPDX-License-Identifier: Apache-2.0
"""A ferry waits for its harbour to let it go; the harbour master sends a signal, or sets a flag."""

import multiprocessing
import os
import signal
import threading
import time

DEPARTURE = multiprocessing.Event()


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


def let_go(number, frame):
    ready()
    DEPARTURE.set()


def harbour_master():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGUSR1)


def main():
    signal.signal(signal.SIGUSR1, let_go)
    threading.Thread(target=harbour_master, daemon=True).start()
    print("waiting at the pier", flush=True)
    DEPARTURE.wait()
    print("under way")


if __name__ == "__main__":
    main()
