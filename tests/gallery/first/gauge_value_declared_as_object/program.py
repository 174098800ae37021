# SPDX-License-Identifier: Apache-2.0
"""Metrics of a service, kept in a compiled type and scraped every few seconds."""

import gauges


def observe(registry, samples):
    for name, value in samples:
        registry.setdefault(name, gauges.Gauge(name)).set(value)


def scrape(registry):
    lines = []
    for name in sorted(registry):
        lines.append("%s %s" % (registry[name].name, registry[name].value))
    return "\n".join(lines)


def main():
    registry = {}
    observe(registry, [("load", 0.75), ("queue", 12.0), ("latency", 0.031)])
    print(scrape(registry))


main()
