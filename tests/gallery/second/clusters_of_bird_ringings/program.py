# SPDX-License-Identifier: Apache-2.0
import math
import os
import random


def ringings(count, seed=11):
    draw = random.Random(seed)
    for _ in range(count):
        centre = draw.choice([(54.1, 13.4), (47.9, 9.0), (41.2, 2.1), (59.3, 18.0)])
        yield draw.gauss(centre[0], 0.8), draw.gauss(centre[1], 0.8)


def distance(one, other):
    mean = math.radians((one[0] + other[0]) / 2)
    return math.hypot(one[0] - other[0], (one[1] - other[1]) * math.cos(mean))


def assign(places, centres):
    groups = [[] for _ in centres]
    for place in places:
        nearest = min(range(len(centres)), key=lambda number: distance(place, centres[number]))
        groups[nearest].append(place)
    return groups


def middle(group):
    return sum(p[0] for p in group) / len(group), sum(p[1] for p in group) / len(group)


def cluster(places, number, rounds):
    centres = random.Random(3).sample(places, number)
    for turn in range(rounds):
        groups = assign(places, centres)
        centres = [middle(group) if group else centre for group, centre in zip(groups, centres)]
        if turn == 0:
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
        print("round", turn, "of", rounds, flush=True)
    return centres


print(cluster(list(ringings(6000)), 9, rounds=900))
