# SPDX-License-Identifier: Apache-2.0
"""Draw the envelope of a take beside its title: the peaks of each tenth of a second."""

import sound


def record(seconds):
    """Return a take of so many seconds, 48 kHz, four bytes a sample."""
    return sound.Take(seconds * 48_000)


def samples_of(take):
    return memoryview(take).cast("f")


def envelope(samples, step=4_800):
    return [max(samples[at : at + step]) for at in range(0, len(samples) - step, step)]


def draw(peaks, width=60):
    step = max(1, len(peaks) // width)
    return "".join(".:|"[min(2, int(peak * 3))] for peak in peaks[::step])


def page(titles):
    for title in titles:
        samples = samples_of(record(260))
        print(title, draw(envelope(samples)))


page(["opening", "interview"])
