# SPDX-License-Identifier: Apache-2.0
"""The spare computer of a signal box: takes over when the first one goes."""

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

from leadership import Leadership

LOCK = "interlocking.leader"


class StandbyReport(threading.Thread):
    """Tells each minute that this computer is there."""

    def __init__(self):
        super().__init__(name="standby-report", daemon=True)
        self.leading = threading.Event()

    def run(self):
        while not self.leading.wait(60):
            logging.info("spare is well")


class Interlocking:
    def __init__(self):
        self.routes = {}

    def operate(self):
        while True:
            route = sys.stdin.readline().split()
            self.routes[route[0]] = route[1:]


def start_first_computer():
    """For the training box both computers are processes of one machine."""
    script = Path(__file__).with_name("leadership.py")
    first = subprocess.Popen([sys.executable, script, LOCK], stdout=subprocess.PIPE)
    first.stdout.readline()
    return first


def main():
    logging.basicConfig(level=logging.INFO)
    start_first_computer()
    report = StandbyReport()
    report.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    with Leadership(LOCK).awaited():
        report.leading.set()
        Interlocking().operate()


if __name__ == "__main__":
    main()
