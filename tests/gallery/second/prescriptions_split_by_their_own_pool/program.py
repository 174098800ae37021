# SPDX-License-Identifier: Apache-2.0
"""The dispensary of a clinic: prescriptions are checked item by item before they are packed."""

import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor, wait

log = logging.getLogger("dispensary")

INTERACTIONS = {("warfarin", "aspirin"), ("sildenafil", "nitroglycerin")}
PRESCRIPTIONS = {
    "R-2201": ["warfarin", "paracetamol"],
    "R-2202": ["insulin", "metformin", "aspirin"],
    "R-2203": ["amoxicillin", "ibuprofen"],
}
HANDS = 3


class Dispensary:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=HANDS, thread_name_prefix="dispense")
        self.counter_open = threading.Barrier(HANDS)
        self.packed = []

    def interacts(self, drug, others):
        return [o for o in others if (drug, o) in INTERACTIONS or (o, drug) in INTERACTIONS]

    def check_item(self, number, drug, others):
        found = self.interacts(drug, others)
        if found:
            log.warning("%s: %s with %s", number, drug, ", ".join(found))
        return not found

    def prepare(self, number, drugs):
        """Check all items of a prescription side by side, then pack it."""
        self.counter_open.wait()
        checks = [
            self.pool.submit(self.check_item, number, drug, [d for d in drugs if d != drug])
            for drug in drugs
        ]
        wait(checks)
        if all(check.result() for check in checks):
            self.packed.append(number)
            return "packed"
        return "asked back"


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    dispensary = Dispensary()
    jobs = {
        number: dispensary.pool.submit(dispensary.prepare, number, drugs)
        for number, drugs in PRESCRIPTIONS.items()
    }
    log.info("%d prescriptions taken in", len(jobs))
    announce()
    for number, job in jobs.items():
        log.info("%s: %s", number, job.result())
    dispensary.pool.shutdown()


if __name__ == "__main__":
    main()
