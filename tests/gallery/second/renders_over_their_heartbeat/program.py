# SPDX-License-Identifier: Apache-2.0
"""A supervisor of render workers: a worker that sends no heartbeat in time gets SIGABRT."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIMEOUT = 1.5


class Supervisor:
    def __init__(self, command):
        self.command = command
        self.worker = None
        self.pipe = None

    def spawn(self):
        self.pipe, theirs = os.pipe()
        self.worker = subprocess.Popen([*self.command, str(theirs)], pass_fds=[theirs])
        os.close(theirs)
        (HERE / "ready").write_text("%d\n" % self.worker.pid)

    def watch(self):
        last = time.monotonic()
        while self.worker.poll() is None:
            readable, _, _ = select.select([self.pipe], [], [], 0.1)
            if readable and os.read(self.pipe, 64):
                last = time.monotonic()
            elif time.monotonic() - last > TIMEOUT:
                print("worker", self.worker.pid, "has no heartbeat", flush=True)
                self.worker.send_signal(signal.SIGABRT)
                self.worker.wait()
        return self.worker.returncode


def main():
    supervisor = Supervisor([sys.executable, str(HERE / "render.py")])
    supervisor.spawn()
    print("worker ended with", supervisor.watch())


if __name__ == "__main__":
    main()
