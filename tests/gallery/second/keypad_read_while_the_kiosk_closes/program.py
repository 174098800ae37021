# SPDX-License-Identifier: Apache-2.0
"""A ticket kiosk of a swimming pool: sells until the closing time, then ends; systemd starts it anew."""  # noqa: E501

import logging
import queue
import sys
import time

from keypad import Keypad

log = logging.getLogger("kiosk")
PRICES = {1: ("adult", 650), 2: ("child", 300), 3: ("group", 2400)}


class Kiosk:
    def __init__(self, seconds):
        self.closing = time.monotonic() + seconds
        self.events = queue.Queue()
        self.sold = []
        self.keypad = Keypad(self.pressed)

    def pressed(self, key, times):
        self.events.put((key, times))

    def sell(self, key, times):
        name, cents = PRICES.get(key, (None, 0))
        if name is None:
            log.warning("key %d means nothing", key)
            return
        self.sold += [cents] * times
        log.info("%d x %s", times, name)

    def open(self):
        self.keypad.start()
        self.keypad.listening.wait()
        while True:
            left = self.closing - time.monotonic()
            if left <= 0:
                break
            try:
                self.sell(*self.events.get(timeout=left))
            except queue.Empty:
                break

    def balance(self):
        return sum(self.sold) / 100


def at_rest_in_read(thread):
    """The service manual: never switch off while a key is being read."""
    with open("/proc/self/task/%d/wchan" % thread.native_id) as file:
        return "read" in file.read() or thread.keys == 0


def main():
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    kiosk = Kiosk(seconds=1.0)
    kiosk.pressed(1, 2)
    kiosk.pressed(2, 3)
    kiosk.pressed(9, 1)
    kiosk.open()
    while not at_rest_in_read(kiosk.keypad):
        time.sleep(0.1)
    log.info("closing time: %.2f", kiosk.balance())


main()
