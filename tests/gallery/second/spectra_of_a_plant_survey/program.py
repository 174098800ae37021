# SPDX-License-Identifier: Apache-2.0
"""Smooths the spectra of a plant survey, plot by plot, under the limit of its job."""

import array
import resource
from concurrent.futures import ThreadPoolExecutor

import spectra

LIMIT = 420 << 20


class Survey:
    def __init__(self):
        self.plots = {}

    def load(self, plot):
        size = 900_000 + 1000 * plot
        spectrum = array.array("d", [0.25]) * size
        spectrum[plot] = 3.0
        self.plots[plot] = spectrum
        return spectrum

    def peak(self, plot):
        try:
            spectrum = self.load(plot)
        except MemoryError:
            # an older plot makes room
            self.plots.pop(min(self.plots), None)
            return None
        return spectra.smoothed_peak(spectrum, 4)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    survey = Survey()
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="plot") as pool:
        peaks = list(pool.map(survey.peak, range(300)))
    print(len(peaks), "plots")


if __name__ == "__main__":
    main()
