"""Firing curves for a pottery: the kiln is simulated before the pots go in."""

import argparse
import json
import sys
import time

import kiln

CURVES = [
    {"glaze": "celadon", "cells": 60, "steps": 400},
    {"glaze": "tenmoku", "cells": 80, "steps": 900},
    {"glaze": "shino", "cells": 120, "steps": 5000, "report": 500},
]


class Report:
    def __init__(self, glaze, stream=sys.stdout):
        self.glaze = glaze
        self.stream = stream
        self.begun = time.monotonic()
        self.points = []

    def __call__(self, step, temperature):
        self.points.append((step, temperature))
        print(f"{self.glaze}: step {step}, {temperature:.2f} °C", file=self.stream, flush=True)

    def summary(self):
        return {
            "glaze": self.glaze,
            "points": len(self.points),
            "seconds": round(time.monotonic() - self.begun, 2),
        }


def fire(curve):
    report = Report(curve["glaze"])
    middle = kiln.fire(curve["cells"], curve["steps"], curve.get("report", 0), report)
    print(f"{curve['glaze']}: {middle:.4f} °C in the middle", flush=True)
    return report.summary()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="name of one glaze")
    return parser.parse_args()


def main():
    only = arguments().only
    summaries = [fire(curve) for curve in CURVES if only in (None, curve["glaze"])]
    with open("firing.json", "w") as file:
        json.dump(summaries, file, indent=1)


if __name__ == "__main__":
    main()
