# SPDX-License-Identifier: Apache-2.0
"""Measures jaws in scans: what a worker does."""

import random
from dataclasses import dataclass

from errors import ScanError


@dataclass
class Scan:
    patient: int
    slices: list


def measure(scan):
    """Return the width of a jaw in tenths of a millimetre."""
    widest = 0
    for number, row in enumerate(scan.slices):
        if not row:
            raise ScanError(scan.patient, number)
        widest = max(widest, sum(row) // len(row))
    return scan.patient, widest


def scans(count):
    source = random.Random(31)
    for patient in range(count):
        slices = [[source.randrange(400, 900) for _ in range(64)] for _ in range(20)]
        if patient == 5:
            slices[13] = []
        yield Scan(patient, slices)
