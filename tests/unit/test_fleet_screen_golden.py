# SPDX-License-Identifier: Apache-2.0
"""What the screening says of simulated fleets, compared with what it said before a change of how.

How crashes are counted may change, what is counted may not: each finding with all its numbers, its
crashes and its verdict is in `tests/golden/fleet/screens.json`, which was made by 7bb98b2.
`--update-golden` writes it anew, which only a change of the statistics justifies.
"""

from __future__ import annotations

import json
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import fleet_services, fleet_troubles
from support.fleet_simulator import population, simulate

from gdb_epi.fleet.population.population import ComputedOnceCache, Population
from gdb_epi.fleet.questions.population_verdict import judge_population
from gdb_epi.fleet.screen.screening import screen_population

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "fleet" / "screens.json"
SMALL = {"hosts": 200, "per_day": 40.0}
EVERYTHING = {"bad_host": 1.0, "race": 1.0, "split": 2.0, "pinned": 0.5, "forker": 0.5}
EVENTS = ("loop", "everywhere", "rack event", "time of day", "cpu number", "rolled back")
SPOILERS = (
    "feed stops", "feed late", "feed partial", "records lack", "feed lacks", "times lost",
    "no feed",
)  # fmt: skip
FLEETS: dict[str, Any] = {
    "nothing": ((), (), {"per_day": 200.0, "variance": 1.0}),
    "all causes": ((), (), EVERYTHING),
    "forms": ((), (), {**SMALL, "forms": 4.0, "looks": 2.0}),
    "microcode": ((), (), {**SMALL, "microcode": 8.0}),
    "events": (EVENTS, (), {**SMALL, "bad_host": 1.0}),
    "load": (("week load", "overlap", "day of week"), (), {**SMALL, "days": 60, "race": 2.0}),
    **{name: (EVENTS[:4], (name,), {**SMALL, **EVERYTHING}) for name in SPOILERS},
}


def fleets() -> dict[str, Population]:
    made = {}
    for seed, (name, (add, spoil, more)) in enumerate(FLEETS.items(), 770_000):
        fleet = fleet_troubles.add(simulate(seed, **more), seed, add)
        made[name] = population(fleet)
        if spoil:
            made[name] = fleet_troubles.spoil(made[name], seed, spoil)
    services = fleet_services.simulate(770_100, per_day=200.0, bad_host=1.0, race=2.0)
    return {**made, "services": population(services)}


def answers(whole: Population) -> list[list[Any]]:
    """All findings as rows, then all verdicts."""
    screened = screen_population(whole, whole.last_day)
    rows = [
        [*f[:12], list(f.aliases), list(f.caveats), zlib.crc32(np.flatnonzero(f.members).tobytes())]
        for f in screened.findings
    ]
    rows.append([int(screened.peeled.sum())])
    for judged in judge_population(whole, whole.last_day, screened):
        causes = [
            [cause.kind, cause.mark, cause.crashes, cause.hosts, list(cause.facts), cause.label,
             cause.more, zlib.crc32(np.flatnonzero(cause.members).tobytes())]
            for cause in judged.causes
        ]  # fmt: skip
        rows.append([*judged[:3], *map(list, judged[3:5]), causes, *judged[6:]])
    return rows


def same(made: Any, kept: Any) -> bool:
    """Whether two answers are one; sums of floats may differ in their last digits."""
    if isinstance(kept, list):
        return len(made) == len(kept) and all(map(same, made, kept))
    if isinstance(kept, float):
        both_nan = math.isnan(kept) and math.isnan(made)
        return both_nan or math.isclose(made, kept, rel_tol=1e-9, abs_tol=1e-300)
    return bool(made == kept)


def test_screens_are_those_of_before(update_golden: bool) -> None:
    made = {name: answers(whole) for name, whole in fleets().items()}
    text = json.dumps(made, indent=0)
    if update_golden:
        GOLDEN.parent.mkdir(parents=True, exist_ok=True)
        GOLDEN.write_text(text + "\n")
        pytest.skip("written anew")
    kept = json.loads(GOLDEN.read_text())
    assert sum(len(rows) for rows in kept.values()) > 100
    wrong = [name for name, rows in json.loads(text).items() if not same(rows, kept[name])]
    assert not wrong


@pytest.mark.heavy
def test_a_memo_changes_no_answer() -> None:
    """What is counted once and kept is the same for all who ask."""
    kept = json.loads(GOLDEN.read_text())
    name = "events"
    whole = fleets()[name]._replace(memo=ComputedOnceCache())
    for _ in range(2):
        assert same(json.loads(json.dumps(answers(whole))), kept[name])
