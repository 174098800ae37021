"""Quay planning of a container port: cranes, and the roster that says who drives them."""

import logging
import os
import sys
import threading

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(threadName)s %(message)s")
log = logging.getLogger("quay")


class Roster:
    def __init__(self):
        self.guard = threading.RLock()
        self.shifts = {}
        self.listeners = []

    def assign(self, crane, driver):
        with self.guard:
            self.shifts[crane.code] = driver
            for listener in self.listeners:
                listener(crane, driver)

    def driver_of(self, crane):
        with self.guard:
            return self.shifts.get(crane.code, "nobody")


class Crane:
    def __init__(self, code, roster):
        self.code = code
        self.roster = roster
        self.state_guard = threading.Lock()
        self.moves = []

    def record_driver(self, driver):
        with self.state_guard:
            self.moves.append(("driver", driver))

    def lift(self, container, before_report=lambda: None):
        with self.state_guard:
            self.moves.append(("lift", container))
            before_report()
            who = self.roster.driver_of(self)
            log.info("%s lifted %s by %s", self.code, container, who)


def plan_and_lift():
    roster = Roster()
    cranes = [Crane(f"QC{n}", roster) for n in range(1, 4)]
    for crane in cranes:
        roster.assign(crane, "Okafor")
        crane.lift("MSKU-100%s" % crane.code)
    both_inside = threading.Barrier(2)

    def tell_crane(crane, driver):
        both_inside.wait()
        crane.record_driver(driver)

    roster.listeners.append(tell_crane)
    threads = [
        threading.Thread(target=roster.assign, args=(cranes[1], "Lindqvist"), name="planner"),
        threading.Thread(
            target=cranes[1].lift, args=("TGHU-7731", both_inside.wait), name="crane-QC2"
        ),
    ]
    for thread in threads:
        thread.start()
    return threads


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threads = plan_and_lift()
    threading.Timer(1.0, announce).start()
    for thread in threads:
        thread.join()
    log.info("shift ended")


if __name__ == "__main__":
    main()
