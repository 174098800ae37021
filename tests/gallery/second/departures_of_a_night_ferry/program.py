# SPDX-License-Identifier: Apache-2.0
"""Departures of a night ferry are written by a Jinja2 template to whoever reads our output."""

import os
import sys
import threading
import time

from jinja2 import Environment

BOARD = """\
{% for departure in departures %}
{{ "%-24s" | format(departure.port) }} {{ departure.hour }}:{{ departure.minute }}
{% endfor %}
"""


def connect_display():
    """Give standard output to the display on the quay."""
    display, ours = os.pipe()
    os.dup2(ours, 1)
    os.close(ours)
    return display


class Board:
    def __init__(self, ports):
        self.template = Environment(trim_blocks=True).from_string(BOARD)
        self.departures = [
            {"port": port, "hour": 18 + number % 6, "minute": number * 7 % 60}
            for number, port in enumerate(ports)
        ]

    def show_for_ever(self, output):
        while True:
            self.template.stream(departures=self.departures).dump(output)
            time.sleep(0.03)


def load_vehicles(lanes):
    for lane in lanes:
        time.sleep(0.7)
        print(lane, "is loaded", file=sys.stderr)


def main():
    connect_display()
    board = Board(["Helsinki", "Turku", "Riga", "Gdansk", "Visby"] * 20)
    threading.Thread(target=board.show_for_ever, args=(sys.stdout,), daemon=True).start()
    lanes = ["cars", "lorries", "coaches", "bicycles"]
    threading.Thread(target=load_vehicles, args=(lanes,)).start()


if __name__ == "__main__":
    main()
