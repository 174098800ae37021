# SPDX-License-Identifier: Apache-2.0
"""A chess club asks its engine, another program, for the score of positions, line by line."""

import os
import subprocess
import sys

ENGINE = """
import sys
print("engine 2.1 is there")
for line in sys.stdin:
    word, _, position = line.strip().partition(" ")
    if word == "quit":
        break
    print("score", sum(map(ord, position)) % 200 - 100)
"""


class Engine:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", ENGINE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        self.banner = self.answer()

    def answer(self):
        return self.process.stdout.readline().strip()

    def score(self, position):
        self.process.stdin.write(f"score {position}\n")
        return int(self.answer().split()[1])

    def quit(self):
        self.process.stdin.write("quit\n")
        return self.process.wait()


def main():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    engine = Engine()
    for position in ("e4 e5 Nf3", "d4 Nf6 c4 g6", "c4 c5"):
        print(position, engine.score(position), flush=True)
    print(engine.quit())


main()
