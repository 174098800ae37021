# SPDX-License-Identifier: Apache-2.0
"""The turnstiles of a ski lift, greenlets that share the few lines to the ticket computer."""

import logging
import os
import time
from collections import Counter

import gevent
from gevent.event import Event
from gevent.lock import BoundedSemaphore
from gevent.queue import Queue

log = logging.getLogger("lift")


class TicketComputer:
    """Checks a pass over one of its lines."""

    def __init__(self, lines):
        self.lines = BoundedSemaphore(lines)
        self.checked = Counter()

    def dial(self, number):
        gevent.sleep(0.01)
        if number % 50 == 49:
            gevent.sleep(2.0)
        return f"line-for-{number}"

    def check(self, number):
        self.lines.acquire()
        line = self.dial(number)
        try:
            gevent.sleep(0.01)
            self.checked[line[-1]] += 1
            return number % 7 != 0
        finally:
            self.lines.release()


class Turnstile(gevent.Greenlet):
    """Lets skiers through whose pass is good; asks no longer than a patient skier waits."""

    def __init__(self, name, skiers, computer, patience):
        super().__init__()
        self.name = name
        self.skiers = skiers
        self.computer = computer
        self.patience = patience
        self.passed = self.refused = self.unanswered = 0

    def ask(self, number):
        asking = gevent.spawn(self.computer.check, number)
        asking.join(timeout=self.patience)
        if not asking.ready():
            asking.kill()
            self.unanswered += 1
            return True
        return asking.value

    def _run(self):
        while True:
            number = self.skiers.get()
            if self.ask(number):
                self.passed += 1
            else:
                self.refused += 1


class GroupGate(gevent.Greenlet):
    """Ski schools are checked as a whole: all or none."""

    def __init__(self, computer, arrived):
        super().__init__()
        self.computer = computer
        self.arrived = arrived
        self.groups = 0

    def _run(self):
        self.arrived.wait()
        while True:
            for pupil in range(100, 110):
                self.computer.check(pupil)
            self.groups += 1
            gevent.sleep(0.5)


def heartbeat(turnstiles):
    while True:
        gevent.sleep(5)
        log.info("%s", {each.name: (each.passed, each.refused) for each in turnstiles})


def skiers_arrive(skiers, arrived):
    for number in (1, 2, 49, 3, 99, 4, 149, 5):
        skiers.put(number)
        gevent.sleep(0.05)
    gevent.sleep(0.8)
    arrived.set()


def main():
    logging.basicConfig(level=logging.INFO)
    computer = TicketComputer(lines=3)
    skiers = Queue()
    arrived = Event()
    turnstiles = [Turnstile(f"gate-{side}", skiers, computer, 0.3) for side in ("left", "right")]
    school = GroupGate(computer, arrived)
    for each in (*turnstiles, school):
        each.start()
    gevent.spawn(heartbeat, turnstiles)
    gevent.spawn(skiers_arrive, skiers, arrived)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    began = time.monotonic()
    school.join()
    log.info("closed after %.0f s", time.monotonic() - began)


if __name__ == "__main__":
    main()
