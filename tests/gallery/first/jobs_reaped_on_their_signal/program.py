# SPDX-License-Identifier: Apache-2.0
"""A small job runner: a log shipper beside it, and jobs started as they fall due."""

import os
import signal
import threading
import time


class Runner:
    def __init__(self):
        self.ended = {}
        signal.signal(signal.SIGCHLD, self.reap)

    def reap(self, number, frame):
        """Note how each child ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, 0)
            except ChildProcessError:
                return
            self.ended[pid] = status

    def start(self, *command):
        return os.spawnvp(os.P_NOWAIT, command[0], command)

    def run_due(self, jobs):
        for due, command in jobs:
            time.sleep(due)
            print("started", self.start(*command), command, flush=True)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    runner = Runner()
    runner.start("sleep", "86400")
    threading.Timer(1.2, tell).start()
    runner.run_due([(0.1, ("true",)), (0.3, ("date",)), (0.3, ("uname", "-a")), (60, ("true",))])
    print(runner.ended)


main()
