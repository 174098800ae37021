# SPDX-License-Identifier: Apache-2.0
"""Place parcels on the places of a lorry; what finds no place goes with the next one."""

import loading


class Parcel:
    def __init__(self, number, weight):
        self.number = number
        self.weight = weight


class Depot:
    def __init__(self, parcels):
        self.parcels = parcels

    def load(self, places):
        lorry = [None] * places
        late = []
        for place, parcel in enumerate(self.parcels):
            if not loading.place(lorry, place, parcel):
                late.append(place)
        return lorry, late


def main():
    depot = Depot([Parcel(number, 1.5 * number) for number in range(60)])
    lorry, late = depot.load(40)
    rest = [depot.parcels[place] for place in late]
    manifest = [{"parcel": parcel.number} for parcel in lorry]
    depot.parcels = rest
    lorry, late = depot.load(5)
    labels = ["label %d" % number for number in range(2000)]
    print(sum(parcel.weight for parcel in depot.parcels), len(manifest), len(labels))


main()
