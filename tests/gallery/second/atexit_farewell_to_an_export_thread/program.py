"""Nightly job of a toll road: passages are matched with contracts and billed; the work is traced."""

import contextlib
import itertools
import os
import random
import sys
import threading
import time

from exporter import BatchExporter

TARIFFS = {"car": 0.11, "van": 0.17, "lorry": 0.31}


class Tracer:
    def __init__(self, exporter):
        self.exporter = exporter
        self.identifiers = itertools.count(1)

    @contextlib.contextmanager
    def span(self, name, **attributes):
        begun = time.perf_counter()
        try:
            yield attributes
        finally:
            self.exporter.export(
                {
                    "id": next(self.identifiers),
                    "name": name,
                    "ms": round(1e3 * (time.perf_counter() - begun), 3),
                    **attributes,
                }
            )


class Collector:
    """Stands for the collector's endpoint: appends to a file."""

    def __init__(self, path):
        self.path = path

    def __call__(self, payload):
        with open(self.path, "a") as file:
            file.write(payload + "\n")


def passages(number):
    choice = random.Random(1969)
    for serial in range(number):
        yield {
            "serial": serial,
            "plate": f"{choice.choice('BKM')}-{choice.randrange(10_000):04}",
            "class": choice.choice(sorted(TARIFFS)),
            "km": round(choice.uniform(2, 80), 1),
        }


def bill(tracer, rows):
    totals = {}
    for row in rows:
        with tracer.span("passage", serial=row["serial"]) as attributes:
            amount = round(row["km"] * TARIFFS[row["class"]], 2)
            attributes["amount"] = amount
            totals[row["plate"]] = totals.get(row["plate"], 0) + amount
    return totals


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    tracer = Tracer(BatchExporter(Collector("spans.jsonl")))
    with tracer.span("night"):
        totals = bill(tracer, passages(1000))
    print(len(totals), "invoices,", round(sum(totals.values()), 2), "in total", flush=True)
    later = threading.Timer(1.5, announce)
    later.daemon = True
    later.start()
    return 0


if __name__ == "__main__":
    sys.exit(main())
