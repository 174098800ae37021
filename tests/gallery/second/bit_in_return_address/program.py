# SPDX-License-Identifier: Apache-2.0
"""A bit of a return address on the stack was flipped while a native function slept; it returned
to an address without code.
"""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.abspath("pause.so"))
library.slot.restype = ctypes.c_void_p


def take_measurement():
    return library.measure()


def main():
    import threading
    import time

    def tell():
        time.sleep(0.2)
        at = library.slot()
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid(), "memory": [[at, 40]]}) + "\n")

    threading.Thread(target=tell).start()
    print(take_measurement())


main()
