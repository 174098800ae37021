# SPDX-License-Identifier: Apache-2.0
"""Spectrometer: the sums of the columns of a scan, computed by an extension over its buffer."""

import array

import spectrum


def read_scan(rows, columns):
    return array.array("f", (row * column % 7 for row in range(rows) for column in range(columns)))


def normalise(scan):
    sums = spectrum.column_sums(scan)
    peak = max(sums)
    return [value / peak for value in sums]


def main():
    scan = read_scan(16, 32)
    print(len(scan), scan[40], flush=True)
    print(normalise(scan))


main()
