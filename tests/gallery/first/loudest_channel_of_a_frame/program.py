# SPDX-License-Identifier: Apache-2.0
"""A noise monitor looks for the loudest channel of each frame; channels can be muted."""

import sensors


def loudest(frame):
    level = max(frame)
    return frame.index(level), level


def watch(frames, muted):
    report = []
    for number in range(frames):
        frame = sensors.read_frame(number, 24, muted)
        report.append(loudest(frame))
    return report


def main():
    print(watch(3, muted=frozenset()))
    print(watch(3, muted=frozenset({5, 17})))


main()
