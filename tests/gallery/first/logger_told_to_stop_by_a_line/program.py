# SPDX-License-Identifier: Apache-2.0
"""Lines of a bus controller, written by the thread of a compiled logger."""

import ctypes
import os
import time

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "buslog.so"))


def controller_lines():
    for number in range(40):
        yield f"bus {number % 5} at stop {number}"
    yield "END OF SERVICE"


def main():
    lib.buslog_start(b"bus.log")
    for line in controller_lines():
        lib.buslog_write(line.encode())
    print("all lines given", flush=True)
    for _ in range(50):
        time.sleep(0.1)
    lib.buslog_stop()


main()
