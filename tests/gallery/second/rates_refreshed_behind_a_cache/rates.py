# SPDX-License-Identifier: Apache-2.0
"""Freight rates between ports; some are told by the rate of another leg."""

import time

from regions import Region


class RateBook:
    LEGS = {
        "Riga-Hull": (410, "Hull-Riga"),
        "Hull-Riga": (380, "Riga-Hull"),
        "Gdansk-Leith": (520, None),
    }

    def __init__(self):
        self.region = Region(lifetime=30.0)
        self.asked = []

    def rate(self, leg):
        return self.region.get_or_create(leg, lambda: self._work_out(leg))

    def base(self, leg):
        time.sleep(0.3)
        return self.LEGS[leg][0]

    def _work_out(self, leg):
        self.asked.append(leg)
        price, back = self.base(leg), self.LEGS[leg][1]
        if back is not None and price > 400:
            price = min(price, self.rate(back) + 25)
        elif back is not None:
            price = max(price, self.rate(back) - 25)
        return price
