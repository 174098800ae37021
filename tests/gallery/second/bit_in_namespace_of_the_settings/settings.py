# SPDX-License-Identifier: Apache-2.0
"""Settings of the dispatcher."""

DEPOTS = ("north", "harbour", "airport")
HEAVY = 31
HEAVY_FEE = 9
FEE_PER_KILO = 2
