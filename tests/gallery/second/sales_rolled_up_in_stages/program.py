# SPDX-License-Identifier: Apache-2.0
"""Sales of many tills: two readers parse them, three clerks add them up, one file is written."""

import json
import os
import queue
import random
import threading
import time

lines = queue.Queue(maxsize=200)
totals = {}
lock = threading.Lock()
booked = 0


def read_till(till):
    dice = random.Random(till)
    while True:
        sale = {"till": till, "article": dice.choice("abcdef"), "cents": dice.randrange(5000)}
        lines.put(json.dumps(sale))


def add_up():
    global booked
    while True:
        sale = json.loads(lines.get())
        with lock:
            totals[sale["article"]] = totals.get(sale["article"], 0) + sale["cents"]
            booked += 1
        lines.task_done()


def write_totals():
    """Write the totals once in a while, for the dashboard."""
    while True:
        with lock:
            text = json.dumps({"booked": booked, "totals": totals})
        with open("totals.json", "w") as file:
            file.write(text)
        print(text, flush=True)
        time.sleep(0.2)


def main():
    for till in (1, 2):
        threading.Thread(target=read_till, args=(till,), name="till-%d" % till).start()
    for number in range(3):
        threading.Thread(target=add_up, name="clerk-%d" % number).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    write_totals()


main()
