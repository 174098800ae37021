# SPDX-License-Identifier: Apache-2.0
"""Counts the visitors of a large fair at its many gates, with metrics for the operators."""

import os

from arbiter import Arbiter


def main():
    arbiter = Arbiter()
    for gate in range(60_000):
        arbiter.visits.inc(f"gate {gate:05d}", 0)
    arbiter.start(["north", "south"])
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    visits = arbiter.serve(60_000)
    print(visits, "visits,", len(arbiter.registry.expose()), "bytes of metrics")


if __name__ == "__main__":
    main()
