# SPDX-License-Identifier: Apache-2.0
"""A daemon thread polls a sensor by a C++ extension when the program ends. Python ends the thread
by pthread_exit() as it asks for the GIL; the unwinding comes into a catch (...) that does not
rethrow."""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sensor


class Poller:
    def __init__(self):
        self.values = []

    def poll_for_ever(self):
        while True:
            self.values.append(sensor.read())


def start_polling(poller):
    threading.Thread(target=poller.poll_for_ever, name="poller", daemon=True).start()


def take_readings(seconds):
    poller = Poller()
    start_polling(poller)
    time.sleep(seconds)
    return len(poller.values)


def main():
    print(take_readings(0.5), "readings", flush=True)


main()
