"""Pump controllers of a waterworks run in pairs: one leads by a lease, the other looks on."""

import json
import logging
import os
import subprocess
import sys
import threading
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(process)d %(message)s")
log = logging.getLogger("pumps")
LEASE = "lease.json"


class Lease:
    def __init__(self, path, seconds):
        self.path, self.seconds = path, seconds

    def write(self, holder):
        text = json.dumps({"holder": holder, "until": time.time() + self.seconds})
        with open(f"{self.path}.{holder}", "w") as file:
            file.write(text)
        os.replace(f"{self.path}.{holder}", self.path)

    def holder(self):
        """Return who holds a lease that has not run out, or None."""
        try:
            with open(self.path) as file:
                lease = json.load(file)
        except FileNotFoundError:
            return None
        return lease["holder"] if lease["until"] > time.time() else None


class Controller:
    def __init__(self, name, lease, pause):
        self.name, self.lease, self.pause = name, lease, pause
        self.stopping = threading.Event()
        self.looks = 0

    def lead(self):
        pressure = 4.0
        while not self.stopping.wait(self.pause):
            pressure += 0.1 if pressure < 4.5 else -0.5
            self.lease.write(self.name)

    def stand_by(self):
        while not self.stopping.wait(self.pause):
            holder = self.lease.holder()
            self.looks += 1
            if holder is None:
                log.warning("%s takes over", self.name)
                return self.lead()
            if self.looks % 5 == 0:
                log.info("%s: %s leads (look %d)", self.name, holder, self.looks)


def main():
    lease = Lease(LEASE, seconds=3600)
    if sys.argv[1:] == ["leader"]:
        lease.write("pump-1")
        return Controller("pump-1", lease, 0.5).lead()
    leader = subprocess.Popen([sys.executable, os.path.abspath(__file__), "leader"])
    while lease.holder() is None:
        time.sleep(0.05)
    second = Controller("pump-2", lease, 0.4)
    threading.Timer(1.5, announce).start()
    try:
        second.stand_by()
    finally:
        leader.terminate()


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


main()
