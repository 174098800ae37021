# SPDX-License-Identifier: Apache-2.0
"""The gauges of a water works are C objects; the operators may note a remark on each."""

import gauges

PLAN = (
    ("inflow north", "litres per minute, mean"),
    ("inflow south", "litres per minute, mean"),
    ("basin", "metres above the reference"),
)


def build(plan):
    return {name: gauges.Gauge(unit) for name, unit in plan}


def take_readings(works, values):
    for gauge, value in zip(works.values(), values):
        gauge.set(value)


def note(works, remarks):
    for name, text in remarks.items():
        works[name].remark = text


def report(works):
    for name, gauge in works.items():
        print(name, gauge.get(), gauge.unit(), getattr(gauge, "remark", ""))


def main():
    works = build(PLAN)
    take_readings(works, [812.0, 640.5, 3.2])
    note(works, {"basin": "cleaned in May"})
    report(works)


main()
