# SPDX-License-Identifier: Apache-2.0
"""Districts count votes in processes and put long lists into a queue."""

import multiprocessing
import os


def count(district, votes, place):
    for number in range(200):
        votes.put((district, number, "x" * 2000))
    with open(place, "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    context = multiprocessing.get_context("fork")
    votes = context.Queue()
    counting = context.Process(target=count, args=("north", votes, "ready"))
    counting.start()
    counting.join()
    while not votes.empty():
        print(votes.get()[:2])


main()
