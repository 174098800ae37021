# SPDX-License-Identifier: Apache-2.0
"""Computes the energy of sliding windows over a vibration log."""

import numpy as np
from numpy.lib.stride_tricks import as_strided


def windows(signal, width, hop):
    count = 1 + (len(signal) - width) // hop
    # strides count bytes: the step of a window and the step within it
    return as_strided(signal, shape=(count, width), strides=(hop * width * 8, 8))


def energies(signal, width=4096, hop=512):
    frames = windows(signal, width, hop)
    return np.abs(frames).max(axis=1)


def main():
    dice = np.random.default_rng(3)
    for machine in range(3):
        signal = dice.normal(size=400_000 + 100_000 * machine)
        print(machine, float(energies(signal).mean()))


if __name__ == "__main__":
    main()
