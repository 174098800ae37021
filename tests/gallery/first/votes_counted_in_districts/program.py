# SPDX-License-Identifier: Apache-2.0
"""Seats after an election: districts are simulated in processes, the table grows as they end."""

import concurrent.futures
import multiprocessing
import os
import random
from collections import Counter
from pathlib import Path

PARTIES = {"Lilac": 0.34, "Heron": 0.29, "Anchor": 0.22, "Clover": 0.15}


def dhondt(votes, seats):
    """Returns the seats of each party by the highest averages."""
    won = Counter()
    for _ in range(seats):
        party = max(votes, key=lambda name: votes[name] / (won[name] + 1))
        won[party] += 1
    return won


def simulate(district, rounds):
    source = random.Random(district)
    total = Counter()
    for _ in range(rounds):
        votes = {
            party: int(40000 * share * source.uniform(0.7, 1.3)) for party, share in PARTIES.items()
        }
        total += dhondt(votes, 12)
    return district, {party: seats / rounds for party, seats in total.items()}


def main():
    table = {}
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        pending = [executor.submit(simulate, number, 300) for number in range(4)]
        pending += [executor.submit(simulate, number, 2_000_000) for number in range(4, 16)]
        for future in concurrent.futures.as_completed(pending):
            district, seats = future.result()
            table[district] = seats
            print(district, seats, flush=True)
            if len(table) == 4:
                Path("ready").write_text(f"{os.getpid()}\n")


if __name__ == "__main__":
    main()
