# SPDX-License-Identifier: Apache-2.0
"""Rates by the values of an attribute: what is worse, and what only runs where more crashes."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from support.fleet_lives.lab import Fleet
from support.fleet_rates import DAYS, FIRST, HOSTS, ask, fleet, rolled_out, waves
from unit.fleet_records import full

from gdb_epi.cli.main import main
from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.population.staged_rollout_hours import (
    _stages_of_hosts,
    population_with_rollout_hours,
)
from gdb_epi.fleet.questions.changes_by_host_hours import change_by_hours_of_value_sentence
from gdb_epi.fleet.questions.collection_limits import find_limit_per_host
from gdb_epi.fleet.questions.daily_rates import daily_rates, growing_signatures
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.rates import ValueRate, rates_of_values, worse_value_sentences
from gdb_epi.fleet.screen.dose_response import starts_by_place_words
from gdb_epi.fleet.statistics.rate_ratios import RateRatio
from gdb_epi.fleet.store.day_numbers import iso_day


def test_a_version_that_changes_nothing_has_no_more_crashes():
    row = ask(fleet(np.full((HOSTS, DAYS), 0.1), {"kernel": waves()}), "kernel", "new")
    assert row.answer.startswith("no more crashes with it: ")
    assert row.per_1000_hours == pytest.approx(100 / 24, rel=0.2)


def test_a_version_that_is_worse_is_worse_on_both_counts():
    kernel = waves()
    row = ask(fleet(0.1 * (1 + 2 * kernel), {"kernel": kernel}), "kernel", "new")
    assert row.answer.startswith("more crashes with it: ")
    assert row.same_days is not None
    assert row.same_hosts is not None
    for risk in (row.same_days, row.same_hosts):
        assert 1 < risk.low < 3 < risk.high


def test_a_canary_on_hosts_that_always_crashed_more_is_not_to_blame():
    canary = np.arange(HOSTS) < 17
    release = rolled_out(np.where(canary, 20, 99))
    replay = np.where(canary, 3 / 4, 0.0)[:, None] * np.ones(DAYS)
    rates = np.where(canary, 0.4, 0.1)[:, None] * np.ones(DAYS)
    population = fleet(rates, {"release": release}, {"namespace": replay})
    row = ask(population, "release", "new")
    assert row.answer.startswith("its hosts crash more, with it or without it: ")
    assert "the excess is namespace=shadow" in row.answer


def test_a_signature_that_came_with_a_value_is_told_before_all_crashes():
    """Of all crashes it is too few to be seen, and what rose everywhere did not come with it."""
    kernel, rng = waves(), np.random.default_rng(5)
    population = fleet(np.full((HOSTS, DAYS), 0.1), {"kernel": kernel})
    some = rng.random(population.day.size) < 0.08
    others = np.maximum(population.signature, 1)
    with_it = some & (population.attributes[0].crash == 1)
    row = ask(population._replace(signature=np.where(with_it, 0, others)), "kernel", "new")
    assert row.answer.startswith("more crashes with it than with kernel=old, which its hosts had ")
    assert "): s0 " in row.answer and "; all other crashes: no more crashes with it" in row.answer
    since = some & (population.day >= FIRST + 18)
    row = ask(population._replace(signature=np.where(since, 0, others)), "kernel", "new")
    assert row.answer.startswith("no more crashes with it: ")


def test_a_mended_signature_that_a_later_value_has_again_is_back():
    versions = rolled_out([13] * HOSTS) + rolled_out([27] * HOSTS)
    population = fleet(np.full((HOSTS, DAYS), 0.1), {"kernel": versions})
    (kernel,) = population.attributes
    population = population._replace(
        attributes=(kernel._replace(values=["6.0", "6.1", "6.2"]),),
        signature=np.where(
            (kernel.crash != 1) & (np.arange(kernel.crash.size) % 6 == 0), 0,
            np.maximum(population.signature, 1),
        ),
    )  # fmt: skip
    answer = ask(population, "kernel", "6.2").answer
    assert answer.startswith(
        "more crashes with it than with kernel=6.1, which its hosts had before"
    )
    assert ", 0 before, back as with kernel=6.0 (" in answer
    assert "back" not in ask(population, "kernel", "6.1").answer


def test_few_hosts_that_changed_tell_of_the_value_and_not_of_the_others():
    """The new machines came with the kernel; old ones that got it crash as before."""
    since = np.full(HOSTS, 99)
    since[:60], since[60:84] = 0, 20
    rates = np.where(np.arange(HOSTS) < 60, 0.3, 0.1)[:, None] * np.ones(DAYS)
    answer = ask(fleet(rates, {"kernel": rolled_out(since)}), "kernel", "new").answer
    assert answer.startswith("more crashes on its hosts, and not by it: ")
    assert "; those 24 of its 84 hosts that had another value, too, have with it " in answer


def test_a_storm_is_no_rate_of_a_value():
    population = fleet(np.full((HOSTS, DAYS), 0.1), {"kernel": waves()})
    storm = np.flatnonzero(population.day == FIRST + 20)[:18]
    second = population.day * 86_400 + np.arange(population.day.size) * 311 % 86_400
    second[storm] = (FIRST + 20) * 86_400 + np.arange(storm.size)
    signature = np.maximum(population.signature, 1)
    signature[storm] = 0
    order = np.argsort(second, kind="stable")
    kernel = population.attributes[0]
    population = population._replace(
        second=second[order], signature=signature[order], host=population.host[order],
        attributes=(kernel._replace(crash=kernel.crash[order]),),
    )  # fmt: skip
    rates = rates_of_values(population, population.attributes[0], population.signature == 0)
    assert rates.repeats == 17
    with_it = int((population.attributes[0].crash[population.signature == 0] == 1).sum())
    (answer,) = [row.answer for row in rates.rows if row.value == "new"]
    assert answer.startswith("cannot tell: 17 of these 18 crashes came together with others, ")
    assert answer.endswith(f": {with_it} of them have it")


def test_of_hosts_that_never_had_another_value_nothing_is_told_apart():
    ring = np.repeat((np.arange(HOSTS) < 30).astype(int)[:, None], DAYS, axis=1)
    row = ask(fleet(0.1 * (1 + 2 * ring), {"ring": ring}), "ring", "new")
    assert row.same_hosts is None
    assert (
        "its hosts never had another value, so these hosts or their work fit as well" in row.answer
    )


def test_what_came_together_is_told_by_the_hosts_that_got_only_one_of_both():
    kernel = waves()
    microcode = kernel * (np.arange(HOSTS) % 5 < 2)[:, None]
    population = fleet(0.1 * (1 + 2 * microcode), {"kernel": kernel, "microcode": microcode})
    row = ask(population, "kernel", "new")
    assert "; microcode explains it: at the same microcode " in row.answer
    assert "explains" not in ask(population, "microcode", "new").answer
    named = fleet(0.1 * (1 + 2 * microcode), {"kernel": kernel, "micro; code": microcode})
    start = "micro; code explains it: at the same micro; code "
    assert any(words.startswith(start) for words in ask(named, "kernel", "new").sentences)


def test_what_so_few_hosts_leave_open_may_be_explained_by_what_sets_these_apart():
    night = np.repeat((np.arange(HOSTS) < 80).astype(int)[:, None], DAYS, axis=1)
    kernel = rolled_out(np.where(np.arange(HOSTS) < 6, 30, DAYS))
    population = fleet(0.08 * (1 + 2 * night), {"kernel": kernel, "pool": night}, seed=0)
    row = ask(population, "kernel", "new")
    assert row.same_days is not None and row.same_days.low > 1
    assert "; pool may explain it: at the same pool " in row.answer, row.answer
    both = {"kernel": kernel, "pool": night}
    bad = ask(fleet(0.08 * (1 + 4 * kernel), both, seed=0), "kernel", "new")
    assert bad.answer.startswith("more crashes with it") and "explain it" not in bad.answer


def busy_hosts_late(worse: float) -> tuple[ValueRate, Population]:
    """A version that quiet hosts get first, and a part of the busy ones, eight times as loud."""
    is_busy = np.arange(HOSTS) % 3 == 0
    kernel = rolled_out(np.where(is_busy, 20 + np.arange(HOSTS) % 60, 8 + np.arange(HOSTS) % 8))
    role = np.repeat(is_busy[:, None].astype(int), DAYS, axis=1)
    rates = np.where(role, 0.32, 0.04) * np.where(kernel, worse, 1.0)
    population = fleet(rates, {"kernel": kernel, "role": role})
    return ask(population, "kernel", "new"), population


def test_a_worse_version_that_quiet_hosts_got_first_is_worse():
    row, _ = busy_hosts_late(1.8)
    assert row.same_days is not None
    assert row.same_days.high < 1
    assert row.same_both is not None
    assert row.same_both.low < 1.8 < row.same_both.high
    assert row.answer.startswith("more crashes with it: ")
    assert "had fewer before" in row.answer
    assert "; role hides it: at the same role " in row.answer


def test_suspects_say_what_makes_everything_worse_and_nothing_else():
    assert worse_value_sentences(busy_hosts_late(1.0)[1], []) == []
    (words,) = worse_value_sentences(busy_hosts_late(1.8)[1], [])
    assert words.startswith("crashes of all kinds come more often with kernel=new: ")
    for seed in range(30):  # versions that do nothing, on hosts that differ
        load = np.random.default_rng(seed).gamma(2.0, 0.05, (HOSTS, 1)) * np.ones(DAYS)
        innocent = fleet(load, {"kernel": waves(), "ring": waves()[::-1]}, seed=seed)
        assert worse_value_sentences(innocent, []) == []
    one_bug = fleet(0.1 * (1 + waves()), {"kernel": waves()})
    new = one_bug.signature.copy()
    new[(one_bug.attributes[0].crash == 1) & (np.arange(new.size) % 2 == 0)] = 0
    # What only one signature has more is a matter of that signature.
    assert worse_value_sentences(one_bug._replace(signature=new), []) == []


def test_a_version_that_quiet_hosts_got_first_is_not_better():
    row, _ = busy_hosts_late(1.0)
    assert row.same_days is not None
    assert row.same_days.high < 1
    assert row.same_both is not None
    assert row.same_both.low < 1 < row.same_both.high


def test_a_version_that_busy_hosts_got_first_while_all_rise_is_not_to_blame():
    """More than others on the same days, more than before: both are true, and it did neither."""
    errs = 0
    for seed in range(40):
        is_busy = np.arange(HOSTS) % 3 == 0
        kernel = rolled_out(np.where(is_busy, 14 + np.arange(HOSTS) % 9, 99))
        rises = np.where(np.arange(DAYS) < 17, 1.0, 2.0)
        rates = np.where(is_busy, 0.15, 0.05)[:, None] * rises
        row = ask(fleet(rates, {"kernel": kernel}, seed=seed), "kernel", "new")
        assert row.same_days is not None
        assert row.same_hosts is not None
        assert row.same_days.low > 1
        assert row.same_hosts.low > 1
        errs += row.answer.startswith("more crashes with it")
    assert errs <= 3


def test_a_rise_of_the_whole_fleet_is_not_laid_on_what_is_new():
    rates = np.where(np.arange(DAYS) < 20, 0.1, 0.3)[None, :] * np.ones((HOSTS, 1))
    kernel = rolled_out(np.where(np.arange(HOSTS) % 2, 20, 99))
    row = ask(fleet(rates, {"kernel": kernel}), "kernel", "new")
    assert row.answer.startswith("all hosts have more since then, not those with it: ")


@pytest.mark.heavy
def test_intervals_hold_where_hosts_differ():
    """Of 200 roll-outs that change nothing, where the load of hosts differs, few may err."""
    rng = np.random.default_rng(20_261_129)
    errs = beside = 0
    for seed in range(200):
        load = rng.gamma(2.0, 0.05, (60, 1)) * np.ones(DAYS)
        row = ask(fleet(load, {"kernel": waves(60)}, seed=seed), "kernel", "new")
        assert row.same_days is not None
        assert row.same_hosts is not None
        assert row.same_both is not None
        errs += row.answer.startswith("more crashes with it")
        beside += not row.same_both.low <= 1 <= row.same_both.high
    assert errs <= 10
    assert beside <= 18


def test_the_command_says_it_and_names_what_there_is(tmp_path, capsys):
    f = Fleet("rates", 5, 30)
    f.add_hosts(40, "n{:02d}", kernels=("6.1", "6.6"))
    f.background(6.0)
    f.write(tmp_path)
    db = ["--db", str(tmp_path / "f.sqlite3")]
    assert main(["fleet", "ingest", str(tmp_path / "records.jsonl"), *db]) == 0
    capsys.readouterr()
    assert main(["fleet", "rates", "kernel", *db]) == 0
    assert "no host-hours" in capsys.readouterr().out
    assert main(["fleet", "exposure", str(tmp_path / "hours.csv"), *db]) == 0
    capsys.readouterr()
    assert main(["fleet", "rates", "kernel=6.", *db]) == 2
    capsys.readouterr()
    assert main(["fleet", "rates", "kernel=6.1", *db]) == 0
    assert capsys.readouterr().out.startswith("kernel=6.1: ")
    assert main(["fleet", "compare", "kernel=6.1", "kernel=6.6", *db]) == 0
    assert "; set against the same hosts and days " in " ".join(capsys.readouterr().out.split())
    assert main(["fleet", "rates", "kernel", "--json", *db]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["value"] for row in rows} == {"6.1", "6.6"}
    assert all(row["same_hosts"] is None and row["same_days"]["low"] > 0 for row in rows)
    for wrong, says in (("colour", "there are "), ("kernel=7", "there are 6.")):
        assert main(["fleet", "rates", wrong, *db]) == 2
        assert says in capsys.readouterr().err
    # A package is asked for by its name alone; an error says that there is more than it names.
    lines = []
    for n in range(60):
        packages = [{"name": "torch", "version": f"2.{n % 2}"}]
        more = full(10**6 + n, python={"version": "3.12.1", "packages": packages})
        lines.append(json.dumps(more))
    (tmp_path / "more.jsonl").write_text("\n".join(lines))
    assert main(["fleet", "ingest", str(tmp_path / "more.jsonl"), *db]) == 0
    capsys.readouterr()
    assert main(["fleet", "rates", "torch", *db]) == 0
    assert "\n2.0 " in capsys.readouterr().out
    main(["fleet", "compare", "torch=2.0", "torch=2.1", *db])
    assert "no crash has" not in capsys.readouterr().err
    assert main(["fleet", "compare", "torch=2.0", "torch=9", *db]) != 0
    assert "gdb-epi fleet rates 'package torch'" in capsys.readouterr().err


def test_a_value_with_none_of_the_crashes_of_its_days_has_a_rate():
    """Its interval has no lower end; days on which nobody crashed compare nothing."""
    has_some = np.zeros((HOSTS, DAYS))
    has_some[:, :10] = 0.5
    row = ask(fleet(has_some * (1 - waves()), {"kernel": waves()}), "kernel", "new")
    assert row.crashes == 0 and row.same_days is None and "nan" not in row.answer
    for risk in (RateRatio(0.1, 0.0, 0.7), RateRatio(0.0, 0.0, 0.7), RateRatio(0.2, 0.1, 0.4)):
        assert -20 < risk.standard_errors_above_one() < -1.5


def of_one_signature(population: Population, share: np.ndarray, seed: int) -> Population:
    """Crashes of the first signature come with this probability on each day, else of another."""
    rng = np.random.default_rng(seed)
    first = rng.random(population.day.size) < share[population.day - FIRST]
    others = 1 + rng.integers(0, 7, population.day.size)
    return population._replace(signature=np.where(first, 0, others))


@pytest.mark.parametrize("seed", range(6))
def test_a_rate_that_rises_all_the_time_has_no_day_on_which_it_began(seed):
    days = np.arange(84)
    rates = np.full((HOSTS, days.size), 0.25)
    whole = fleet(rates, {}, seed=seed)
    creeping = of_one_signature(whole, 0.03 * np.exp(0.018 * days), seed)
    (growth,) = growing_signatures(creeping, [])
    assert growth.signature == 0 and 2.5 < growth.times < 8 and 0.7 < growth.others < 1.4
    answer = find_onset(creeping, 0)
    assert answer.day is None and answer.answer.startswith("the rate rises all the time")
    step = of_one_signature(whole, np.where(days < 40, 0.03, 0.09), seed)
    assert growing_signatures(step, []) == []
    assert abs(find_onset(step, 0).day - FIRST - 40) <= 5
    even = of_one_signature(whole, np.full(days.size, 0.06), seed)
    assert growing_signatures(even, []) == []
    more_of_all = fleet(rates * np.exp(0.018 * days), {}, seed=seed)
    assert growing_signatures(of_one_signature(more_of_all, np.full(84, 0.05), seed), []) == []


def on_hosts(hosts: np.ndarray, second: np.ndarray, running: int = 0) -> Population:
    """Crashes of hosts at seconds since a day; `running`: hosts whose hours are known."""
    order = np.argsort(second)
    whole = fleet(np.zeros((max(running, 1), 1)), {})
    none = np.zeros(hosts.size, dtype=bool)
    return whole._replace(
        core_keys=CoreKeys.from_strings(f"{i:016x}" for i in range(hosts.size)),
        day=FIRST + second[order] // 86_400, second=FIRST * 86_400 + second[order],
        host=hosts[order], signature=np.zeros(hosts.size, dtype=int),
        cpu=np.full(hosts.size, -1), bitflip=none, lock_inherited=none,
        hosts=[f"h{i}" for i in range(max(int(hosts.max()) + 1, running))],
        exposure_hours=whole.exposure_hours * (running > 0),
    )  # fmt: skip


def test_one_crash_of_each_host_is_the_collectors_doing():
    rng = np.random.default_rng(4)
    hosts, week = rng.permutation(40), 7 * 86_400
    falling = (rng.exponential(0.6 * week, 40)).astype(int)
    limit = find_limit_per_host(on_hosts(hosts, falling))
    assert limit is not None and (limit.limit, limit.hosts, limit.least) == (1, 40, 260)
    assert find_onset(on_hosts(hosts, falling), 0).answer.startswith("cannot tell: each of the 40")
    # Few crashes in a large fleet are on as many hosts; so they come evenly.
    even = rng.integers(0, 4 * week, 40)
    assert find_limit_per_host(on_hosts(hosts, even)) is None
    assert find_limit_per_host(on_hosts(hosts, even, running=300)) is None
    assert find_limit_per_host(on_hosts(hosts, even, running=60)) is not None
    by_chance = rng.integers(0, 40, 40)
    assert find_limit_per_host(on_hosts(by_chance, falling, running=60)) is None
    three = find_limit_per_host(on_hosts(np.repeat(hosts, 3), rng.integers(0, week, 120)))
    assert three is not None and three.limit == 3 and "exactly 3 crashes" in three.words()


def test_crashes_that_nobody_sees_twice_are_told_with_who_still_has_the_kernel():
    running = waves() * (np.arange(DAYS) < 34)
    running[:20] = rolled_out(np.full(20, 10))  # they keep it
    ring = np.indices(running.shape)[0] < 20
    rates = np.full(running.shape, 0.03) * (1 + 3 * running)
    whole = fleet(rates, {"kernel": running, "ring": ring.astype(int)}, seed=2)
    assert "signature nothing else has" not in "".join(worse_value_sentences(whole, []))
    rng = np.random.default_rng(3)
    alone = (whole.attributes[0].crash == 1) & (rng.random(whole.day.size) < 0.75)
    names = [*whole.signatures, *(f"once {i}" for i in range(int(alone.sum())))]
    once = whole.signature.copy()
    once[alone] = len(whole.signatures) + np.arange(int(alone.sum()))
    (words,) = worse_value_sentences(whole._replace(signature=once, signatures=names), [])
    assert "it is crashes whose signature nothing else has" in words
    assert "no more than chance" in words
    assert "20 of 200 hosts that had it still have it, all with ring=new; " in words


def test_an_excess_is_not_laid_on_the_place_where_a_version_ran():
    running = rolled_out(np.where(np.arange(HOSTS) < 60, 20, DAYS))
    pool = (np.indices(running.shape)[0] < 50).astype(int)
    row = ask(fleet(0.05 * (1 + 2 * running), {"kernel": running, "pool": pool}), "kernel", "new")
    assert row.answer.startswith("more crashes with it") and "the excess" not in row.answer


@pytest.mark.parametrize("seed", range(4))
def test_what_comes_with_load_did_not_begin_with_the_release_of_a_busy_day(seed):
    rng = np.random.default_rng(seed)
    since = np.arange(DAYS) >= 25
    load = (rng.random((HOSTS, DAYS)) < np.where(since, 0.5, 0.1)).astype(int)
    release = rolled_out(np.full(HOSTS, 25))
    for worse, by_load in ((1.0, True), (4.0, False)):
        of_load = 0.002 + 0.1 * load * np.where(since, worse, 1.0)
        whole = fleet(of_load + 0.06, {"load": load, "release": release}, seed=seed)
        odds = (of_load / (of_load + 0.06))[whole.host, whole.day - FIRST]
        mine = rng.random(whole.day.size) < odds
        named = np.where(mine, 0, 1 + whole.signature % 7)
        answer = find_onset(whole._replace(signature=named), 0)
        assert answer.answer.startswith("the rate rose by more host-hours with load=new") == by_load


def test_a_rate_that_rises_within_each_value_is_not_explained_by_the_mix_of_values():
    """One host of twenty has the load before, nineteen since; all crash thrice as often, or not."""
    load = np.repeat([[1, 0], [0, 1]], (1, 19), axis=0)
    for crashes, by_mix in ((np.full(load.shape, (3, 9)), False), (2 + 10 * load, True)):
        of_hosts = np.repeat(np.indices(load.shape).reshape(2, -1), crashes.reshape(-1), axis=1)
        host, day = of_hosts[:, np.argsort(of_hosts[1], kind="stable")]
        whole = on_hosts(host, day * 86_400)._replace(
            exposure_day=FIRST + np.tile([0, 1], 20),
            exposure_host=np.repeat(np.arange(20), 2),
            exposure_hours=np.full(40, 24.0),
            attributes=(Attribute("load", ["low", "high"], load[host, day], load.reshape(-1)),),
            in_feed=np.ones(host.size, dtype=bool),
            memo=None,
        )
        days = daily_rates(whole, np.ones(host.size, dtype=bool))
        words = change_by_hours_of_value_sentence(whole, days, 1)
        assert (words is not None) == by_mix
    assert words is not None and "at equal load 1 times (95 %: " in words


def test_few_starts_of_each_place_do_not_show_that_it_comes_as_often_there():
    running = np.where(np.arange(DAYS)[None, :] >= np.arange(41)[:, None] % 2, 24.0, 0.0)
    place = np.broadcast_to((np.arange(41) // 2 % 2)[:, None], running.shape)
    whole = fleet(np.where(running, 1.0, 0.0), {"rack": place})._replace(
        exposure_hours=np.where(
            np.arange(DAYS)[None, :] >= (np.arange(41) > 0)[:, None], 24.0, 0.0
        ).reshape(-1)
    )
    # 20 hosts of each came up: 4 and 8 with such a crash may well be twice as often.
    hosts = [h for old in (0, 1) for h in np.flatnonzero(place[1:, 0] == old)[: 4 + 4 * old] + 1]
    mine = np.isin(whole.host, hosts)
    assert starts_by_place_words(whole, mine) is None
    words = starts_by_place_words(whole, whole.host > 0)
    assert words is not None and words.startswith("40 of 40 hosts that came up after ")


def test_a_place_whose_machines_start_more_often_is_not_to_blame_for_what_comes_at_starts():
    rng = np.random.default_rng(12)
    spot = np.arange(HOSTS) < 120
    begin = np.where(spot, rng.integers(0, DAYS, HOSTS), np.repeat(rng.integers(0, 20, 40), 5))
    lives = np.arange(DAYS)[None, :] - begin[:, None]
    runs = (lives >= 0) & (lives < np.where(spot, 1, 20)[:, None])
    at_start = 0.4 * (lives == 0)
    zone = np.broadcast_to(spot[:, None].astype(int), runs.shape)
    whole = fleet(np.where(runs, 0.05 + at_start, 0.0), {"zone": zone}, seed=4)
    new = lives[whole.host, whole.day - FIRST] == 0
    first = new & (rng.random(whole.day.size) < 0.4 / 0.45)
    age = Attribute(
        "process_uptime_s", ["20", "5000", "90000"],
        np.where(first, 0, 1 + rng.integers(0, 2, first.size)),
        np.full(runs.size, -1),
    )  # fmt: skip
    kept = runs.reshape(-1)
    whole = whole._replace(
        signature=np.where(first, 0, 1 + whole.signature % 7),
        attributes=(*whole.attributes, age),
        exposure_hours=np.where(kept, 24.0, 0.0),
    ).select(np.ones(first.size, dtype=bool), kept)
    words = starts_by_place_words(whole, whole.signature == 0)
    assert words is not None and "about as often with each zone (" in words
    assert f"hosts that came up after {iso_day(FIRST)} have it" in words and "blame" not in words
    answer = ask(whole, "zone", "new").answer
    assert "the difference comes at each start of a process" in answer
    worse = whole._replace(
        signature=np.where(first & (whole.host < 120), 0, 1 + whole.signature % 7)
    )
    assert starts_by_place_words(worse, worse.signature == 0) is None


def test_what_all_hosts_got_at_once_is_compared_by_time_where_no_hours_are_known():
    whole = on_hosts(np.arange(60) % 20, np.sort(np.random.default_rng(1).integers(0, 400_000, 60)))
    moved = (whole.second - FIRST * 86_400 > 250_000).astype(int)
    hall = Attribute("hall", ["old", "new"], moved, np.full(whole.exposure_day.size, -1))
    row = ask(whole._replace(attributes=(hall,)), "hall", "new")
    assert row.answer.startswith("no more crashes with it: ") and row.same_hosts is None
    assert "(every crash of then that tells it has it)" in row.answer
    # A value that three records or one host show was not seen to be that of all hosts then.
    rare = hall._replace(crash=(np.arange(60) >= 57).astype(int))
    same_host = on_hosts(np.where(moved, 0, np.arange(60) % 20), whole.second - FIRST * 86_400)
    few_tell = hall._replace(crash=np.where(np.arange(60) % 4 == 0, moved, -1))
    for other, attribute in ((whole, rare), (same_host, hall), (whole, few_tell)):
        row = ask(other._replace(attributes=(attribute,)), "hall", "new")
        assert row.answer == "no host-hours are known of it"
    mixed = hall._replace(crash=np.arange(60) % 2)
    row = ask(whole._replace(attributes=(mixed,)), "hall", "new")
    assert row.answer == "no host-hours are known of it" and row.same_hosts is None


def staged(changes: Sequence[int], seed: int, *, times: float = 0.2) -> Population:
    """Three pools, whose records alone tell a limit that each of them changed on its own day."""
    pool = np.broadcast_to((np.arange(HOSTS) % 3)[:, None], (HOSTS, DAYS))
    new = np.arange(DAYS) >= np.array(changes)[pool[:, 0]][:, None]
    whole = fleet(0.03 * np.where(new, times, 1.0) + 0.03, {"pool": pool}, seed=seed)
    pools = whole.attributes[0]._replace(values=["north", "south", "vault"])
    has = new[whole.host, whole.day - FIRST].astype(int)
    odds = np.where(has, times, 1.0)
    mine = np.random.default_rng(seed).random(has.size) < odds / (odds + 1)
    watchdog = Attribute("watchdog_s", ["30", "120"], has, np.full(whole.exposure_day.size, -1))
    named = ["gsig/2 stable killed-external f <-- py:broker.loop", *whole.signatures[1:]]
    return whole._replace(
        signature=np.where(mine, 0, 1 + whole.signature % 7), signatures=named,
        attributes=(pools, watchdog),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_a_limit_that_pools_changed_one_after_the_other_is_a_roll_out_without_host_hours(seed):
    whole = staged((10, 20, 30), seed)
    answer = find_onset(whole, 0)
    assert answer.answer.startswith("the rate fell when watchdog_s=30 went out of use: on the days")
    assert any("fewer kills do not show that it hangs less" in c for c in answer.caveats)
    attribute = whole.attribute("watchdog_s")
    rows = rates_of_values(whole, attribute, whole.signature == 0).rows
    (new,) = (row for row in rows if row.value == "120")
    assert new.same_both is not None and new.same_both.high < 1
    # Where all changed on one day, or records mix, the hours stay unknown.
    for unknown in (staged((20, 20, 20), seed), whole):
        mixed = unknown.attributes[1]
        if unknown is whole:
            mixed = mixed._replace(crash=np.random.default_rng(seed).integers(0, 2, whole.day.size))
        unknown = unknown._replace(attributes=(unknown.attributes[0], mixed))
        assert (population_with_rollout_hours(unknown, mixed).attributes[1].exposure < 0).all()


@pytest.mark.parametrize("second, ends", [((9, 9), None), ((0, 2), None), ((9, 20), (8, 11))])
def test_a_stage_that_lies_within_another_is_none(second, ends):
    """Five crashes with a value on the days 0 to 10, then five with the next one."""
    day = np.concatenate([np.linspace(*days, 5).astype(int) for days in ((0, 10), second)])
    population = fleet(np.zeros((1, 1)), {})._replace(day=day + FIRST)
    stages = _stages_of_hosts(
        population, Attribute("version", ["old", "new"], np.repeat([0, 1], 5), day), day >= 0
    )
    assert (stages and (stages[0][2] - FIRST, stages[1][1] - FIRST)) == ends
