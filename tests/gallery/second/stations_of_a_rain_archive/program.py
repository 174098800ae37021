# SPDX-License-Identifier: Apache-2.0
"""Reads the rain of many stations; files of an hour stay open until the hour is over."""

import ctypes
import os
import resource
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
rain = ctypes.CDLL(os.path.join(HERE, "rain.so"))
rain.rain_total.argtypes = [ctypes.c_char_p]
rain.rain_total.restype = ctypes.c_double


class Archive:
    def __init__(self, folder):
        self.folder = folder
        self.open = {}

    def write(self, station, hour):
        target = self.open.get(station)
        if target is None:
            target = self.open[station] = open(f"{self.folder}/{station}.rain", "w")
        target.write(f"{hour} {(station * hour) % 7 / 10}\n")
        target.flush()

    def total(self, station):
        return rain.rain_total(f"{self.folder}/{station}.rain".encode())


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(folder)
        for station in range(400):
            for hour in range(24):
                try:
                    archive.write(station, hour)
                except OSError:
                    break
            print("station", station, round(archive.total(station % 50), 1), "mm", flush=True)


if __name__ == "__main__":
    main()
