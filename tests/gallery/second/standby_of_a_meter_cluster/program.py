# SPDX-License-Identifier: Apache-2.0
"""The second of two meter collectors: takes over when the first gives up its lease."""

import fcntl
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

log = logging.getLogger("standby")


class Lease:
    def __init__(self, path):
        self.handle = open(path, "a+")
        self.looks = 0

    def take(self):
        self.looks += 1
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def holder(self):
        self.handle.seek(0)
        return self.handle.read().strip()


def stand_by(lease, closing, every=0.5):
    """Return True once this process leads."""
    while not closing.wait(every):
        if lease.take():
            return True
        log.debug("the leader is %s", lease.holder())
    return False


def health(lease):
    while True:
        Path("health").write_text(f"standby, {lease.looks} looks, leader {lease.holder()}\n")
        time.sleep(0.7)


def main():
    leader = subprocess.Popen([sys.executable, "leader.py"], stdout=subprocess.PIPE, text=True)
    leader.stdout.readline()
    lease, closing = Lease("collector.lease"), threading.Event()
    threading.Thread(target=health, args=(lease,), name="health", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    if stand_by(lease, closing):
        print("leads now")


if __name__ == "__main__":
    main()
