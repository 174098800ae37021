# SPDX-License-Identifier: Apache-2.0
"""A job object dropped from its list: its event stays unset; a reaper thread loops over jobs."""

import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Ticket:
    def __init__(self, number):
        self.number, self.done = number, threading.Event()

    def finish(self):
        self.done.set()


class Desk:
    def __init__(self):
        self.tickets = []

    def reap(self):
        while True:
            for ticket in list(self.tickets):
                if ticket.number < 0:
                    ticket.finish()
            time.sleep(4)


def main():
    desk = Desk()
    desk.tickets = [Ticket(1), Ticket(2)]
    lost = desk.tickets.pop()
    threading.Thread(target=desk.reap, daemon=True, name="reaper").start()
    tell_ready()
    lost.done.wait()


if __name__ == "__main__":
    main()
