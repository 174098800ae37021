# SPDX-License-Identifier: Apache-2.0
"""One of several instances is elected by a lease in a file and runs the nightly batches."""

import json
import os
import sys
import threading
import time


class Lease:
    def __init__(self, path, holder, seconds):
        self.path = path
        self.holder = holder
        self.seconds = seconds

    def take(self):
        try:
            with open(self.path) as file:
                record = json.load(file)
        except FileNotFoundError:
            record = {"holder": self.holder, "until": 0.0}
        if record["holder"] != self.holder and record["until"] > time.time():
            return False
        record = {"holder": self.holder, "until": time.time() + self.seconds}
        with open(self.path + ".new", "w") as file:
            json.dump(record, file)
        os.replace(self.path + ".new", self.path)
        return True


class Candidate:
    def __init__(self, lease, batches):
        self.lease = lease
        self.batches = batches
        self.booked = []
        self.finished = threading.Event()
        self.leading = None

    def lead(self):
        for batch in self.batches:
            self.booked.append(sum(int(amount) for amount in batch["amounts"]))
        self.finished.set()

    def campaign(self):
        while not self.lease.take():
            time.sleep(2)
        self.leading = threading.Thread(target=self.lead, name="leading")
        self.leading.start()
        threading.Thread(target=self.renew, name="renewing", daemon=True).start()

    def renew(self):
        while not self.finished.is_set():
            self.lease.take()
            time.sleep(self.lease.seconds / 3)


def main():
    batches = [
        {"name": "rents", "amounts": ["820", "640", "715"]},
        {"name": "fees", "amounts": ["12", "9,50", "14"]},
        {"name": "refunds", "amounts": ["40"]},
    ]
    candidate = Candidate(Lease("batches.lease", f"node-{os.getpid()}", 15.0), batches)
    candidate.campaign()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    candidate.finished.wait()
    print(sum(candidate.booked), file=sys.stderr)


main()
