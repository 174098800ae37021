# SPDX-License-Identifier: Apache-2.0
"""Quote service: the tariffs are read when the service starts."""

import os

with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())

from tariffs import REGIONS  # noqa: E402


def quote(region, weight):
    tariff = REGIONS[region]
    return tariff.base + tariff.per_kilo * weight


print(quote("north", 3.5))
