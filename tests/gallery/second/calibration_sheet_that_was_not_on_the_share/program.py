"""Furnace monitor of a steel works: probes are read by workers, converted by sheets of a network share."""

import concurrent.futures
import ctypes
import logging
import os
import pathlib
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s %(message)s")
log = logging.getLogger("furnace")


class Sheet(ctypes.Structure):
    _fields_ = [
        ("probe", ctypes.c_char * 32),
        ("terms", ctypes.c_int),
        ("coefficient", ctypes.c_double * 12),
    ]


class Calibration:
    def __init__(self, folder):
        self.library = ctypes.CDLL(os.path.abspath("calibrate.so"))
        self.library.sheet_load.argtypes = [ctypes.POINTER(Sheet), ctypes.c_char_p, ctypes.c_char_p]
        self.library.sheet_temperature.argtypes = [ctypes.POINTER(Sheet), ctypes.c_double]
        self.library.sheet_temperature.restype = ctypes.c_double
        self.folder = folder
        self.sheets = {}

    def sheet(self, probe):
        if probe not in self.sheets:
            sheet = Sheet()
            terms = self.library.sheet_load(sheet, os.fsencode(self.folder), probe.encode())
            log.info("sheet of %s: %d terms", probe, terms)
            self.sheets[probe] = sheet
        return self.sheets[probe]

    def temperature(self, probe, millivolts):
        return self.library.sheet_temperature(self.sheet(probe), millivolts)


def share():
    """The share as it was that day: one sheet had been moved to another folder."""
    folder = pathlib.Path("calibration")
    folder.mkdir(exist_ok=True)
    for number, probe in enumerate(["K-01", "K-02", "K-04", "S-01"]):
        numbers = [0.2 * number, 24.9, 0.0175, -0.0002]
        (folder / f"{probe}.cal").write_text("\n".join(map(str, numbers)) + "\n")
    return folder


def shift(calibration, pool, voltages):
    futures = {
        probe: pool.submit(calibration.temperature, probe, value)
        for probe, value in voltages.items()
    }
    for probe, future in futures.items():
        log.info("%s: %.1f °C", probe, future.result())


def main():
    calibration = Calibration(share())
    with concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="probe") as pool:
        shift(calibration, pool, {"K-01": 40.2, "K-02": 41.7})
        shift(calibration, pool, {"K-01": 40.9, "K-03": 38.8, "S-01": 11.4})
        shift(calibration, pool, {"K-04": 39.9})


main()
