# SPDX-License-Identifier: Apache-2.0
"""Gives the letters of an archive new stamps after a clock was wrong."""

from pathlib import Path

from letters import Letter, filed


class Archive:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)

    def receive(self, number, text):
        letter = Letter(number, text)
        letter.stamp(1_700_000_000 + number)
        return letter.save(self.folder)

    def correct(self, seconds):
        for letter in filed(self.folder):
            print(letter.path.name, letter.stamp(1_700_000_000 + seconds), flush=True)


def main():
    archive = Archive("letters")
    for number in range(12):
        archive.receive(number, b"Dear Sir or Madam, " * (number + 3))
    archive.correct(3600)


if __name__ == "__main__":
    main()
