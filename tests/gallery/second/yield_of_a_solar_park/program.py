# SPDX-License-Identifier: Apache-2.0
"""The daily yield of a solar park, computed by the library of the inverter's vendor."""

import ctypes
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = ctypes.CDLL(os.path.join(HERE, "inverter.so"))


def readings(peak):
    """Return the watts of a clear day, one reading in five minutes."""
    day = (math.sin((step - 72) / 144 * math.pi) for step in range(288))
    return [max(0.0, peak * value) for value in day]


def daily_yield(watts):
    """Return kilowatt-hours of a day."""
    samples = (ctypes.c_double * len(watts))(*watts)
    return LIBRARY.summarise_day(samples, len(watts))


def park(strings):
    for name, peak in strings:
        print(name, daily_yield(readings(peak)), "kWh")


park([("east", 5_200.0), ("roof", 8_900.0)])
