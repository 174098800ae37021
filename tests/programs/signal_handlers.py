# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in a signal handler that interrupted a handler that interrupted a call that waits."""

import os
import signal
import threading
import time

import deathbed


def on_first(number, frame):
    signal.signal(signal.SIGUSR2, on_second)
    os.kill(os.getpid(), signal.SIGUSR2)
    for _ in range(100):
        time.sleep(0.01)


class Handler:
    def __init__(self):
        self.way = deathbed.prepare("raise")

    def __call__(self, number, frame):
        deathbed.die(self.way)


on_second = Handler()


def waiting():
    signal.signal(signal.SIGALRM, on_first)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    while True:
        time.sleep(30)


def sleeper():
    deathbed.parked.append(1)
    threading.Event().wait()


if __name__ == "__main__":
    threading.Thread(target=sleeper, daemon=True, name="sleeper").start()
    deathbed.gather(1)
    waiting()
