# SPDX-License-Identifier: Apache-2.0
"""A depot: the stock-taking job and the courier's job guard their data by lock files."""

import json
import os
import pathlib
import subprocess
import sys

from lockfile import locked

STOCK = pathlib.Path("stock.json")


class Courier:
    """The other job; cron starts it at the same minute."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "courier.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )

    def wait_until_booked(self):
        line = self.process.stdout.readline()
        if line.strip() != "van booked":
            raise RuntimeError("courier said %r" % line)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()


class StockTaking:
    def __init__(self, between):
        self.between = between

    def count(self):
        stock = {"pallets": 40, "crates": 212}
        STOCK.write_text(json.dumps(stock))
        return stock

    def tell_courier(self, stock):
        with locked("courier"):
            pathlib.Path("courier.json").write_text(json.dumps({"to_fetch": stock["pallets"]}))

    def run(self):
        with locked("warehouse"):
            stock = self.count()
            print("counted", stock, flush=True)
            self.between()
            self.tell_courier(stock)


def main():
    with locked("warehouse"):
        print("nobody else in the warehouse", flush=True)
    courier = Courier()
    courier.wait_until_booked()

    def between():
        courier.go_on()
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    StockTaking(between).run()
    print("done", courier.process.wait())


main()
