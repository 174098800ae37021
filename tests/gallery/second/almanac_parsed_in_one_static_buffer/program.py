"""Almanac service: two editions are parsed side by side by an old C library."""

import ctypes
import os
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_int)

library = ctypes.CDLL(os.path.join(HERE, "almanac.so"))
library.almanac_parse.argtypes = [ctypes.c_char_p, PROGRESS]
library.almanac_parse.restype = ctypes.c_long


class Edition(threading.Thread):
    """One edition; who is interested may listen to its progress."""

    def __init__(self, year, days):
        super().__init__(name=f"edition-{year}")
        self.year = year
        self.text = "\n".join(f"{year} {day:03} {day * 37 % 1440:04}" for day in range(days))
        self.listeners = []
        self.sum = None
        self.callback = PROGRESS(self.on_progress)

    def on_progress(self, percent):
        for listener in self.listeners:
            listener(self, percent)

    def run(self):
        self.sum = library.almanac_parse(self.text.encode(), self.callback)


class Reader:
    """Reads the long edition while the short one is parsed: page by page, in step."""

    def __init__(self):
        self.long_is_half_done = threading.Event()
        self.short_is_done = threading.Event()

    def listen_long(self, edition, percent):
        print(edition.name, percent, "%", flush=True)
        if percent == 50:
            self.long_is_half_done.set()
            self.short_is_done.wait()


def main():
    alone = Edition(1899, 30)
    alone.run()
    print("sum of", alone.year, alone.sum, flush=True)
    reader = Reader()
    long, short = Edition(1900, 365), Edition(1901, 59)
    long.listeners.append(reader.listen_long)
    long.start()
    reader.long_is_half_done.wait()
    short.start()
    short.join()
    print("sum of", short.year, short.sum, flush=True)
    reader.short_is_done.set()
    long.join()
    print("sum of", long.year, long.sum)


main()
