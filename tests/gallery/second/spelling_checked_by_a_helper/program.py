# SPDX-License-Identifier: Apache-2.0
"""Words of a manuscript are checked by a helper program, one line each."""

import os
import subprocess
import sys
import threading

HELPER = """
import sys
known = {"the", "river", "runs", "past", "old", "mill"}
for line in sys.stdin:
    word = line.strip().lower()
    print(word, "ok" if word in known else "unknown")
"""


class Speller:
    def __init__(self):
        self.helper = subprocess.Popen(
            [sys.executable, "-E", "-c", HELPER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def check(self, word):
        self.helper.stdin.write(word + "\n")
        return self.helper.stdout.readline().split()[1] == "ok"


def misspelt(text, speller):
    return [word for word in text.split() if not speller.check(word)]


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(1.5, tell).start()
    print(misspelt("The rivver runs past the old mill", Speller()))


main()
