# SPDX-License-Identifier: Apache-2.0
"""Runs the members of a weather ensemble as processes and waits for the first that ends (pidfd)."""

import json
import os
import select
import subprocess
import sys
import time

MODEL = r"""
import random, sys, time
member = int(sys.argv[1])
state = [random.random() for _ in range(2000)]
end = time.time() + 600
step = 0
while time.time() < end:
    state = [0.5 * (a + b) for a, b in zip(state, state[1:] + state[:1])]
    step += 1
    if step % 200 == 0:
        with open(f"member-{member}.txt", "w") as out:
            out.write(f"{step} {sum(state)}\n")
        time.sleep(0.05)
"""


class Ensemble:
    def __init__(self, members):
        self.waiting = list(range(members))
        self.running = {}
        self.ended = {}
        self.poll = select.poll()

    def start_some(self, most):
        while self.waiting and len(self.running) < most:
            member = self.waiting.pop(0)
            process = subprocess.Popen([sys.executable, "-c", MODEL, str(member)])
            fd = os.pidfd_open(process.pid)
            self.poll.register(fd, select.POLLIN)
            self.running[fd] = (member, process, time.monotonic())

    def reap(self):
        for fd, _ in self.poll.poll():
            member, process, since = self.running.pop(fd)
            self.poll.unregister(fd)
            os.close(fd)
            self.ended[member] = (process.wait(), time.monotonic() - since)
            print("member", member, self.ended[member], flush=True)

    def run(self, most):
        while self.waiting or self.running:
            self.start_some(most)
            if not self.ended and not os.path.exists("ready"):
                with open("ready", "w") as file:
                    file.write(json.dumps({"pid": os.getpid()}) + "\n")
            self.reap()


def main():
    ensemble = Ensemble(6)
    ensemble.run(2)
    print(ensemble.ended, flush=True)


main()
