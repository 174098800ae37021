"""Ornithologists watch a nest of swallows with a camera whose driver is a C extension."""

import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import nestcam  # noqa: E402


class Diary:
    """What came to the nest, by the weight that the perch measured."""

    CLASSES = ((17.5, "hen"), (20.0, "cock"), (25.0, "intruder"))

    def __init__(self, nest):
        self.nest = nest
        self.visits = collections.Counter()
        self.frames = []

    def classify(self, grams):
        for limit, name in self.CLASSES:
            if grams < limit:
                return name
        return "cat"

    def __call__(self, frame, grams):
        self.visits[self.classify(grams)] += 1
        self.frames.append(frame)

    def page(self):
        lines = [f"nest {self.nest}: {len(self.frames)} visits"]
        lines += [f"  {name}: {number}" for name, number in self.visits.most_common()]
        return "\n".join(lines)


def rehearse(diary):
    """The perch is tried by hand before the camera is opened."""
    for frame, grams in enumerate((16.9, 18.2, 19.4)):
        diary(frame, grams)
    print(diary.page(), flush=True)


def main():
    diary = Diary("barn, third rafter")
    rehearse(diary)
    nestcam.open(diary)
    print("camera is open", flush=True)
    nestcam.run()
    print(diary.page())


main()
