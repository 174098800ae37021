# SPDX-License-Identifier: Apache-2.0
"""Dispatch slips of a haulage firm are still typed on a teleprinter. Behind each batch the desk tears
the paper off and checks that every slip is on it."""  # noqa: E501

import os
import sys
import textwrap

from teleprinter import Teleprinter, TypingJob

DEPOTS = ("Emden", "Leer", "Papenburg", "Meppen", "Lingen", "Rheine")
GOODS = ("bricks", "peat", "hops", "cable drums", "glass", "seed potatoes")


def slip(number):
    """Return the text of one dispatch slip."""
    here, there = DEPOTS[number % 6], DEPOTS[(number * 5 + 1) % 6]
    body = (
        f"Lorry {100 + number % 23} leaves {here} with {GOODS[number % 5]} for {there}; the driver "
        f"reports at gate {number % 4 + 1} and has the consignment note stamped before unloading."
    )
    lines = textwrap.wrap(body, 60)
    return f"SLIP {number:05d}\r\n" + "\r\n".join(lines) + "\r\n\r\n"


class Desk:
    def __init__(self, printer):
        self.printer = printer
        self.missing = []

    def print_batch(self, first, count):
        """Type a batch, then look at the paper."""
        slips = [slip(number) for number in range(first, first + count)]
        job = TypingJob(self.printer, slips)
        job.start()
        job.join()
        paper = self.printer.tear_off(job.typed)
        self.check(paper, first, count)
        return len(paper)

    def check(self, paper, first, count):
        for number in range(first, first + count):
            if f"SLIP {number:05d}" not in paper:
                self.missing.append(number)


def main(batches):
    desk = Desk(Teleprinter())
    first = 1
    for count in batches:
        if count == batches[-1]:
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
        printed = desk.print_batch(first, count)
        print(f"batch of {count}: {printed} bytes of paper", flush=True)
        first += count
    print("missing:", desk.missing or "none")
    return bool(desk.missing)


if __name__ == "__main__":
    sys.exit(main([2, 4, 900]))
