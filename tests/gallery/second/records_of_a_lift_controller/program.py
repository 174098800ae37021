# SPDX-License-Identifier: Apache-2.0
"""Collects the records of a lift controller for its log."""

import ctypes
import logging
import pathlib
import threading


class Record(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_uint32),
        ("floor", ctypes.c_uint16),
        ("text", ctypes.c_void_p),
    ]

    def payload(self):
        return ctypes.string_at(self.text, self.length)


class Collector(threading.Thread):
    def __init__(self, library, count):
        super().__init__(name="lift-collector")
        self.library = library
        self.count = count
        self.lines = []

    def run(self):
        record = Record()
        for number in range(self.count):
            if not self.library.next_record(number, ctypes.byref(record)):
                return
            self.lines.append("floor %d: %s" % (record.floor, record.payload().decode()))


def main():
    logging.basicConfig(level=logging.INFO)
    library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().with_name("lift.so")))
    collector = Collector(library, 40)
    collector.start()
    collector.join()
    logging.info("%d lines", len(collector.lines))


if __name__ == "__main__":
    main()
