# SPDX-License-Identifier: Apache-2.0
"""Hands letters to the driver of an envelope printer."""

import ctypes
import os
import threading
import time
from pathlib import Path

driver = ctypes.CDLL(os.path.abspath("spool_driver.so"))
driver.sd_send.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
driver.sd_cancel.argtypes = [ctypes.c_void_p]


class Letter:
    def __init__(self, text):
        self.data = ctypes.create_string_buffer(text.encode())

    def send(self):
        return driver.sd_send(ctypes.byref(self.data), len(self.data))

    def cancel(self):
        driver.sd_cancel(ctypes.byref(self.data))


def ink(stop):
    while not stop.wait(0.2):
        Path("ink").write_text("61 %")


def main():
    stop = threading.Event()
    threading.Thread(target=ink, args=(stop,), name="ink", daemon=True).start()
    letters = [Letter(f"Dear customer {n},\n" + "thank you. " * (n % 5)) for n in range(200)]
    for number, letter in enumerate(letters):
        if number == 120:
            letter.cancel()
        else:
            letter.send()
        time.sleep(0.001)
    stop.set()


if __name__ == "__main__":
    main()
