# SPDX-License-Identifier: Apache-2.0
"""Keeps the grids of a land survey, within the quota that the cluster gives to a job."""

import os
import resource

import gridmap

QUOTA = int(os.environ.get("JOB_MEMORY_MB", "256")) << 20


class Survey:
    def __init__(self, name, width, height):
        self.name = name
        self.width = width
        self.height = height
        self.cells = gridmap.filled(width * height, 0.0)

    def raise_by(self, metres):
        self.cells[:: self.width] = [metres] * self.height


def surveys():
    for number in range(40):
        side = 600 + 60 * number
        yield Survey("sheet %d" % number, side, side)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (QUOTA, QUOTA))
    kept = []
    for survey in surveys():
        survey.raise_by(2.5)
        kept.append(survey)
    print(len(kept))


if __name__ == "__main__":
    main()
