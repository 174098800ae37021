# SPDX-License-Identifier: Apache-2.0
"""A group of hosts is named with what sets it apart inside, and who has it still."""

from __future__ import annotations

from support.fleet_simulator import CPUS, FIRST_DAY, Crash, population, simulate

from gdb_epi.fleet.questions.population_verdict import judge_population

DAYS, MENDED, LATE = 30, 18, ("node-40", "node-43")


def test_an_erratum_is_named_by_all_that_it_needs():
    fleet = simulate(661_300, hosts=300, days=DAYS, per_day=20.0)
    hosts = range(300)
    sku = ["new" if h < 150 else "old" for h in hosts]
    rack = ["6" if h % 3 == 1 else "8" for h in hosts]
    microcode = []
    for day in range(DAYS):
        is_mended = [day >= MENDED and f"node-{h}" not in LATE for h in hosts]
        names = zip(sku, is_mended, strict=True)
        microcode.append([f"{'new' if m == 'new' else 'old'}-{1 + done}" for m, done in names])
    fleet.columns["sku"] = [sku] * DAYS
    fleet.columns["rack"] = [rack] * DAYS
    fleet.columns["microcode"] = microcode
    guilty = [h for h in hosts if sku[h] == "new" and rack[h] == "6"]
    for number in range(2 * len(guilty)):
        day = number % DAYS
        host = guilty[7 * number % len(guilty)]
        if microcode[day][host] == "new-1":
            fleet.crashes.append(Crash(day, host, f"s{number % 9:03}", number % CPUS, True, ""))
    fleet.crashes.sort()
    verdicts = judge_population(population(fleet), FIRST_DAY + DAYS - 1)
    (line,) = (verdict.headline for verdict in verdicts if "bit flips" in verdict.headline)
    for value in ("rack=6", "microcode=new-1"):  # no other model has that microcode
        assert value in line
    assert line.endswith(f"2 hosts of 50 have all of these now: {', '.join(LATE)}")
