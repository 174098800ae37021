# SPDX-License-Identifier: Apache-2.0
"""A souvenir shop posts its guests' cards in the background while it goes on selling."""

import json
import os
import queue
import threading

import mailbags


class PostOffice:
    def __init__(self, batch):
        self.batch = batch
        self.cards = []
        self.bags = queue.Queue()
        self.posted = []
        carrier = threading.Thread(
            target=mailbags.carry, args=(self.bags, self.posted), daemon=True
        )
        carrier.start()

    def add(self, card):
        self.cards.append(card)
        if len(self.cards) >= self.batch:
            self.send_bag()

    def send_bag(self):
        bag, self.cards = self.cards, []
        self.bags.put(bag)

    def close(self):
        self.send_bag()
        self.bags.join()

    def __del__(self):
        self.close()


office = PostOffice(20)


def main():
    for guest in range(107):
        office.add(f"greetings of guest {guest}")
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")


main()
