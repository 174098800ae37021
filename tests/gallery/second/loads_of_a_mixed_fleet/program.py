# SPDX-License-Identifier: Apache-2.0
"""Fleet report: the loads of all vehicles, added up by the planning library."""

import ctypes
from pathlib import Path

FLEET = ctypes.CDLL(str(Path(__file__).with_name("fleet.so")))
FLEET.fleet_add_truck.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
FLEET.fleet_add_van.argtypes = [ctypes.c_char_p, ctypes.c_double]
FLEET.fleet_count_trailers.restype = ctypes.c_size_t


def register(rows):
    for plate, kind, detail in rows:
        if kind == "truck":
            FLEET.fleet_add_truck(plate, detail)
        else:
            FLEET.fleet_add_van(plate, detail)


def main():
    register([(b"M-TR 7", "truck", b"tank"), (b"M-TR 9", "truck", b"box")])
    print("trailers:", FLEET.fleet_count_trailers(), flush=True)
    register([(b"M-VA 1", "van", 7.25)])
    print("trailers:", FLEET.fleet_count_trailers(), flush=True)


main()
