# SPDX-License-Identifier: Apache-2.0
"""Sums the visits of a site's pages in two processes, into a shared number."""

import multiprocessing
import os
import threading


def add_visits(total, pages):
    visits = sum(page * 3 % 17 for page in pages)
    with total.get_lock():
        total.value += visits


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def sum_visits(context, total, shares):
    """Return the sum; who asks meanwhile shall not see half of it."""
    with total.get_lock():
        total.value = 0
        helpers = [
            context.Process(target=add_visits, args=(total, share), name="helper-%d" % number)
            for number, share in enumerate(shares)
        ]
        for helper in helpers:
            helper.start()
        threading.Timer(1.2, tell).start()
        for helper in helpers:
            helper.join()
        return total.value


if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    print(sum_visits(context, context.Value("q", 0), [range(1000), range(1000, 2000)]))
