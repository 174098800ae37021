# SPDX-License-Identifier: Apache-2.0
"""Correlations of river gauges with their rainfall, over windows of a year."""

import os
from pathlib import Path

import numpy as np
import pandas as pd

GAUGES = 600
HOURS = 24 * 365 * 4


def read_gauges(seed):
    generator = np.random.default_rng(seed)
    index = pd.date_range("2019-01-01", periods=HOURS, freq="h")
    rain = pd.Series(generator.gamma(0.3, 2.0, HOURS), index=index)
    return index, rain, generator


def correlate_windows(levels, rain):
    return levels.rolling(24 * 365).corr(rain).min()


def main():
    index, rain, generator = read_gauges(seed=1913)
    weakest = {}
    Path("ready").write_text(f"{os.getpid()}\n")
    for gauge in range(GAUGES):
        levels = rain.rolling(48).mean().fillna(0.0) + generator.normal(0.0, 0.4, HOURS)
        levels = pd.Series(levels, index=index).rank(pct=True)
        weakest[gauge] = correlate_windows(levels, rain)
    print(pd.Series(weakest).describe())


if __name__ == "__main__":
    main()
