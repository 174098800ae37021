# SPDX-License-Identifier: Apache-2.0
"""Which values go with a signature by the crashes alone, where host-hours do not cover all of it.

A feed of host-hours that begins after a roll-out, or that lacks the kernel of every second host,
makes the share of a version wrong or its crashes few. The records know both, so other crashes serve
as the controls (case-control). Only signatures picked beforehand are tested so, never all.
"""

from __future__ import annotations

from gdb_epi.fleet.population.coverage import drop_hours, has_crashes_without_hours
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.screen.attributes import signature_findings
from gdb_epi.fleet.screen.finding import MAX_Q, Finding
from gdb_epi.fleet.statistics.arrays import Bools

FAMILIES = 3  # by host-hours, by the crashes that these do not cover, and by all crashes


def case_control_findings(population: Population, free: Bools, name: str) -> list[Finding]:
    """Return the values that go with a signature by all crashes; none where hours tell of all.

    `free` are the crashes that hosts do not explain. This is one more question about the same
    signature, so q allows for all of them.
    """
    if not has_crashes_without_hours(population):
        return []
    alone = drop_hours(population)
    paid = (f._replace(q=f.q * FAMILIES) for f in signature_findings(alone, free, name))
    return [finding for finding in paid if finding.q <= MAX_Q]
