# SPDX-License-Identifier: Apache-2.0
"""Follows the bids of an auction house; the house tells them through a native client."""

import bidding


class Ledger:
    def __init__(self):
        self.bids = []

    def note(self, lot, amount):
        self.bids.append((lot, amount))


def session(client, ledger, lots):
    watch = client.watch(ledger.note)
    for lot in range(lots):
        client.post(lot, 100 + lot * 7)
    client.deliver(lots - 2)
    client.unwatch(watch)


def titles(count):
    return [
        bytes(f"lot {number:04} oil on canvas, signed, in a carved frame", "ascii") * 2
        for number in range(count)
    ]


def main():
    client = bidding.Client()
    ledger = Ledger()
    for evening in range(3):
        session(client, ledger, 12 + evening)
        catalogue = client.catalogue(titles(80))
        print("evening", evening, len(ledger.bids), "bids,", catalogue, "bytes", flush=True)
        client.deliver(100)


if __name__ == "__main__":
    main()
