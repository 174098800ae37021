# SPDX-License-Identifier: Apache-2.0
"""A weighbridge: the axles of a lorry are weighed one by one, and too heavy loads are told."""

import weighbridge

LIMIT = 18.0


class Lorry:
    def __init__(self, plate, axles):
        self.plate = plate
        self.axles = axles
        self.loads = []

    def cross(self):
        for axle in range(self.axles):
            load = weighbridge.weigh(axle, sum(map(ord, self.plate)))
            self.loads.append(load if load is None else round(load, 2))
        return self

    @property
    def total(self):
        return sum(load for load in self.loads if load is not None)


def report(lorry):
    remark = "too heavy" if lorry.total > LIMIT * lorry.axles / 3 else "ok"
    return {"plate": lorry.plate, "loads": list(lorry.loads), "remark": remark}


def main():
    for plate, axles in (("HH-AB 12", 3), ("B-XY 731", 5), ("M-CD 4", 9), ("K-EF 88", 4)):
        print(report(Lorry(plate, axles).cross()))


main()
