# SPDX-License-Identifier: Apache-2.0
"""The loop of an arcade game without a screen: a demo plays itself until a coin falls."""

import math
import os
import random
import time

STEP = 1 / 60


class Registry(type):
    kinds = {}

    def __new__(cls, name, bases, space):
        made = super().__new__(cls, name, bases, space)
        if "score" in space:
            cls.kinds[name.lower()] = made
        return made


class Thing(metaclass=Registry):
    radius = 1.0

    def __init__(self, x, y, heading, speed):
        self.x, self.y = x, y
        self.dx, self.dy = math.cos(heading) * speed, math.sin(heading) * speed

    def move(self, seconds):
        self.x = (self.x + self.dx * seconds) % 320
        self.y = (self.y + self.dy * seconds) % 200

    def touches(self, other):
        return math.hypot(self.x - other.x, self.y - other.y) < self.radius + other.radius


class Comet(Thing):
    score = 50
    radius = 4.0


class Saucer(Thing):
    score = 200
    radius = 6.0


class Game:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.score = 0
        self.frames = 0
        self.ship = Thing(160, 100, 0, 30)
        self.things = []

    def appear(self):
        kind = Registry.kinds[self.dice.choice(sorted(Registry.kinds))]
        place = self.dice.uniform(0, 320), self.dice.uniform(0, 200)
        self.things.append(kind(*place, self.dice.uniform(0, 6.28), self.dice.uniform(10, 60)))

    def update(self):
        self.frames += 1
        while len(self.things) < 14:
            self.appear()
        for thing in (self.ship, *self.things):
            thing.move(STEP)
        hit = [each for each in self.things if each.touches(self.ship)]
        self.score += sum(each.score for each in hit)
        self.things = [each for each in self.things if each not in hit]


def coin_fell():
    return os.path.exists("coin")


def run(game):
    due = time.perf_counter()
    while not coin_fell():
        game.update()
        due += STEP
        spare = due - time.perf_counter()
        if spare > 0:
            time.sleep(spare)


with open("ready", "w") as ready:
    ready.write(f"{os.getpid()}\n")
run(Game(seed=1979))
