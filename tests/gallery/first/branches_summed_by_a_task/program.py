# SPDX-License-Identifier: Apache-2.0
"""Sums up branches on a cluster; the task that adds waits for those that it hands out."""

import os
import threading

from distributed import Client, get_client


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def branch(number):
    return number * 10


def region(numbers):
    client = get_client()
    futures = [client.submit(branch, number) for number in numbers]
    threading.Timer(2.0, tell).start()
    return sum(future.result() for future in futures)


def main():
    client = Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None)
    print(client.submit(region, [1, 2]).result())


if __name__ == "__main__":
    main()
