# SPDX-License-Identifier: Apache-2.0
"""Reads barcodes of parcels with the vendor's library."""

import ctypes
import os
import threading
import time

sdk = ctypes.CDLL(os.path.abspath("barcode_sdk.so"))


class BarcodeError(Exception):
    pass


class Scanner:
    def __init__(self, width, height):
        self._handle = sdk.bc_open(width, height)
        if not self._handle:
            raise BarcodeError("no scanner")

    def scan(self, picture):
        digits = ctypes.create_string_buffer(16)
        if sdk.bc_scan(self._handle, picture, len(picture), digits) != 0:
            raise BarcodeError("nothing legible")
        return digits.value.decode()

    def close(self):
        sdk.bc_close(self._handle)


def watch_belt():
    while True:
        time.sleep(0.1)


def main():
    threading.Thread(target=watch_belt, name="belt", daemon=True).start()
    time.sleep(0.3)
    scanner = Scanner(640, 480)
    print(scanner.scan(bytes(range(256)) * 8))
    scanner.close()


if __name__ == "__main__":
    main()
