# SPDX-License-Identifier: Apache-2.0
"""A clerk process reads the ballots of a district and hands the doubtful ones back."""

import multiprocessing
import os
import random


def doubtful(ballots):
    for number, marks in ballots:
        if len(marks) != 1:
            yield {"number": number, "marks": marks, "note": "to be seen by the board " * 4}


def count_district(district, findings):
    dice = random.Random(district)
    ballots = ((number, dice.sample("ABCDEF", dice.randint(0, 2))) for number in range(9000))
    for ballot in doubtful(ballots):
        findings.put(ballot)
    findings.put(None)


def main():
    context = multiprocessing.get_context("fork")
    findings = context.Queue()
    clerk = context.Process(target=count_district, args=("North", findings), name="clerk")
    clerk.start()
    with open("ready", "w") as file:
        file.write(f"{clerk.pid}\n")
    clerk.join()
    board = list(iter(findings.get, None))
    print(len(board), "ballots for the board")


if __name__ == "__main__":
    main()
