# SPDX-License-Identifier: Apache-2.0
"""Turnstiles of a stadium, each a pipe; a compiled loop asks which have something to tell."""

import os
import select

import rounds


def open_gates(poll, number):
    gates = []
    for _ in range(number):
        reader, writer = os.pipe()
        poll.register(reader, select.EPOLLIN)
        gates.append((reader, writer))
    return gates


def main():
    poll = select.epoll()
    gates = open_gates(poll, 45)
    waiter = rounds.Waiter(poll.fileno())
    tickets = [(float(n), float(n) + 0.25, [n], {"gate": n}) for n in range(500)]
    waiters = [rounds.Waiter(poll.fileno()) for _ in range(40)]
    visits = [[None, n, float(n), 3, 4, 5, 6, 7, 8, 9, 10] for n in range(100)]
    for _, writer in gates[:5]:
        os.write(writer, b"1")
    print(waiter.wait(), flush=True)
    for _, writer in gates[5:]:
        os.write(writer, b"1")
    for each in waiters[10:30]:
        each.wait()
    for _ in range(4):
        print(sum(len(visit) + visit[1] for visit in visits), flush=True)
        print([waiter.shown() for waiter in waiters][-1])
        visits = [list(visit) for visit in visits]
        tickets = [tuple(ticket) for ticket in tickets]


main()
