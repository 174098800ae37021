"""Music engraving service: drives an engraver program that reads notes and reports each page."""

import os
import subprocess
import sys
import threading

ENGRAVER = r"""
import sys
for number, line in enumerate(sys.stdin):
    for bar in line.split():
        sys.stderr.write("warning: bar %s: beam across the bar line, stem direction guessed\n" % bar)
    sys.stdout.write("page %d %d bars\n" % (number + 1, len(line.split())))
    sys.stdout.flush()
"""  # noqa: E501


class Engraver:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", ENGRAVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.pages = []

    def engrave_page(self, bars):
        self.process.stdin.write(" ".join(bars) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        self.pages.append(answer.strip())
        return answer

    def finish(self):
        self.process.stdin.close()
        warnings = self.process.stderr.read().splitlines()
        self.process.wait()
        return warnings


def score(pages, bars):
    number = 0
    for _ in range(pages):
        page = []
        for _ in range(bars):
            number += 1
            page.append(f"m{number}")
        yield page


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    engraver = Engraver()
    timer = threading.Timer(2.5, announce)
    timer.start()
    for page in score(pages=60, bars=48):
        print(engraver.engrave_page(page).strip(), flush=True)
    warnings = engraver.finish()
    print(len(engraver.pages), "pages,", len(warnings), "warnings")
    timer.cancel()


if __name__ == "__main__":
    main()
