# SPDX-License-Identifier: Apache-2.0
"""Program of a pottery kiln: the curve of temperatures is laid out before the firing."""

import os


class Segment:
    def __init__(self, hours, target):
        self.hours = hours
        self.target = target


class FiringProgram:
    def __init__(self, segments, step):
        self.segments = segments
        self.step = step
        self.latest = None

    def curve(self, begin, start):
        """Yield (hour, temperature) until the segment's last hour."""
        segment_hour = 0.0
        segment = self.segments[begin]
        while segment_hour != segment.hours:
            share = segment_hour / segment.hours
            yield segment_hour, start + share * (segment.target - start)
            segment_hour += self.step

    def hottest(self):
        temperature, top = 20.0, 20.0
        for begin in range(len(self.segments)):
            for hour, reached in self.curve(begin, temperature):
                self.latest = (begin, hour, reached)
                temperature = reached
                top = max(top, min(temperature, 1300.0))
        return top


def main():
    program = FiringProgram([Segment(0.5, 120.0), Segment(2.0, 600.0), Segment(3.0, 1240.0)], 0.1)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(f"hottest: {program.hottest():.0f}")


main()
