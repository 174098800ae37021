"""Peat survey of a moor: height profiles along rides, from a native grid."""

import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import moorland  # noqa: E402

POINTS = 6_500_000


def profile(survey, stride):
    return [round(height, 1) for height in survey.walk(stride)]


def load(name):
    print("loading", name, flush=True)
    return moorland.Survey(POINTS)


def summary(heights):
    heights = list(heights)
    return f"{len(heights)} points, mean {statistics.mean(heights):.2f} m"


def rides(name, strides):
    """Return a walk per ride; nothing is computed before it is asked for."""
    survey = load(name)
    return {stride: survey.walk(stride) for stride in strides}


def main():
    survey = load("east")
    for stride in (500_000, 250_000):
        print("east", stride, profile(survey, stride)[:4], flush=True)
    for stride, walk in rides("west", (400_000, 100_000)).items():
        print("west", stride, summary(walk), flush=True)


main()
