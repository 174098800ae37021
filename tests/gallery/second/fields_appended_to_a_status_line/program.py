# SPDX-License-Identifier: Apache-2.0
"""Status display of a lift: the native driver formats a line of fields and hands it to a sink,
which a Python function may replace."""

import ctypes
import os

driver = ctypes.CDLL(os.path.abspath("status_line.so"))
SINK = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
driver.display_new.argtypes = [SINK]
driver.display_new.restype = ctypes.c_void_p
driver.display_field.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
driver.display_show.argtypes = [ctypes.c_void_p]


class Display:
    def __init__(self):
        self.lines = []
        self._sink = SINK(self._keep)
        self.handle = driver.display_new(self._sink)

    def _keep(self, line):
        self.lines.append(line.decode("utf-8", "replace"))

    def show(self, **fields):
        for name, value in fields.items():
            driver.display_field(self.handle, name.encode(), str(value).encode())
        driver.display_show(self.handle)


def main():
    display = Display()
    for floor in range(6):
        display.show(floor=floor, load="%d kg" % (floor * 75), door="closed")
    display.show(
        floor=6, load="412 kg", door="open", message="Aufzug wird gewartet, bitte Treppe nehmen",
        contact="H. Brandt", next_service="2026-12-01 08:00:00",
        cabin="north wing, second shaft",
    )  # fmt: skip
    print(display.lines)


main()
