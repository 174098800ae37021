# SPDX-License-Identifier: Apache-2.0
"""Bootstraps the confidence of a river model: the same fit over many drawn samples."""

import os
from pathlib import Path

import numpy as np

ROUNDS = 6000


def fit(gauges, flow):
    u, s, vt = np.linalg.svd(gauges, full_matrices=False)
    return vt.T @ ((u.T @ flow) / s)


def bootstrap(gauges, flow, rounds, seed=11):
    draw = np.random.default_rng(seed)
    kept = np.empty((rounds, gauges.shape[1]))
    for done in range(rounds):
        rows = draw.integers(0, len(gauges), len(gauges))
        kept[done] = fit(gauges[rows], flow[rows])
        if done % 20 == 0:
            print(f"round {done} of {rounds}", flush=True)
    return kept.mean(0), kept.std(0)


def main():
    draw = np.random.default_rng(3)
    gauges = draw.normal(size=(1200, 120))
    flow = gauges @ draw.normal(size=120) + draw.normal(size=1200)
    Path("ready").write_text(f"{os.getpid()}\n")
    mean, spread = bootstrap(gauges, flow, ROUNDS)
    print(mean[:4], spread[:4])


if __name__ == "__main__":
    main()
