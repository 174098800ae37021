# SPDX-License-Identifier: Apache-2.0
"""Manuals are turned into plain pages by a converter program; its pages are counted here."""

import contextlib
import os
import subprocess
import sys
import threading

CONVERTER = """
import sys
for page in range(1, 121):
    for glyph in range(40):
        sys.stderr.write("page %d: glyph %d is not in the font, replaced\\n" % (page, glyph))
    sys.stdout.write("page %d of %s\\n" % (page, sys.argv[1]))
"""


class Conversion:
    def __init__(self, manual):
        self.manual = manual
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", CONVERTER, self.manual],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        return self

    def __exit__(self, *error):
        self.remarks = self.process.stderr.read().splitlines()
        self.status = self.process.wait()

    def pages(self):
        for line in self.process.stdout:
            yield line.rstrip()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(1.5, tell).start()
    with contextlib.ExitStack() as stack:
        for manual in ("lathe.ps", "press.ps"):
            conversion = stack.enter_context(Conversion(manual))
            print(manual, sum(1 for _ in conversion.pages()), "pages")


main()
