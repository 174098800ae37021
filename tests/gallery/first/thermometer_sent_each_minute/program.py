# SPDX-License-Identifier: Apache-2.0
"""Home service: a thread reads the thermometer each minute, another one sends what was read."""

import os
import queue
import signal
import threading

stop = threading.Event()


def read_thermometer(number):
    return 19.5 + number % 4 * 0.25


def measure(readings):
    number = 0
    while not stop.wait(timeout=60):
        readings.put(read_thermometer(number))
        number += 1


def send(readings, sent):
    while not stop.is_set():
        try:
            sent.append(readings.get(timeout=30))
        except queue.Empty:
            continue


def main():
    readings, sent = queue.Queue(), []
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    readings.put(read_thermometer(0))
    threads = [
        threading.Thread(target=measure, args=(readings,), name="measure"),
        threading.Thread(target=send, args=(readings, sent), name="send"),
    ]
    for thread in threads:
        thread.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while any(thread.is_alive() for thread in threads):
        stop.wait(timeout=120)
        threads[0].join(timeout=1)


main()
