# SPDX-License-Identifier: Apache-2.0
"""A broker values the portfolios of its customers, each customer in a process of its own."""

import multiprocessing
import os
import threading
import warnings

import quotes

PORTFOLIOS = {
    "widow-and-orphan": {"GASW": 40, "RAIL": 12},
    "speculator": {"SLOW": 900, "TULP": 3},
    "pension": {"RAIL": 1200, "BOND": 5000},
}


class Valuation:
    def __init__(self, customer):
        self.customer = customer
        self.positions = PORTFOLIOS[customer]

    def value(self):
        total = 0.0
        for symbol, number in sorted(self.positions.items()):
            total += number * quotes.quote(symbol)
        return total


def announce():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


def value_in_child(customer, results):
    """Run in the child."""
    valuation = Valuation(customer)
    announce()
    results.send((customer, valuation.value()))
    results.close()


def start_refresher():
    thread = threading.Thread(
        target=quotes.refresh_forever,
        args=(["GASW", "SLOW", "RAIL"],),
        name="refresher",
        daemon=True,
    )
    thread.start()
    quotes.asked.wait()
    return thread


def main():
    warnings.simplefilter("ignore", DeprecationWarning)
    print("RAIL is at %.2f" % quotes.quote("RAIL"))
    start_refresher()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=value_in_child, args=("pension", theirs), name="valuation")
    child.start()
    theirs.close()
    quotes.answer.set()
    customer, total = ours.recv()
    print("%s: %.2f" % (customer, total))
    child.join()


if __name__ == "__main__":
    main()
