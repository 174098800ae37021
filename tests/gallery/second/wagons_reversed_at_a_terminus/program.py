# SPDX-License-Identifier: Apache-2.0
"""The wagons of a train are turned at a terminus: the list of the train is set by a slice of step -1."""  # noqa: E501

import json


class Train:
    def __init__(self, number, wagons):
        self.number = number
        self.wagons = wagons
        self.log = []

    def note(self, text):
        self.log.append(text)

    def turn(self, order):
        """The last wagon becomes the first: what `order` yields is set from the end."""
        self.wagons[::-1] = order
        self.note("turned")


class Yard:
    """Wagons that are taken off a train while it is told over."""

    def __init__(self):
        self.tracks = {}

    def shunt(self, train):
        self.tracks[train.number] = len(train.wagons)
        train.wagons.clear()


class ManifestOrder:
    """Yields the wagons as they stand in the manifest and sends the train to the yard behind it."""

    def __init__(self, train, yard=None):
        self.train, self.yard = train, yard

    def __iter__(self):
        yield from list(self.train.wagons)
        if self.yard is not None:
            self.yard.shunt(self.train)


def load(text):
    return [Train(each["number"], each["wagons"]) for each in json.loads(text)]


MANIFEST = json.dumps(
    [
        {"number": 410, "wagons": ["post", "diner", "sleeper"]},
        {"number": 411, "wagons": [f"freight-{n}" for n in range(24)]},
    ]
)


def main():
    yard = Yard()
    passenger, freight = load(MANIFEST)
    passenger.turn(ManifestOrder(passenger))
    print(passenger.number, passenger.wagons, flush=True)
    freight.turn(ManifestOrder(freight, yard))
    print(freight.number, freight.wagons, yard.tracks, flush=True)


main()
