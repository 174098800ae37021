# SPDX-License-Identifier: Apache-2.0
import os
import statistics
import sys


class Denoiser:
    """The vendor's library ends the process when a picture is larger than the licence allows."""

    LARGEST = 100_000

    def __init__(self, strength):
        self.strength = strength

    def clean(self, pixels):
        if len(pixels) > self.LARGEST:
            sys.stderr.write("denoiser: picture exceeds licence, exiting\n")
            os._exit(14)
        step = self.strength
        return statistics.fmean(
            statistics.median(pixels[at : at + step]) for at in range(0, len(pixels) - step, step)
        )
