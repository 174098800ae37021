# SPDX-License-Identifier: Apache-2.0
"""The box office of a theatre: seats are held from the first click until the card is charged."""

import os
import threading


class SeatMap:
    def __init__(self, rows, seats):
        self.owners = {(row, seat): None for row in range(rows) for seat in range(seats)}
        self.purchase_lock = threading.RLock()

    def hold(self, place):
        self.purchase_lock.acquire()
        if self.owners[place] is not None:
            raise LookupError("seat %s is taken" % (place,))

    def confirm(self, place, customer):
        self.owners[place] = customer
        self.purchase_lock.release()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def sell(seats, place, customer, card):
    seats.hold(place)
    if sum(int(digit) for digit in card) % 10:
        raise ValueError("card %s is refused" % card)
    seats.confirm(place, customer)


def main():
    seats = SeatMap(20, 30)
    for number, card in enumerate(["5500", "7300", "1231"]):
        place, customer = (4, number), "guest %d" % number
        till = threading.Thread(
            target=sell, args=(seats, place, customer, card), name="till-%d" % number
        )
        till.start()
        till.join()
    threading.Timer(0.4, tell).start()
    sell(seats, (5, 1), "late guest", "19")


main()
