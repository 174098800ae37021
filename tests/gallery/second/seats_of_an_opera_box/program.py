# SPDX-License-Identifier: Apache-2.0
"""A box office issues tickets, assigns seats as guests arrive and closes its till."""

import ctypes
import os
import queue
import threading
from dataclasses import dataclass


class BoxOffice:
    def __init__(self):
        library = ctypes.CDLL(os.path.abspath("boxoffice.so"))
        library.ticket_issue.argtypes = [
            ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p,
        ]  # fmt: skip
        library.ticket_issue.restype = ctypes.c_void_p
        library.ticket_assign.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        library.tickets_sum.argtypes = [ctypes.c_void_p]
        library.tickets_sum.restype = ctypes.c_long
        self.library = library
        self.newest = None
        self.by_guest = {}
        self.lock = threading.Lock()

    def issue(self, booking):
        with self.lock:
            ticket = self.library.ticket_issue(
                self.newest, booking.zone, booking.row, booking.guest.encode()
            )
            self.newest = ticket
            self.by_guest[booking.guest] = ticket

    def assign(self, guest, seat):
        with self.lock:
            self.library.ticket_assign(self.by_guest[guest], seat.encode())

    def takings(self):
        with self.lock:
            return self.library.tickets_sum(self.newest)


@dataclass
class Booking:
    guest: str
    zone: int
    row: int
    seat: str = ""


def counter(office, bookings):
    while (booking := bookings.get()) is not None:
        office.issue(booking)
        office.assign(booking.guest, booking.seat)


def evening():
    for number in range(600):
        zone, row = number % 6, number % 19
        standing = zone == 5 and row == 18
        seat = "" if standing else f"{'ABCDEF'[zone]}{row:02}-{number % 30:02}"
        yield Booking(f"guest {number:04}", zone, row, seat)


def main():
    office, bookings = BoxOffice(), queue.Queue(50)
    counters = [
        threading.Thread(target=counter, args=(office, bookings), name=f"counter-{n}")
        for n in range(3)
    ]
    for each in counters:
        each.start()
    for booking in evening():
        bookings.put(booking)
    for each in counters:
        bookings.put(None)
    for each in counters:
        each.join()
    print("takings", office.takings() / 100)


main()
