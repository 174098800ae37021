# SPDX-License-Identifier: Apache-2.0
"""Computes the legs of ships' voyages with a native router that has threads of its own."""

import ctypes
import os
import threading
import time
from pathlib import Path

router = ctypes.CDLL(os.path.abspath("ship_router.so"))
router.sr_voyage.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_int]
router.sr_voyage.restype = ctypes.c_long


def voyage(*ports):
    names = (ctypes.c_char_p * len(ports))(*(port.encode() for port in ports))
    return router.sr_voyage(names, len(ports))


def ais(stop):
    while not stop.wait(0.2):
        Path("ais").write_text("ok")


def main():
    stop = threading.Event()
    threading.Thread(target=ais, args=(stop,), name="ais", daemon=True).start()
    for ports in (("RTM", "HAM", "OSL"), ("OSL", "RTM"), ("HAM", "RTM", "GOT", "OSL")):
        print(ports, voyage(*ports), flush=True)
        time.sleep(0.2)
    stop.set()


if __name__ == "__main__":
    main()
