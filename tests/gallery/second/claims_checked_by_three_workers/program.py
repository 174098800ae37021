# SPDX-License-Identifier: Apache-2.0
"""Insurance claims flow through a bounded queue; three workers check them all day."""

import hashlib
import os
import queue
import threading
import time


class ClaimsOffice:
    def __init__(self):
        self.inbox = queue.Queue(20)
        self.guard = threading.Lock()
        self.accepted = self.refused = 0

    def receive(self):
        """Stand in for the post: claims come in small heaps."""
        number = 0
        while True:
            for _ in range(15):
                number += 1
                self.inbox.put({"number": number, "amount": number * 37 % 900})
            time.sleep(0.03)

    def check(self, claim):
        seal = hashlib.sha256(b"%d" % claim["number"])
        for _ in range(200):
            seal.update(seal.digest())
        return claim["amount"] < 600

    def work(self):
        while True:
            claim = self.inbox.get()
            good = self.check(claim)
            with self.guard:
                self.accepted += good
                self.refused += not good
            self.inbox.task_done()
            time.sleep(0.002)

    def report(self):
        while True:
            time.sleep(0.2)
            with self.guard:
                print(self.accepted, self.refused, flush=True)


def main():
    office = ClaimsOffice()
    for number in range(3):
        threading.Thread(target=office.work, name="worker-%d" % number, daemon=True).start()
    threading.Thread(target=office.receive, name="post", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    office.report()


main()
