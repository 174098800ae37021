# SPDX-License-Identifier: Apache-2.0
"""A room panel reads which screens are plugged in, from the listing of the display tool."""

import json
import os
import re

SCREEN = re.compile(r"Screen (?P<number>\d+): current (?P<width>\d+) x (?P<height>\d+)$")
DEVICE = re.compile(r"  (?P<name>[\w-]+) (?P<state>connected|disconnected)")

LISTING = """\
Screen 0: current 1920 x 1080
  HDMI-1 connected
  HDMI-2 disconnected
Screen 1: current 3840 x 2160
  DP-1 connected
'Screen 2: minimum 1024 x 600, current 1024 x 600
  default connected
"""


class Screen:
    def __init__(self, number, width, height):
        self.number, self.width, self.height = number, width, height
        self.devices = []


def next_device(lines):
    line = lines.pop()
    found = DEVICE.match(line)
    if not found:
        lines.append(line)
        return None
    return found["name"], found["state"] == "connected"


def next_screen(lines):
    line = lines.pop()
    found = SCREEN.match(line)
    if not found:
        lines.append(line)
        return None
    screen = Screen(int(found["number"]), int(found["width"]), int(found["height"]))
    while lines:
        device = next_device(lines)
        if device is None:
            break
        screen.devices.append(device)
    return screen


def read_screens(listing):
    lines = list(reversed(listing.splitlines()))
    screens = []
    while lines:
        screen = next_screen(lines)
        if screen:
            screens.append(screen)
    return screens


def main():
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for screen in read_screens(LISTING):
        print(screen.number, screen.width, screen.height, screen.devices)


main()
