"""Journey planner of a tram company: routes are tuples of legs, loaded once and asked all day."""

import collections
import heapq
import json
import os

Leg = collections.namedtuple("Leg", "origin target minutes zone")

STOPS = ["Depot", "Market", "Bridge", "Hospital", "Museum", "Harbour", "Stadium", "Airport"]


class Network:
    def __init__(self):
        self.routes = {}
        self.departures = collections.defaultdict(list)

    def add(self, line, stops, minutes):
        legs = tuple(
            Leg(origin, target, minutes + place * 0.5, f"zone-{line}-{place}")
            for place, (origin, target) in enumerate(zip(stops, stops[1:]))
        )
        self.routes[line] = legs
        for leg in legs:
            self.departures[leg.origin].append((leg.target, leg.minutes))

    def shortest(self, origin, target):
        queue, seen = [(0.0, origin)], set()
        while queue:
            minutes, stop = heapq.heappop(queue)
            if stop == target:
                return minutes
            if stop not in seen:
                seen.add(stop)
                for following, more in self.departures[stop]:
                    heapq.heappush(queue, (minutes + more, following))
        return None

    def duration(self, line):
        return sum(leg.minutes for leg in self.routes[line])

    def zones(self, line):
        return [leg.zone for leg in self.routes[line]]


def network():
    city = Network()
    for line in range(1, 9):
        stops = STOPS[line % 3 :] + STOPS[: line % 3]
        city.add(line, stops[: 4 + line % 4], 2.0 + line)
    return city


def ask(city, enquiries):
    answers = 0
    for number in range(enquiries):
        origin, target = STOPS[number % 8], STOPS[(number * 3 + 1) % 8]
        answers += city.shortest(origin, target) is not None
    return answers


def main():
    city = network()
    print("answers", ask(city, 200), "line 5 takes", city.duration(5), flush=True)
    legs = city.routes[5]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(legs) + 24 + 8, 43]]}) + "\n")
    input()
    for hour in range(3):
        print("answers", ask(city, 300), flush=True)
        for line in city.routes:
            print(line, city.duration(line), city.zones(line)[:2], flush=True)


main()
