# SPDX-License-Identifier: Apache-2.0
"""Drawings are converted by a program; a thread waits for it, a forked process reports on it."""

import os
import subprocess
import sys
import threading
import time

CONVERTER = "import time; time.sleep(600)"


class Conversion:
    def __init__(self, drawing):
        self.drawing = drawing
        self.finished = None
        self.program = subprocess.Popen([sys.executable, "-c", CONVERTER, drawing])

    def follow(self):
        self.finished = self.program.wait()

    def status_line(self):
        return f"{self.drawing}: {self.program.wait()!r}"


def publish_status(conversion):
    """In a process of its own, so that a slow file share never holds up the service."""
    with open("ready.part", "w") as file:
        file.write(f"{os.getpid()}\n")
    os.rename("ready.part", "ready")
    line = conversion.status_line()
    with open("status.txt", "w") as file:
        file.write(line + "\n")


def main():
    conversion = Conversion("gearbox.dxf")
    follower = threading.Thread(target=conversion.follow, name="follower", daemon=True)
    follower.start()
    while not conversion.program._waitpid_lock.locked():
        time.sleep(0.01)
    reporter = os.fork()
    if reporter == 0:
        publish_status(conversion)
        os._exit(0)
    os.waitpid(reporter, 0)
    conversion.program.terminate()
    follower.join()


main()
