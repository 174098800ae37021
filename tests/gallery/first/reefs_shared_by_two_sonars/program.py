# SPDX-License-Identifier: Apache-2.0
"""Two sonars smooth their pictures of a reef on one grid of a native library."""

import ctypes
import os
import threading
from pathlib import Path

reef = ctypes.CDLL(str(Path(__file__).with_name("reef.so")))
reef.reef_smooth.argtypes = [ctypes.c_int, ctypes.c_long]
reef.reef_smooth.restype = ctypes.c_double

DEPTHS = {}


def survey(sonar, seed, sweeps):
    DEPTHS[sonar] = reef.reef_smooth(seed, sweeps)


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    sonars = [
        threading.Thread(target=survey, args=("port", 31, 90_000), name="sonar-port"),
        threading.Thread(target=survey, args=("starboard", 57, 90_000), name="sonar-starboard"),
    ]
    for sonar in sonars:
        sonar.start()
    for sonar in sonars:
        sonar.join()
    print(DEPTHS)


if __name__ == "__main__":
    main()
