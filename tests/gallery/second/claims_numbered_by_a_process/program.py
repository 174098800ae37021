# SPDX-License-Identifier: Apache-2.0
"""Number the claims of an insurance company in a process of its own."""

import multiprocessing
import os
import threading

CLAIMS = ["2024-03-01;water;812.50", "2024-03-02;storm;90.00", "2024-03-02;glass;n/a"]
CLAIMS += ["2024-03-%02d;theft;%d.00" % (day, 100 + day) for day in range(3, 20)]


def number_claims(claims, numbered):
    number = 70000
    while True:
        day, kind, amount = claims.get().split(";")
        numbered.append((number, kind, float(amount)))
        number += 1
        claims.task_done()


class ClaimDesk:
    def __init__(self):
        self.context = multiprocessing.get_context("fork")
        self.claims = self.context.JoinableQueue()
        self.worker = self.context.Process(
            target=number_claims, args=(self.claims, []), name="numbering", daemon=True
        )
        self.worker.start()

    def hand_in(self, claims):
        for claim in claims:
            self.claims.put(claim)
        self.claims.join()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    desk = ClaimDesk()
    threading.Timer(1, tell).start()
    desk.hand_in(CLAIMS)


main()
