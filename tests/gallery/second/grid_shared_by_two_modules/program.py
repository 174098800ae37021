# SPDX-License-Identifier: Apache-2.0
"""A weather model: one compiled module keeps the grid, the other one smooths it."""

import cells
import smoothing


def run(hours):
    grid = cells.open_grid(64, 48)
    warmest = 0.0
    for hour in range(hours):
        cells.heat(grid, hour)
        warmest = max(warmest, smoothing.mean(grid))
    return warmest


if __name__ == "__main__":
    print(run(24))
