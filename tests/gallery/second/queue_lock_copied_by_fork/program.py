# SPDX-License-Identifier: Apache-2.0
"""The process forked while another thread was inside queue.Queue; the child puts into the same
queue and waits for the queue's mutex, which nobody in the child can release.
"""

import os
import queue
import threading
import time


class Slow:
    def __init__(self, number):
        self.number = number

    def __lt__(self, other):
        time.sleep(0.4)
        return self.number < other.number


EVENTS = queue.PriorityQueue()


def emit_forever():
    number = 1000
    while True:
        EVENTS.put(Slow(number))
        number -= 1


def report_start():
    EVENTS.put(Slow(0))


def main():
    EVENTS.put(Slow(2000))
    threading.Thread(target=emit_forever, daemon=True, name="emitter").start()
    time.sleep(0.1)
    pid = os.fork()
    if pid == 0:
        with open("ready.part", "w") as file:
            file.write("%d\n" % os.getpid())
        os.rename("ready.part", "ready")
        report_start()
        os._exit(0)
    os.waitpid(pid, 0)


main()
