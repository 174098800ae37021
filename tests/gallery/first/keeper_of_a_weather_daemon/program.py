# SPDX-License-Identifier: Apache-2.0
"""Keeps a weather daemon running, and starts it again when it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

DAEMON = """
import time
while True:
    with open("weather.txt", "w") as board:
        board.write(time.strftime("%H:%M:%S"))
    time.sleep(0.5)
"""


class Keeper:
    def __init__(self, command):
        self.command = command
        self.child = None
        self.starts = 0

    def on_terminate(self, signum, frame):
        self.child.terminate()
        raise SystemExit(0)

    def keep(self, limit):
        while self.starts < limit:
            self.child = subprocess.Popen(self.command)
            self.starts += 1
            status = self.child.wait()
            print("weather daemon ended with", status)
            time.sleep(min(30, 2**self.starts))


def main():
    keeper = Keeper([sys.executable, "-c", DAEMON])
    signal.signal(signal.SIGTERM, keeper.on_terminate)
    Path("ready").write_text(f"{os.getpid()}\n")
    keeper.keep(limit=5)


if __name__ == "__main__":
    main()
