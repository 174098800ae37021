# SPDX-License-Identifier: Apache-2.0
"""Viewers of an auction, each kept by a weak reference, told when it ends."""

import json
import os
import weakref


class Viewer:
    def __init__(self, name):
        self.name = name
        self.seen = []

    def tell(self, price):
        self.seen.append(price)
        return len(self.name)


class Auction:
    def __init__(self, viewers):
        self.viewers = [weakref.ref(viewer) for viewer in viewers]
        self.bids = []

    def bid(self, price):
        self.bids.append((len(self.bids), price))
        return sum(amount for _, amount in self.bids[-20:])

    def close(self):
        told = 0
        for reference in self.viewers:
            viewer = reference()
            if viewer is not None:
                told += viewer.tell(self.bids[-1][1])
        return told


def main():
    viewers = [Viewer(f"viewer {n}") for n in range(300)]
    auction = Auction(viewers)
    place = id(auction.viewers[212]) + 16
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 4]]}) + "\n")
    input()
    total = sum(auction.bid(n * 11) for n in range(20_000))
    print(total, flush=True)
    for _ in range(20):
        total += auction.close()
        print(total, sum(len(viewer.seen) for viewer in viewers), flush=True)


main()
