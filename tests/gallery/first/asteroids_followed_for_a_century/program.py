# SPDX-License-Identifier: Apache-2.0
"""Integrates the orbits of a few asteroids for a century, day by day, and prints how far it is."""

import math
import os
import sys
import time

GM = 0.0002959122082855911  # of the sun, in au^3 per day^2
BODIES = {
    "Ceres": (2.767, 0.078, 0.0),
    "Vesta": (2.362, 0.090, 1.1),
    "Hygiea": (3.139, 0.112, 2.9),
    "Apophis": (0.922, 0.191, 4.2),
    "Eros": (1.458, 0.223, 5.0),
}


class Body:
    def __init__(self, name, axis, eccentricity, longitude):
        self.name = name
        distance = axis * (1 - eccentricity)
        speed = math.sqrt(GM / axis * (1 + eccentricity) / (1 - eccentricity))
        self.x = distance * math.cos(longitude)
        self.y = distance * math.sin(longitude)
        self.vx = -speed * math.sin(longitude)
        self.vy = speed * math.cos(longitude)
        self.nearest = distance

    def step(self, days):
        """Leapfrog: half a kick, a drift, half a kick."""
        self.kick(days / 2)
        self.x += self.vx * days
        self.y += self.vy * days
        self.kick(days / 2)

    def kick(self, days):
        r2 = self.x * self.x + self.y * self.y
        r = math.sqrt(r2)
        pull = -GM / (r2 * r) * days
        self.vx += pull * self.x
        self.vy += pull * self.y
        if r < self.nearest:
            self.nearest = r


class Run:
    def __init__(self, days, steps_per_day):
        self.days = days
        self.steps_per_day = steps_per_day
        self.bodies = [Body(name, *elements) for name, elements in BODIES.items()]
        self.day = 0
        self.began = time.monotonic()

    def report(self):
        took = time.monotonic() - self.began
        left = took / max(1, self.day) * (self.days - self.day)
        print(
            "day %6d of %d, %.1f %%, %.0f s left"
            % (self.day, self.days, 100 * self.day / self.days, left)
        )
        sys.stdout.flush()

    def integrate(self):
        step = 1 / self.steps_per_day
        while self.day < self.days:
            for _ in range(self.steps_per_day):
                for body in self.bodies:
                    body.step(step)
            self.day += 1
            if self.day % 25 == 0:
                self.report()


def main():
    run = Run(days=36525, steps_per_day=240)
    run.report()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    run.integrate()
    for body in run.bodies:
        print("%-8s came as near as %.3f au" % (body.name, body.nearest))


if __name__ == "__main__":
    main()
