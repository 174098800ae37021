# SPDX-License-Identifier: Apache-2.0
"""Gallery job: three threads make thumbnails of the pictures in a queue, then the job ends."""

import os
import queue
import threading
import time

LAST = None


def make_thumbnail(name):
    return name.replace(".jpg", "_small.jpg"), sum(name.encode()) % 7


def maker(names, made):
    while True:
        name = names.get()
        if name is LAST:
            break
        made.append(make_thumbnail(name))


def finish(names, makers):
    names.put(LAST)
    for thread in makers:
        thread.join()


def main():
    names, made = queue.Queue(), []
    makers = [
        threading.Thread(target=maker, args=(names, made), name=f"maker-{n}") for n in range(3)
    ]
    for thread in makers:
        thread.start()
    for number in range(60):
        names.put(f"holiday{number:03}.jpg")
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    finish(names, makers)
    print(len(made))


main()
