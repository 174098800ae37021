# SPDX-License-Identifier: Apache-2.0
"""Reads what the kiosks report about their screens."""

import os
import re
from pathlib import Path
from typing import NamedTuple

SCREEN = re.compile(r"Screen (\d+): minimum (\d+) x (\d+), current (\d+) x (\d+)")
DEVICE = re.compile(r"(\S+) (connected|disconnected)")
MODE = re.compile(r"\s+(\d+)x(\d+)\s+([\d.]+)")

REPORTS = {
    "kiosk-01": "Screen 0: minimum 320 x 200, current 1920 x 1080\nHDMI-1 connected\n"
    "  1920x1080  60.00\n  1280x720   60.00\nDP-1 disconnected\n",
    "kiosk-02": "'Screen 0: minimum 1024 x 600, current 1024 x 600\ndefault connected\n"
    "  1024x600  0.00\n",
}


class Screen(NamedTuple):
    number: int
    width: int
    height: int
    devices: list


def parse_modes(lines):
    modes = []
    while lines:
        line = lines.pop()
        found = MODE.match(line)
        if not found:
            lines.append(line)
            break
        modes.append((int(found[1]), int(found[2]), float(found[3])))
    return modes


def parse_devices(lines):
    devices = []
    while lines:
        line = lines.pop()
        found = DEVICE.match(line)
        if not found:
            lines.append(line)
            break
        devices.append((found[1], found[2], parse_modes(lines)))
    return devices


def parse_screen(lines):
    line = lines.pop()
    found = SCREEN.match(line)
    if not found:
        lines.append(line)
        return None
    return Screen(int(found[1]), int(found[4]), int(found[5]), parse_devices(lines))


def parse_report(text):
    lines = text.splitlines()[::-1]
    screens = []
    while lines:
        screen = parse_screen(lines)
        if screen is not None:
            screens.append(screen)
    return screens


if __name__ == "__main__":
    Path("ready").write_text(f"{os.getpid()}\n")
    for kiosk, report in REPORTS.items():
        print(kiosk, parse_report(report), flush=True)
