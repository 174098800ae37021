# SPDX-License-Identifier: Apache-2.0
"""Loudness of a long recording, played forwards and backwards."""

import mmap

import loudness


def open_recording(seconds, rate):
    recording = mmap.mmap(-1, seconds * rate)
    for second in range(0, seconds, 1000):
        recording[second * rate : second * rate + 4] = b"\x10\x20\x30\x40"
    return memoryview(recording)


def peaks(recording, rate):
    return loudness.peak(recording[: 20 * rate]), loudness.peak(recording[-20 * rate :])


def main():
    rate = 48000
    recording = open_recording(6000, rate)
    print(peaks(recording, rate), flush=True)
    backwards = recording[::-1]
    print(loudness.peak(backwards))


main()
