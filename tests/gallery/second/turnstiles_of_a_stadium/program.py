# SPDX-License-Identifier: Apache-2.0
"""Counts the visitors of a stadium at its turnstiles, each in a thread."""

import threading

from turnstile import Turnstile


def crowd(turnstile, tickets):
    for ticket in tickets:
        try:
            turnstile.enter(ticket)
        except ValueError as error:
            print("sent back:", error, flush=True)


def main():
    turnstile = Turnstile(places=5000)
    gates = [
        threading.Thread(target=crowd, args=(turnstile, range(g * 500, g * 500 + 400)))
        for g in range(4)
    ]
    for gate in gates:
        gate.start()
    for gate in gates:
        gate.join()
    print("inside:", turnstile.inside(), flush=True)
    crowd(turnstile, [2001, 2002, -7, 2003])
    print("inside:", turnstile.inside(), flush=True)


if __name__ == "__main__":
    main()
