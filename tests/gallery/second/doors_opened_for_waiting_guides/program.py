# SPDX-License-Identifier: Apache-2.0
"""Guides of a museum are processes that wait until the doors open; a guide may be sent home."""

import multiprocessing
import os
import time


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


def guide(number, doors):
    with doors:
        doors.wait()
    print("guide", number, "begins", flush=True)


def open_doors(doors):
    with doors:
        ready()
        doors.notify_all()


def main():
    context = multiprocessing.get_context("fork")
    doors = context.Condition()
    guides = [context.Process(target=guide, args=(n, doors), daemon=True) for n in range(3)]
    for each in guides:
        each.start()
    while doors._sleeping_count.get_value() < 3:
        time.sleep(0.05)
    guides[1].kill()
    guides[1].join()
    open_doors(doors)
    for each in guides:
        each.join()
    print("open")


if __name__ == "__main__":
    main()
