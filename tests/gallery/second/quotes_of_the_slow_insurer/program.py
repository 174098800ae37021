# SPDX-License-Identifier: Apache-2.0
"""A comparison site asks insurers for quotes; what was not begun at the deadline is dropped."""

import concurrent.futures
import os
import threading

INSURERS = {"Harbour Mutual": 412, "Old Oak": 398, "Lantern": 440, "Northern": 405}
deadline = threading.Event()
asked = threading.Event()


def ask_insurer(name, horsepower):
    asked.set()
    deadline.wait()
    return name, INSURERS[name] + horsepower // 2


def drop_unasked(executor):
    executor.shutdown(wait=False, cancel_futures=True)
    deadline.set()


def cheapest(horsepower):
    executor = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="insurer")
    quotes = [executor.submit(ask_insurer, name, horsepower) for name in INSURERS]
    asked.wait()
    drop_unasked(executor)
    best = None
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for quote in concurrent.futures.as_completed(quotes):
        if quote.cancelled():
            continue
        if best is None or quote.result()[1] < best[1]:
            best = quote.result()
    return best


print(cheapest(90))
