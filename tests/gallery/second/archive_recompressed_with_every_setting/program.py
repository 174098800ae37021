"""A broadcaster's archive looks for the best LZMA settings of its subtitles, over many hours."""

import dataclasses
import itertools
import lzma
import os
import random
import threading

WORDS = "and the of rain wind morning later from north to cloud sun will be a with some over hills".split()


@dataclasses.dataclass
class Trial:
    dictionary: int
    literal: int
    position: int
    nice: int
    size: int = 0

    def filters(self):
        return [
            {
                "id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << self.dictionary,
                "lc": self.literal, "pb": self.position, "nice_len": self.nice,
            }
        ]  # fmt: skip


class Sample:
    def __init__(self, megabytes):
        choice = random.Random(625)
        words = [choice.choice(WORDS) for _ in range(megabytes * 1_000_000 // 5)]
        self.data = " ".join(words).encode()


class Search:
    def __init__(self, sample):
        self.sample = sample
        self.lock = threading.Lock()
        self.trials = (
            Trial(*numbers)
            for numbers in itertools.product(range(20, 27), range(5), range(5), (16, 64, 128, 273))
        )
        self.done = []

    def next_trial(self):
        with self.lock:
            return next(self.trials, None)

    def attempt(self, trial):
        trial.size = len(
            lzma.compress(self.sample.data, format=lzma.FORMAT_XZ, filters=trial.filters())
        )

    def work(self):
        while (trial := self.next_trial()) is not None:
            self.attempt(trial)
            with self.lock:
                self.done.append(trial)
                best = min(self.done, key=lambda done: done.size)
            print(len(self.done), "trials; best", best, flush=True)

    def run(self, hands):
        threads = [
            threading.Thread(target=self.work, name=f"squeezer-{hand}") for hand in range(hands)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return min(self.done, key=lambda done: done.size)


def main():
    search = Search(Sample(4))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    best = search.run(hands=2)
    print("best of all:", best)


main()
