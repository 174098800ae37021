# SPDX-License-Identifier: Apache-2.0
"""A judge of homework: every solution runs in a process of its own, with limited time."""

import os
import resource
import subprocess
import sys


def change_ways(amount, coins):
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    return change_ways(amount - coins[0], coins) + change_ways(amount, coins[1:])


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (1, 20))


def judge(task):
    command = [sys.executable, os.path.abspath(__file__), task]
    solution = subprocess.Popen(command, preexec_fn=limit_time)
    return "too slow" if solution.wait() else "right"


def main():
    if len(sys.argv) > 1:
        print(change_ways(int(sys.argv[1]), (50, 20, 10, 5, 2, 1)))
    else:
        print(judge("60"), flush=True)
        print(judge("1000"), flush=True)


main()
