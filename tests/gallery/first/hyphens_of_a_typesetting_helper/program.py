# SPDX-License-Identifier: Apache-2.0
"""A book formatter asks a helper process where words may be broken."""

import json
import os
import select
import subprocess
import sys

HELPER = r"""
import os, sys
for line in iter(sys.stdin.readline, ""):
    word = line.strip()
    parts = [word[i:i + 3] for i in range(0, len(word), 3)]
    os.write(1, ("".join(part + "\n" for part in parts) + ".\n").encode())
"""


class Hyphenator:
    def __init__(self):
        self.helper = subprocess.Popen(
            [sys.executable, "-c", HELPER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def next_line(self):
        """Return the helper's next line, when there is one."""
        readable, _, _ = select.select([self.helper.stdout], [], [])
        return readable[0].readline().strip()

    def parts(self, word):
        self.helper.stdin.write(word + "\n")
        self.helper.stdin.flush()
        found = []
        while (part := self.next_line()) != ".":
            found.append(part)
        return found


def set_line(hyphenator, words):
    return " ".join("-".join(hyphenator.parts(word)) for word in words)


def main():
    hyphenator = Hyphenator()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(set_line(hyphenator, ["typography", "galley", "compositor"]))


main()
