# SPDX-License-Identifier: Apache-2.0
"""Mixes the takes of a radio play into one track."""

from takes import Mix, Take


class Session:
    def __init__(self, seconds, rate=16000):
        self.count, self.rate = seconds * rate, rate
        self.takes = []

    def record(self, title, pitch):
        title = title.encode().ljust(16)
        self.takes.append(Take.recorded(title, self.count, pitch))

    def mixed(self):
        mix = Mix(self.count)
        for take in self.takes:
            mix.add(take, 0.5)
            print("mixed", take.title, flush=True)
        return mix


def main():
    session = Session(seconds=3)
    session.record("rain", 0.31)
    session.record("footsteps", 0.02)
    session.record("voice, scene four", 0.11)
    session.record("a door", 0.07)
    print(max(session.mixed().samples))


if __name__ == "__main__":
    main()
