# SPDX-License-Identifier: Apache-2.0
"""What the programs of waits share: each scenario says what its tasks wait for, then they die.

program.py TRUTH_FILE SCENARIO     one scenario, or "all" of them in one process
"""

import sys

import deathbed

SCENARIOS = {}
TOLD = []  # one entry a task: what it waits for, as the program knows it
KEPT = []


def scenario(function):
    """Register a scenario by the name of its function."""
    SCENARIOS[function.__name__] = function
    return function


def chosen():
    """Return the scenarios that the command line asks for."""
    name = sys.argv[2] if sys.argv[2:] else "all"
    return list(SCENARIOS.values()) if name == "all" else [SCENARIOS[name]]


def tell(who, kind, thing=None, **more):
    """Note what a task waits for; `thing` is the object, `more` what else is known."""
    KEPT.append(thing)
    entry = {"who": who, "kind": kind}
    if thing is not None:
        shown = type(thing)
        entry["address"] = id(thing)
        within = "" if shown.__module__ == "builtins" else shown.__module__ + "."
        entry["type"] = within + shown.__qualname__
    entry.update(more)
    TOLD.append(entry)


def end(way):
    """Write the truth and die."""
    deathbed.die(way, facts={"waits": TOLD})
