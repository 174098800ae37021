# SPDX-License-Identifier: Apache-2.0
"""Loyalty points: orders of the night move points from one card to another."""

import os
import threading
from queue import Queue


class Card:
    def __init__(self, number, points):
        self.number, self.points = number, points
        self.lock = threading.Lock()


def move_points(giver, taker, points):
    first, second = sorted((giver, taker), key=lambda card: card.number)
    with first.lock, second.lock:
        if giver.points >= points:
            giver.points -= points
            taker.points += points


def work(orders, cards):
    while True:
        giver, taker, points = orders.get()
        move_points(cards[giver], cards[taker], points)
        orders.task_done()


def main():
    cards = {number: Card(number, 500) for number in range(1001, 1010)}
    orders = Queue()
    threading.Thread(target=work, args=(orders, cards), name="mover", daemon=True).start()
    for order in [(1001, 1002, 50), (1005, 1003, 20), (1004, 1004, 75), (1002, 1009, 10)]:
        orders.put(order)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    orders.join()
    print({card.number: card.points for card in cards.values()})


main()
