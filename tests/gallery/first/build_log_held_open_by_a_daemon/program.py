# SPDX-License-Identifier: Apache-2.0
"""A small build agent: runs the steps of a job and keeps what they print."""

import os
import subprocess
import threading
import time

from steps import STEPS


class Heartbeat(threading.Thread):
    """Tells the coordinator that the agent is there; it is asked once an hour."""

    def __init__(self):
        super().__init__(name="heartbeat", daemon=True)
        self.stopped = threading.Event()
        self.beats = 0

    def run(self):
        while not self.stopped.wait(3600):
            self.beats += 1


class Agent:
    def __init__(self, job):
        self.job = job
        self.log = []

    def run_step(self, name, command):
        began = time.monotonic()
        if name == "compile":
            self.announce()
        done = subprocess.run(
            ["/bin/sh", "-e", "-c", command],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        took = time.monotonic() - began
        self.log += ["[%s] %s" % (name, line) for line in done.stdout.splitlines()]
        if done.returncode:
            raise RuntimeError("%s failed: %s" % (name, done.stderr))
        print("step %s: %.2f s" % (name, took), flush=True)

    def announce(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    def run(self):
        for name, command in STEPS:
            self.run_step(name, command)
        return len(self.log)


def main():
    heartbeat = Heartbeat()
    heartbeat.start()
    lines = Agent("nightly-412").run()
    heartbeat.stopped.set()
    print("%d lines of log" % lines)


main()
