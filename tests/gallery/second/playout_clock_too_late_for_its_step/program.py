# SPDX-License-Identifier: Apache-2.0
"""A radio station plans the cues of its jingles between two moments of its playout clock."""

import os
import threading

JINGLES = ["opener", "weather", "traffic", "closer"]
STEP = 0.25  # seconds between the points where a cue may lie


class PlayoutClock:
    """Counts samples since the station began; stamps of the old system are in nanoseconds."""

    def __init__(self, rate=48000):
        self.rate = rate

    def seconds(self, samples):
        return samples / self.rate

    def from_stamp(self, stamp):
        return float(stamp)


class Cue:
    __slots__ = ("moment", "jingle")

    def __init__(self, moment, jingle):
        self.moment = moment
        self.jingle = jingle


class Planner:
    def __init__(self, clock):
        self.clock = clock
        self.rejected = 0

    def fits(self, moment, busy):
        return all(not start <= moment < end for start, end in busy)

    def points_between(self, begin, end, busy):
        """Return the free points of an interval."""
        points = []
        moment = begin
        while moment < end:
            if self.fits(moment, busy):
                points.append(moment)
            else:
                self.rejected += 1
            moment += STEP
        return points

    def plan(self, begin, end, busy):
        points = self.points_between(begin, end, busy)
        return [Cue(point, JINGLES[n % len(JINGLES)]) for n, point in enumerate(points[::8])]


class Watch(threading.Thread):
    """Would report silence on air; nothing is silent today."""

    def __init__(self):
        super().__init__(name="silence-watch", daemon=True)
        self.alarm = threading.Event()

    def run(self):
        self.alarm.wait()


def main():
    clock = PlayoutClock()
    planner = Planner(clock)
    Watch().start()
    begin = clock.seconds(48000 * 60)
    cues = planner.plan(begin, begin + 30, [(62.0, 75.0)])
    print("%d cues in the new hour" % len(cues), flush=True)
    begin = clock.from_stamp(1_718_000_000_000_000_000)
    busy = [(begin - 10.0, begin + 10_000.0)]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    cues = planner.plan(begin, begin + 9_000.0, busy)
    print("%d cues in the imported hour" % len(cues))


main()
