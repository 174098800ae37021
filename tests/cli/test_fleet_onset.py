# SPDX-License-Identifier: Apache-2.0
"""Onset against roll-outs, and attributes that go together, on simulated fleets."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from support.fleet_simulator import (
    FIRST_DAY,
    Crash,
    population,
    records,
    simulate,
    timed,
    write_exposure,
)

from gdb_epi.fleet.population.population import Attribute
from gdb_epi.fleet.questions.correlate import (
    APART,
    DECIDES,
    SAME,
    correlate_attributes,
    cramers_v,
    search_condition_pairs,
)
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.screen.silent_hosts import find_silent_groups
from gdb_epi.fleet.statistics.hypothesis_tests import poisson_binomial_tail, relative_risk
from gdb_epi.fleet.store.day_numbers import iso_day

SMALL = {"hosts": 300, "days": 30}


def began(fleet, name):
    pop = population(fleet)
    return find_onset(pop, pop.signatures.index(name))


@pytest.mark.parametrize("seed", [7000, 7001, 7002])
def test_a_race_begins_with_its_image(seed):
    onset = began(simulate(seed, race=4.0, **SMALL), "race")
    assert onset.day is not None and onset.p is not None and onset.p <= 0.01
    assert FIRST_DAY + 10 <= onset.day <= FIRST_DAY + 17, "image1 comes on days 10 to 15"
    assert onset.low <= onset.day <= onset.high and onset.before < onset.after
    assert "image=image1" in onset.answer
    names = [f"{r.attr}={r.value}" for r in onset.roll_outs]
    assert names and names[0] == "image=image1"


def test_the_rate_ratio_has_an_interval():
    fleet = simulate(7000, race=4.0, **SMALL)
    pop = population(fleet)
    onset = find_onset(pop, pop.signatures.index("race"))
    own = [c for c in fleet.crashes if c.signature == "race"]
    after = sum(FIRST_DAY + c.day >= onset.day for c in own)
    late = pop.exposure_day >= onset.day
    hours = [float(pop.exposure_hours[mask].sum()) for mask in (late, ~late)]
    ratio, low, high = relative_risk(after, hours[0], len(own) - after, hours[1])
    assert onset.rr == pytest.approx(ratio) and onset.rr_low > 1
    assert onset.rr_low <= low * 1.000001 and onset.rr_high >= high * 0.999999
    assert onset.rr_low * onset.rr_high == pytest.approx(ratio**2), "even on the scale of ratios"


def test_a_signature_that_was_always_there_did_not_begin():
    onset = began(simulate(7003, **SMALL), "s000")
    assert onset.day is None and onset.answer.startswith("no lasting change") and onset.p > 0.01
    assert "bursts" not in onset.answer


def test_crashes_of_two_outages_are_dated_by_their_days():
    fleet = simulate(7004, hosts=160, days=40, per_day=10)
    for day in (12, 13, 27):
        crash = Crash(day, 0, "outage", 3, False, "outage")
        fleet.crashes.extend(crash._replace(host=40 + n, second=4_000 * n + 100) for n in range(20))
    onset = began(timed(fleet, 7004), "outage")
    days = [iso_day(FIRST_DAY + day) for day in (12, 13, 27)]
    bursts = f"60 of its 60 crashes came in bursts: {days[0]} to {days[1]} (40), {days[2]} (20);"
    assert onset.day is None and bursts in onset.answer, onset.answer


def test_few_crashes_cannot_tell():
    fleet = simulate(7003, race=0.12, **SMALL)
    onset = began(fleet, "race")
    assert onset.answer == f"cannot tell: {onset.crashes} crashes to count, at least 5 are needed"


def test_simultaneous_roll_outs_are_not_told_apart():
    pop = population(simulate(7000, race=4.0, **SMALL))
    image = pop.attribute("image")
    twin = Attribute("agent", ["old", "new"], image.crash.copy(), image.exposure.copy())
    twice = pop._replace(attributes=(*pop.attributes, twin))
    onset = find_onset(twice, twice.signatures.index("race"))
    assert "agent=new" in onset.answer and "image=image1" in onset.answer
    assert any("cannot be told apart" in caveat for caveat in onset.caveats)


@pytest.mark.heavy
def test_no_false_onsets_in_quiet_fleets():
    onsets = 0
    for seed in range(7100, 7104):
        pop = population(simulate(seed, per_day=60, **SMALL))
        for name in ("s000", "s001", "s002", "s003", "s004"):
            onsets += find_onset(pop, pop.signatures.index(name)).day is not None
    assert onsets <= 1  # 20 tests at 1 %


def test_without_exposure_days_count_alike():
    pop = population(simulate(7000, race=4.0, **SMALL))
    onset = find_onset(pop.select(pop.day > 0, pop.exposure_day < 0), pop.signatures.index("race"))
    assert onset.day is not None and onset.exposure.startswith("none")
    # When a version came up is told by the crashes of all other signatures.
    assert [(r.attr, r.value) for r in onset.roll_outs] == [("image", "image1")]


def half_with(pop, attr, code, when, by_hours):
    """The population with an attribute that half of the hosts have while `when` holds, and on."""

    def has(host, day):
        return np.where((host % 2 == 0) & when(day - int(pop.day.min())), 1, 0)

    hours = has(pop.exposure_host, pop.exposure_day)
    crash = has(pop.host, pop.day)
    crash[pop.signature == code] = 1
    own = Attribute(attr, ["off", "on"], crash, hours if by_hours else np.full_like(hours, -1))
    keep = (pop.signature != code) | ((pop.host % 2 == 0) & when(pop.day - int(pop.day.min())))
    every = np.ones(pop.exposure_day.size, dtype=bool)
    return pop._replace(attributes=(*pop.attributes, own)).select(keep, every)


@pytest.mark.parametrize("by_hours", [True, False])
def test_a_rate_falls_with_a_value_that_went_out_of_use(by_hours):
    pop = population(simulate(7003, per_day=60, **SMALL))
    code = pop.signatures.index("s000")
    pop = half_with(pop, "flag", code, lambda day: day < 20, by_hours)
    answer = find_onset(pop, code)
    assert "the rate fell when flag=on went out of use: on the days before" in answer.answer
    (gone,) = (r for r in answer.roll_outs if r.went and r.attr == "flag")
    assert gone.first - int(pop.day.min()) == 20
    # What went away while the flag stayed is not named.
    assert not find_silent_groups(pop)


def test_what_came_up_while_crashes_went_on_elsewhere_is_not_why():
    pop = population(simulate(7003, per_day=60, **SMALL))
    code = pop.signatures.index("s000")
    day = pop.day - int(pop.day.min())
    # It comes four times as often from day 15 on, on any host; half of them then have the library.
    rng = np.random.default_rng(1)
    pop = pop.select(
        (pop.signature != code) | (day >= 15) | (rng.random(day.size) < 0.25),
        np.ones(pop.exposure_day.size, dtype=bool),
    )
    since = int(pop.day.min()) + 15
    late, late_hours = pop.day >= since, pop.exposure_day >= since
    own = Attribute(
        "libx", ["1", "2"], ((pop.host % 2 == 0) & late).astype(int),
        ((pop.exposure_host % 2 == 0) & late_hours).astype(int),
    )  # fmt: skip
    answer = find_onset(pop._replace(attributes=(*pop.attributes, own)), code)
    assert answer.day is not None and answer.answer.startswith("the rate rose; n")
    assert any("libx=2 changed then, and is not why" in caveat for caveat in answer.caveats)


def test_crashes_that_no_day_has_a_place_for_are_told():
    pop = population(simulate(7000, race=4.0, **SMALL))
    code = pop.signatures.index("race")
    mine = np.flatnonzero(pop.signature == code)
    second = pop.second.copy()
    second[mine[:3]] = -1
    last = int(pop.day.max())
    cut = pop._replace(second=second).select(pop.day >= 0, pop.exposure_day < last)
    outside = int((cut.day[mine[3:]] == last).sum())
    onset = find_onset(cut, code)
    assert outside and onset.crashes == mine.size - 3 - outside
    left_out = f"3 without a time that is believed and {outside} on days without host-hours"
    assert onset.caveats[-1] == f"of its {mine.size} crashes are left out: {left_out}"
    assert not any("left out" in caveat for caveat in find_onset(pop, code).caveats)


def test_nested_and_aliased_attributes_are_named():
    pop = population(simulate(7000, hosts=400, days=5))
    sku = pop.attribute("sku")
    renamed = Attribute("model_name", [v.upper() for v in sku.values], sku.crash, sku.exposure)
    correlation = correlate_attributes(pop._replace(attributes=(*pop.attributes, renamed)))
    assert ("model_name", "sku") in correlation.groups
    by_name = {frozenset((p.first, p.second)): p for p in correlation.pairs}
    rack = by_name[frozenset(("rack", "sku"))]
    assert (rack.first, rack.relation) == ("rack", DECIDES) and rack.v > 0.9
    assert by_name[frozenset(("model_name", "sku"))].relation == SAME
    assert by_name[frozenset(("load", "sku"))].relation == APART
    assert by_name[frozenset(("load", "rack"))].v < 0.1


def test_the_pairs_of_a_signature_with_what_each_half_says_alone():
    fleet = simulate(7000, race=3.0, **SMALL)
    pop = population(fleet)
    signature_pairs = search_condition_pairs(pop, pop.signatures.index("race"), pop.last_day)
    assert signature_pairs.crashes == sum(c.signature == "race" for c in fleet.crashes)
    assert (
        signature_pairs.tested == 21
        and signature_pairs.left_out == 0
        and signature_pairs.not_tested == ()
    )
    first = signature_pairs.pairs[0]
    assert first.mark == "image=image1 and load=high"
    assert (
        first.finding.q <= 0.01
        and first.finding.n == first.finding.total == signature_pairs.crashes
    )
    image, load = first.alone
    assert (image.attr, load.attr) == ("image", "load")
    assert first.finding.rr > max(image.rr, load.rr), "the pair says more than each half"
    assert len({p.mark for p in signature_pairs.pairs} | set(first.finding.aliases)) == len(
        signature_pairs.pairs
    ) + len(first.finding.aliases), "an alias is no pair of its own"
    quiet = search_condition_pairs(pop, pop.signatures.index("s000"), pop.last_day)
    assert quiet.pairs == ()


def test_of_two_values_that_nearly_all_have_it_is_said_that_both_may_be_needed():
    """Two packages that many processes have together: the crashes have both, each time."""
    rng = np.random.default_rng(46)
    pop = population(simulate(7006, hosts=60, days=20, per_day=6, new_share=0.0))
    size, nowhere = pop.day.size, np.full(pop.exposure_day.size, -1)
    mine = np.arange(size) % 4 == 0
    first = mine | (rng.random(size) < 0.5)
    second = mine | (rng.random(size) < 0.2) | (first & (rng.random(size) < 0.93))
    both = tuple(
        Attribute(f"package {name}", ["1", "2"], has.astype(np.int64), nowhere)
        for name, has in (("a", first), ("b", second))
    )
    names = [*pop.signatures, "needs both"]
    signature = np.where(mine, len(names) - 1, pop.signature)
    asked = pop._replace(attributes=both, signature=signature, signatures=names, memo=None)
    search = search_condition_pairs(asked, len(names) - 1, asked.last_day)
    assert not search.pairs and len(search.shared) == 2, search
    n = int(mine.sum())
    assert search.shared[0].startswith(f"package a=2 ({n} of {n}; "), search.shared


def test_pairs_leave_out_what_a_host_explains():
    fleet = simulate(7000, split=3.0, **SMALL)
    pop = population(fleet)
    signature_pairs = search_condition_pairs(pop, pop.signatures.index("two-faces"), pop.last_day)
    total = sum(c.signature == "two-faces" for c in fleet.crashes)
    assert signature_pairs.left_out and signature_pairs.crashes + signature_pairs.left_out == total
    assert all("host" not in pair.mark for pair in signature_pairs.pairs)


def test_cramers_v_against_worked_numbers():
    perfect = np.array([[50.0, 0.0], [0.0, 50.0]])
    assert cramers_v(perfect, 100) == pytest.approx(1.0, abs=0.01)
    # phi^2 = .04: corrected (.04 - 1/99) / (2 - 1/99 - 1)
    some = np.array([[30.0, 20.0], [20.0, 30.0]])
    assert cramers_v(some, 100) == pytest.approx(np.sqrt((0.04 - 1 / 99) / (1 - 1 / 99)))
    assert cramers_v(np.array([[25.0, 25.0], [25.0, 25.0]]), 100) == 0.0


def test_the_poisson_binomial_is_exact():
    assert poisson_binomial_tail(2, np.array([0.5, 0.25])) == pytest.approx(0.125)
    assert poisson_binomial_tail(1, np.array([0.5, 0.25])) == pytest.approx(0.625)
    assert poisson_binomial_tail(0, np.array([0.5])) == 1.0
    many = np.full(3000, 0.5)
    assert poisson_binomial_tail(1500, many) == pytest.approx(0.507, abs=0.01)


def test_the_verbs(shell, tmp_path):
    fleet = simulate(7000, race=4.0, hosts=120, days=30, per_day=20)
    write_exposure(fleet, tmp_path / "hours.csv")
    text = "\n".join(json.dumps(r) for r in records(fleet))
    shell("fleet", "ingest", "-", stdin=text.encode())
    shell("fleet", "exposure", tmp_path / "hours.csv")
    out = shell("fleet", "onset", "race").out
    assert "the rate rose" in out and "image=image1" in out and "95 %" in out
    data = json.loads(shell("fleet", "onset", "race", "--json").out)
    assert data["day"].startswith("2026-01-") and data["roll_outs"][0]["attr"] == "image"
    rows = list(csv.DictReader(io.StringIO(shell("fleet", "onset", "race", "--csv").out)))
    assert rows[0]["value"] == "image1"
    assert shell("fleet", "onset", "nothing-like-it").code == 3
    assert "decides" in shell("fleet", "correlate").out
    assert json.loads(shell("fleet", "correlate", "--json").out)["nested"]
    assert shell("fleet", "correlate", "--csv").out.startswith(
        "first,second,v,relation,rows,source"
    )
    out = shell("fleet", "correlate", "race").out
    assert "image=image1 and load=high: " in out and "load=high alone: " in out
    assert "compared with: host-hours" in out and " q " in out and "but: " in out
    (pair, *_) = json.loads(shell("fleet", "correlate", "race", "--json").out)["pairs"]
    assert pair["and_value"] == "high" and len(pair["alone"]) == 2 and pair["rr_interval"]
    assert shell("fleet", "correlate", "race", "--csv").out.startswith("attr,value,and_attr,")
    assert shell("fleet", "correlate", "nothing-like-it").code == 3


def test_of_what_was_rolled_out_together_it_is_said_what_the_screening_tells_apart(shell, tmp_path):
    """New machines brought a kernel that six of the old ones got later, and are well with."""
    rows, hours = [], ["day,hours,host,model,kernel"]
    for day in range(40):
        for host in range(60):
            is_new = host >= 40
            if is_new and day < 18:
                continue
            kernel = "6.11" if is_new or (host < 8 and day >= 22) else "6.8"
            model = "m2" if is_new else "m1"
            hours.append(f"{FIRST_DAY + day},24,h{host},{model},{kernel}")
            number, kind = day * 60 + host, "usual" if (day + host) % 11 == 0 else ""
            kind = "fresh" if is_new and (3 * day + host) % 10 == 0 else kind
            if kind:
                text = f"gsig/2 stable segv-null f <-- py:{kind}"
                rows.append({
                    "schema": "gdb-epi/record/1",
                    "core_key": f"{number:032x}",
                    "host": {"hostname": f"h{host}", "attributes": {}},
                    "time": {"crash_ts": 86_400.0 * (FIRST_DAY + day) + number * 7919 % 86_400},
                    "signature": {
                        "version": "gsig/2",
                        "keys": {"stable": f"{sum(map(ord, kind)):016x}"},
                        "text": {"stable": text},
                    },
                })  # fmt: skip
    (tmp_path / "hours.csv").write_text("\n".join(hours) + "\n")
    shell("fleet", "ingest", "-", stdin="\n".join(map(json.dumps, rows)).encode())
    assert shell("fleet", "exposure", tmp_path / "hours.csv").code == 0
    told = shell("fleet", "onset", "py:fresh").out
    assert "model=m2 and kernel=6.11, which were rolled out together" in told, told
    assert (
        "over all days: hardware, firmware, or code that only such hosts run: goes with m" in told
    )
