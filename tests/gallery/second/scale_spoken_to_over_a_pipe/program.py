# SPDX-License-Identifier: Apache-2.0
"""A weighing station talks to the program of its scale over pipes, line by line."""

import os
import select
import subprocess
import sys

SCALE = """
import sys
sys.stdout.write("scale 7 ready\\nweight 18.25\\n")
sys.stdout.flush()
for line in sys.stdin:
    sys.stdout.write("label " + line)
    sys.stdout.flush()
"""


class Station:
    def __init__(self):
        self.scale = subprocess.Popen(
            [sys.executable, "-c", SCALE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.labels = []

    def on_line(self, line):
        word, _, rest = line.partition(" ")
        if word == "weight":
            self.scale.stdin.write("%.1f kg\n" % float(rest))
            self.scale.stdin.flush()
        elif word == "label":
            self.labels.append(rest.strip())

    def run(self, wanted):
        output = self.scale.stdout
        while len(self.labels) < wanted:
            readable, _, _ = select.select([output], [], [])
            if readable:
                self.on_line(output.readline())


def main():
    station = Station()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    station.run(1)
    print(station.labels)


main()
