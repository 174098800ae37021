# SPDX-License-Identifier: Apache-2.0
"""The lifts of a hotel bring its guests to the breakfast room."""

import os
import threading
import time

from lifts import Call, Lift


class Hotel:
    def __init__(self, floors):
        self.floors = floors
        self.left, self.right = Lift("left", 0), Lift("right", floors)
        self.left.neighbour, self.right.neighbour = self.right, self.left
        self.brought = []

    def open(self):
        self.left.start()
        self.right.start()

    def bring(self, guest, floor):
        call = Call(floor, guest)
        lift = self.left if len(self.brought) % 2 else self.right
        lift.inbox.put(call)
        call.served.wait()
        self.brought.append(guest)


class Porter(threading.Thread):
    """Presses the button for guests with luggage."""

    def __init__(self, hotel, guests):
        super().__init__(name="porter")
        self.hotel, self.guests = hotel, guests

    def run(self):
        for guest, floor in self.guests:
            self.hotel.bring(guest, floor)
            time.sleep(0.02)


def night_clerk():
    time.sleep(1)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    hotel = Hotel(9)
    hotel.open()
    threading.Thread(target=night_clerk, name="clerk", daemon=True).start()
    porter = Porter(hotel, [("Adler", 2), ("Bock", 8), ("Cohn", 5), ("Dahl", 1), ("Ernst", 7)])
    porter.start()
    porter.join()
    print(hotel.brought)


if __name__ == "__main__":
    main()
