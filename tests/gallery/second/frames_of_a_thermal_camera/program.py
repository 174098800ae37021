# SPDX-License-Identifier: Apache-2.0
"""Watches the temperature of a compost heap with a thermal camera."""

import os
from pathlib import Path

from driver import ThermalCamera


def watch(camera, frames):
    warmest = []
    for _ in range(frames):
        warmest.append(camera.next_maximum())
        if warmest[-1] > 40000:
            print("turn the heap", flush=True)
    return warmest


def main():
    camera = ThermalCamera()
    Path("ready").write_text(f"{os.getpid()}\n")
    print(max(watch(camera, 20)))


if __name__ == "__main__":
    main()
