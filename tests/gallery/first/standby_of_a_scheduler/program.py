# SPDX-License-Identifier: Apache-2.0
"""The second of two schedulers: while the first holds the file, this one looks and stands by."""

import fcntl
import os
import subprocess
import sys
import threading
import time

LEADER = (
    "import fcntl, time; file = open('leader', 'a'); fcntl.flock(file, fcntl.LOCK_EX);"
    "print('leading', flush=True); time.sleep(600)"
)


class Scheduler:
    def __init__(self):
        self.file = open("leader", "a")
        self.asked_to_stop = threading.Event()
        self.looked = 0
        self.last_look = 0.0

    def is_leader(self):
        self.looked += 1
        self.last_look = time.time()
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def stand_by(self):
        while not self.is_leader():
            if self.asked_to_stop.wait(0.5):
                return

    def run_jobs(self):
        while not self.asked_to_stop.wait(1.0):
            print("jobs of this minute", flush=True)


def main():
    first = subprocess.Popen([sys.executable, "-c", LEADER], stdout=subprocess.PIPE)
    first.stdout.readline()
    scheduler = Scheduler()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    scheduler.stand_by()
    scheduler.run_jobs()


main()
