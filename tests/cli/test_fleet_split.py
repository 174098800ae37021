# SPDX-License-Identifier: Apache-2.0
"""The populations inside one signature: forms by facts, pairs of attributes, what they agree with.

Whole rows of simulated fleets: tests/bench/fleet_split.py.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.fleet_simulator import (
    FIRST_DAY,
    Crash,
    agreement,
    population,
    records,
    simulate,
    timed,
    write_exposure,
)

from gdb_epi.fleet.population.population import Attribute
from gdb_epi.fleet.questions.splitting import UNCERTAIN, split_signature
from gdb_epi.fleet.questions.subpopulations import find_subpopulations
from gdb_epi.fleet.screen.attribute_pairs import pair_findings
from gdb_epi.fleet.statistics.latent_classes import find_classes
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import read_host_days, store_exposure
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.render.signature_words import hash_signature_line

SMALL = {"hosts": 300, "days": 24, "per_day": 20.0}
LAST = FIRST_DAY + 23


def parted(fleet, name):
    pop = population(fleet)
    split = split_signature(pop, pop.signatures.index(name), LAST)
    causes, parts = [], []
    for number, part in enumerate(split.parts):
        for i in np.flatnonzero(part.members):
            causes.append(fleet.crashes[i].cause)
            parts.append(number)
    assert len(parts) == sum(c.signature == name for c in fleet.crashes), "each crash is in one"
    return split, agreement(causes, parts)


def test_classes_are_found_where_facts_agree_and_not_where_they_vary_alone():
    rng = np.random.default_rng(1)
    truth = rng.integers(2, size=60)
    agree = [np.where(rng.random(60) < 0.9, truth, 1 - truth) for _ in range(5)]
    classes = find_classes(agree)
    assert classes.number == 2 and agreement(truth.tolist(), classes.of_row.tolist()) > 0.75
    assert classes.gain > 10
    for seed in range(20):
        alone = [np.random.default_rng([seed, i]).integers(3, size=60) for i in range(5)]
        assert find_classes(alone).number == 1
    agree[0] = agree[0].copy()
    agree[0][::3] = -1
    assert find_classes(agree).number == 2, "what is absent says nothing"


def test_three_classes_are_three_and_the_same_every_time():
    rng = np.random.default_rng(2)
    truth = rng.integers(3, size=120)
    facts = [(truth + (rng.random(120) < 0.05)) % 3 for _ in range(4)]
    first = find_classes(facts)
    assert first.number == 3 and agreement(truth.tolist(), first.of_row.tolist()) > 0.85
    assert find_classes(facts).of_row.tolist() == first.of_row.tolist()


@pytest.mark.parametrize("seed", [5000, 5001, 5002])
def test_a_host_and_a_kernel_are_told_apart(seed):
    fleet = simulate(seed, split=3.0, **SMALL)
    split, ari = parted(fleet, "two-faces")
    assert ari >= 0.95
    assert split.parts[0].mark == f"host={fleet.truth['split'][1]}"
    assert split.parts[1].mark == "kernel=kernel1" or "kernel1" in str(split.parts[1].leaning)


def test_what_cannot_be_told_from_chance_is_said_with_its_chance():
    """Few crashes on a kernel that most hosts run: it is possible, and no finding."""
    fleet = simulate(5003, split=0.5, **SMALL)
    pop = population(fleet)
    split = split_signature(pop, pop.signatures.index("two-faces"), LAST)
    (rest,) = [part for part in split.parts if part.finding is None]
    assert rest.undecided is not None
    kernel = next(mark for mark in rest.undecided.possible if mark.attr == "kernel")
    assert (kernel.value, kernel.crashes) == ("kernel1", kernel.known)
    assert 0.01 < kernel.chance <= 1 and kernel.more
    line = next(line for line in rest.undecided.lines() if "kernel=kernel1" in line)
    assert line.startswith("cannot be told from chance yet: ") and "more crash" in line
    assert kernel.more and f"about {kernel.more} more crash" in line


def test_of_crashes_that_share_nothing_it_is_said_that_the_cause_is_elsewhere():
    fleet = simulate(5000, looks=3.0, **SMALL)
    pop = population(fleet)
    bare = [a for a in pop.attributes if a.name in ("rack", "sku", "cpu_model")]
    pop = pop._replace(attributes=tuple(bare))
    split = split_signature(pop, pop.signatures.index("looks"), LAST)
    (part,) = split.parts
    assert part.undecided is not None and not part.undecided.possible
    assert part.more is None, "no number of crashes would tell"
    (line,) = part.undecided.lines()
    assert line.startswith("cannot be told: these crashes share no value of rack, sku, cpu_model")
    # What nearly all crashes have is shared, and tells nothing.
    odd = ~pop.crashes_of_signature("looks") & (np.arange(pop.day.size) % 40 == 0)
    nowhere = np.full(pop.exposure_day.size, -1)
    image = Attribute("image", ["shop:1", "shop:2"], odd.astype(int), nowhere)
    (part,) = split_signature(
        pop._replace(attributes=(*bare, image)), pop.signatures.index("looks"), LAST
    ).parts
    assert part.undecided is not None
    first, second = part.undecided.lines()
    assert "image" not in first and second.startswith("nearly all have image=shop:1, as have ")
    lost = pop.with_each_attribute_changed(
        lambda a: a._replace(crash=np.where(pop.host % 2, -1, a.crash))
    )
    (part,) = split_signature(lost, pop.signatures.index("looks"), LAST).parts
    assert part.undecided is not None
    assert any(line.startswith("missing of the ") for line in part.undecided.lines())
    few = part.undecided._replace(crashes=2)
    assert few.lines() == ["cannot be told: 2 crashes are too few"]


def test_two_causes_that_facts_tell_apart_are_named_with_what_marks_them():
    split, ari = parted(simulate(5000, forms=4.0, **SMALL), "shapes")
    assert ari >= 0.75 and len([p for p in split.parts if p.finding]) == 2
    image = next(p for p in split.parts if "image=image1" in p.mark)
    assert any(words.startswith("rsp_mod_16=8 (") for words in image.facts)
    assert "elsewhere)" in image.facts[0] and image.more is None


def test_crashes_whose_facts_fit_two_forms_are_left_unassigned_and_counted():
    """Each fact is wrong in some crashes: nobody could tell all of them."""
    fleet = simulate(5000, forms=4.0, **SMALL)
    split, _ = parted(fleet, "shapes")
    (unsure,) = [part for part in split.parts if part.mark == UNCERTAIN]
    total = sum(part.crashes for part in split.parts)
    assert 0 < unsure.crashes <= 0.15 * total and "left unassigned" in unsure.label
    sure = {int(i): n for n, p in enumerate(split.parts) if p is not unsure
            for i in np.flatnonzero(p.members)}  # fmt: skip
    causes = [fleet.crashes[i].cause for i in sure]
    assert agreement(causes, list(sure.values())) >= 0.9
    agree = [np.arange(60) % 2 for _ in range(4)]
    assert find_classes(agree).sure.all(), "nothing is uncertain where the facts agree"


def test_forms_that_nothing_of_the_fleet_marks_are_no_causes():
    fleet = simulate(5001, forms=4.0, **SMALL)
    anywhere = [
        c._replace(host=i % 300, day=i % 24) if c.signature == "shapes" else c
        for i, c in enumerate(fleet.crashes)
    ]
    fleet.crashes[:] = sorted(anywhere)
    split, _ = parted(fleet, "shapes")
    assert split.answer.startswith("not enough") and "2 forms" in split.answer
    assert all(p.finding is None and "cannot be told" in p.label for p in split.parts[:2])


def test_facts_that_vary_by_chance_are_one_population():
    for seed in range(5000, 5004):
        split, _ = parted(simulate(seed, looks=3.0, **SMALL), "looks")
        assert len(split.parts) == 1 and split.parts[0].finding is None


def test_two_names_of_one_measurement_are_one_fact():
    fleet = simulate(5003, looks=3.0, **SMALL)
    pop = population(fleet)
    shadow = pop.facts[0]._replace(name="the same by another name")
    mine = pop.signature == pop.signatures.index("looks")
    assert find_subpopulations(pop._replace(facts=(*pop.facts, shadow)), mine), (
        "nothing tells that it is one"
    )
    other = np.flatnonzero(~mine)
    codes = shadow.crash.copy()
    codes[other] = np.arange(other.size) % 3  # in other signatures both vary, together
    first = pop.facts[0]._replace(crash=codes)
    both = (first, shadow._replace(crash=codes), *pop.facts[1:])
    assert find_subpopulations(pop._replace(facts=both), mine) == []


def test_functions_without_a_name_are_forms_of_their_own():
    fleet = simulate(5003, looks=3.0, **SMALL)
    pop = population(fleet)
    mine = pop.signature == pop.signatures.index("looks")
    rows = np.flatnonzero(mine)
    codes = np.full(mine.size, -1, dtype=np.int64)
    codes[rows] = np.arange(rows.size) % 3
    codes[rows[:4]] = -1  # records of before have none
    names = ["fn_0123456789ab", "fn_ba9876543210", "fn_00112233aabb"]
    function = pop.facts[0]._replace(name="function_code", values=names, crash=codes)
    pop = pop._replace(facts=(*pop.facts, function))
    marks = [form.mark for form in find_subpopulations(pop, mine)]
    assert sorted(marks[:3]) == sorted(f"function_code={name}" for name in names)
    assert marks[3:] == ["another function, or not known which"]
    assert sum(int(form.members.sum()) for form in find_subpopulations(pop, mine)) == rows.size
    split = split_signature(pop, pop.signatures.index("looks"), LAST)
    assert {part.mark for part in split.parts} >= set(marks[:3])
    # One function is no form: there is nothing to part.
    codes[rows] = 0
    assert not any("function" in form.mark for form in find_subpopulations(pop, mine))


def test_a_pair_is_found_where_neither_condition_is_alone():
    fleet = simulate(5004, race=2.0, **SMALL)
    pop = population(fleet)
    code = pop.signatures.index("race")
    free = np.ones(pop.day.size, dtype=bool)
    free[np.flatnonzero(pop.signature == code)[9:]] = False
    pairs = [{(f.attr, f.value) for f in pair} for pair in pair_findings(pop, free, "race")]
    assert {("image", "image1"), ("load", "high")} in pairs
    assert list(pair_findings(pop, free, pop.signatures[0])) == []


def test_outages_of_a_rack_after_a_roll_out_do_not_need_what_came_with_it():
    """On four days all hosts of a rack fail; its kernel is a month old by then."""
    fleet = simulate(5004, hosts=160, days=40, per_day=10)
    at = [(day, host, n) for day in (28, 29, 34, 35) for host in range(40, 60, 2) for n in range(2)]
    for day, host, n in at:
        second = 4_000 * (host - 40 + n)
        fleet.crashes.append(Crash(day, host, "outage", 3, False, "outage", second=second))
    pop = population(timed(fleet, 5004))
    of_outages = pop.crashes_of_signature("outage")
    for name in ("kernel", "image"):
        codes = pop.attribute(name).crash[of_outages]
        assert (codes == codes[0]).all(), "all have the newer one"
    free = np.ones(pop.day.size, dtype=bool)
    assert list(pair_findings(pop, free, "outage")) == []
    part, *_ = split_signature(pop, pop.signatures.index("outage"), LAST).parts
    assert part.mark == "rack=r002" and "needs" not in part.label, part.label


def test_split_says_it_in_words_through_the_database(tmp_path, shell):
    fleet = simulate(5000, forms=4.0, hosts=60, days=24, per_day=10)
    db = str(tmp_path / "f.sqlite3")
    write_exposure(fleet, tmp_path / "hours.csv")
    with open_database(db, write=True) as engine:
        ingest(engine, (("t", r) for r in records(fleet)))
        store_exposure(engine, read_host_days(tmp_path / "hours.csv"))
    done = shell("fleet", "split", "shapes", "--db", db)
    assert "told apart by rsp_mod_16=8 (" in done.out and "two causes" in done.out
    parts = json.loads(shell("fleet", "split", "shapes", "--json", "--db", db).out)["parts"]
    assert any("fault_kind=return" in fact for part in parts for fact in part["facts"])


def test_the_file_of_an_interpreter_is_no_evidence_for_its_version(shell):
    """Crashes of four signatures on three versions of Python, each started from its own file."""
    lines = []
    for number in range(96):
        kind, minor = ("hung", "a", "b", "c")[number % 4], 11 + number // 4 % 3
        line = f"gsig/2 stable segv-null {kind} <-- py:__main__.{kind}"
        lines.append(json.dumps({
            "schema": "gdb-epi/record/1",
            "core_key": f"{number:032x}",
            "host": {"hostname": f"node-{number % 11}"},
            "time": {"crash_ts": 1_764_000_000.0 + 3_000 * number, "ts_source": "journal"},
            "process": {"executable": f"/py/3.{minor}/bin/python", "script": "app.py"},
            "python": {"version": f"3.{minor}.0"},
            "signature": {
                "version": "gsig/2",
                "keys": {"stable": hash_signature_line(line)},
                "text": {"stable": line},
            },
        }))  # fmt: skip
    shell("fleet", "ingest", "-", stdin="\n".join(lines).encode())
    out = shell("fleet", "split", "hung").out
    assert "24 crashes on 11 hosts" in out and "exe=" not in out, out
    assert "needs" not in out and "goes with" not in out, out
