# SPDX-License-Identifier: Apache-2.0
"""Rates by the values of an attribute: what is worse, and what only runs where more crashes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from support.fleet_lives.lab import Fleet
from unit.fleet_records import full

from gdb_epi.cli.main import main
from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.population.staged_rollout_hours import (
    _stages_of_hosts,
    with_staged_rollout_hours,
)
from gdb_epi.fleet.questions.changes_by_hours import change_by_mix
from gdb_epi.fleet.questions.collection_limits import find_limit_of_hosts
from gdb_epi.fleet.questions.daily_rates import daily_rates, growing_signatures
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.rates import ValueRate, rates_of_values, worse_value_sentences
from gdb_epi.fleet.records.facts import PROGRAM
from gdb_epi.fleet.screen.attributes import attribute_findings
from gdb_epi.fleet.screen.dose_response import starts_by_place_words
from gdb_epi.fleet.screen.finding import BITFLIP, CAVEAT_ALONE, HOST, Finding
from gdb_epi.fleet.screen.finding_texts import describe_verdict
from gdb_epi.fleet.screen.host_signals import own_value_words
from gdb_epi.fleet.screen.leaving_values import leaving_value_words
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.store.day_numbers import iso_day

HOSTS, DAYS = 200, 40
FIRST = 20_000  # a day since 1970-01-01


def fleet(
    rates: np.ndarray,
    of_hosts: Mapping[str, np.ndarray],
    of_crashes: Mapping[str, np.ndarray] | None = None,
    *,
    seed: int = 1,
) -> Population:
    """A fleet whose hosts crash at a rate a day (rows: hosts, columns: days).

    `of_hosts`: the code of an attribute for each host and day. `of_crashes`: how likely a crash of
    a host and a day has the second of two values.
    """
    rng = np.random.default_rng(seed)
    host, day = np.indices(rates.shape).reshape(2, -1)
    crashes = np.repeat(np.arange(host.size), rng.poisson(rates).reshape(-1))
    crashes = crashes[np.argsort(day[crashes], kind="stable")]
    attributes = [
        Attribute(name, ["old", "new"], codes.reshape(-1)[crashes], codes.reshape(-1))
        for name, codes in of_hosts.items()
    ]
    nowhere = np.full(host.size, -1)
    for name, share in (of_crashes or {}).items():
        drawn = rng.random(crashes.size) < share.reshape(-1)[crashes]
        attributes.append(Attribute(name, ["prod", "shadow"], drawn.astype(int), nowhere))
    none = np.zeros(crashes.size, dtype=bool)
    return Population(
        core_keys=CoreKeys.from_strings(f"{i:016x}" for i in range(crashes.size)),
        day=FIRST + day[crashes],
        host=host[crashes],
        signature=rng.integers(0, 8, crashes.size),
        cpu=np.full(crashes.size, -1),
        bitflip=none,
        lock_inherited=none,
        hosts=[f"h{i:03d}" for i in range(rates.shape[0])],
        signatures=[f"s{i}" for i in range(8)],
        attributes=tuple(attributes),
        exposure_day=FIRST + day,
        exposure_host=host,
        exposure_hours=np.full(host.size, 24.0),
    )


def ask(population: Population, name: str, value: str) -> ValueRate:
    attribute = population.attribute(name)
    assert attribute is not None
    rates = rates_of_values(population, attribute, population.signature >= 0)
    return next(row for row in rates.rows if row.value == value)


def rolled_out(since: Sequence[int] | np.ndarray) -> np.ndarray:
    """1 from the day on which each host got the new value."""
    return (np.arange(DAYS)[None, :] >= np.asarray(since)[:, None]).astype(int)


def waves(hosts: int = HOSTS) -> np.ndarray:
    return rolled_out(10 + np.arange(hosts) % 4 * 6)


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
    assert "what it has more is namespace=shadow" in row.answer


def test_of_hosts_that_never_had_another_value_nothing_is_told_apart():
    ring = np.repeat((np.arange(HOSTS) < 30).astype(int)[:, None], DAYS, axis=1)
    row = ask(fleet(0.1 * (1 + 2 * ring), {"ring": ring}), "ring", "new")
    assert row.same_hosts is None
    assert "its hosts never had another value: it, or these hosts, or their work" in row.answer


def test_what_came_together_is_told_by_the_hosts_that_got_only_one_of_both():
    kernel = waves()
    microcode = kernel * (np.arange(HOSTS) % 5 < 2)[:, None]
    population = fleet(0.1 * (1 + 2 * microcode), {"kernel": kernel, "microcode": microcode})
    row = ask(population, "kernel", "new")
    assert "; microcode explains it: at the same microcode " in row.answer
    assert "explains" not in ask(population, "microcode", "new").answer


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
    limit = find_limit_of_hosts(on_hosts(hosts, falling))
    assert limit is not None and (limit.limit, limit.hosts, limit.least) == (1, 40, 260)
    assert find_onset(on_hosts(hosts, falling), 0).answer.startswith("cannot tell: each of the 40")
    # Few crashes in a large fleet are on as many hosts; so they come evenly.
    even = rng.integers(0, 4 * week, 40)
    assert find_limit_of_hosts(on_hosts(hosts, even)) is None
    assert find_limit_of_hosts(on_hosts(hosts, even, running=300)) is None
    assert find_limit_of_hosts(on_hosts(hosts, even, running=60)) is not None
    by_chance = rng.integers(0, 40, 40)
    assert find_limit_of_hosts(on_hosts(by_chance, falling, running=60)) is None
    three = find_limit_of_hosts(on_hosts(np.repeat(hosts, 3), rng.integers(0, week, 120)))
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
    assert row.answer.startswith("more crashes with it") and "what it has more" not in row.answer


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
        words = change_by_mix(whole, days, 1)
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
    ).chosen(np.ones(first.size, dtype=bool), kept)
    words = starts_by_place_words(whole, whole.signature == 0)
    assert words is not None and "about as often with each zone (" in words
    assert f"hosts that came up after {iso_day(FIRST)} have it" in words and "blame" not in words
    answer = ask(whole, "zone", "new").answer
    assert "what it has more comes at each start of a process" in answer
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
        assert (with_staged_rollout_hours(unknown, mixed).attributes[1].exposure < 0).all()


@pytest.mark.parametrize("second, ends", [((9, 9), None), ((0, 2), None), ((9, 20), (8, 11))])
def test_a_stage_that_lies_within_another_is_none(second, ends):
    """Five crashes with a value on the days 0 to 10, then five with the next one."""
    day = np.concatenate([np.linspace(*days, 5).astype(int) for days in ((0, 10), second)])
    population = fleet(np.zeros((1, 1)), {})._replace(day=day + FIRST)
    stages = _stages_of_hosts(
        population, Attribute("version", ["old", "new"], np.repeat([0, 1], 5), day), day >= 0
    )
    assert (stages and (stages[0][2] - FIRST, stages[1][1] - FIRST)) == ends


def two_crashes_in_two_weeks(rates: np.ndarray) -> np.ndarray:
    """1 from the day after each host's second crash in 14 days, of the fleet that seed 1 makes."""
    counts = np.random.default_rng(1).poisson(rates)
    codes = np.zeros(rates.shape, dtype=int)
    for host, day in np.ndindex(*rates.shape):
        if day >= 14 and (codes[host, day - 1] or counts[host, day - 14 : day].sum() >= 2):
            codes[host, day] = 1
    return codes


def test_who_is_chosen_for_many_crashes_has_fewer_afterwards() -> None:
    of_hosts = np.random.default_rng(2).gamma(1.0, 0.02, 400)
    rates = np.repeat(of_hosts[:, None], 100, axis=1)
    population = fleet(rates, {"kernel": two_crashes_in_two_weeks(rates)})
    new = ask(population, "kernel", "new")
    assert new.same_hosts is not None and new.same_hosts.high < 0.7  # what misleads
    assert new.answer.startswith("no effect can be seen: ")
    assert "those that got it had had" in new.answer
    old = ask(population, "kernel", "old")
    assert old.answer.startswith("no effect can be seen: ")
    assert "those that lost it had had" in old.answer
    assert worse_value_sentences(population, []) == []


def test_a_cure_that_the_worst_hosts_get_is_one() -> None:
    of_hosts = np.sort(np.random.default_rng(3).gamma(1.0, 0.05, 400))
    rates = np.repeat(of_hosts[:, None], 100, axis=1)
    rates[-60:, 60:] *= 0.3
    codes = np.zeros(rates.shape, dtype=int)
    codes[-60:, 60:] = 1
    answer = ask(fleet(rates, {"kernel": codes}), "kernel", "new").answer
    assert answer.startswith("fewer crashes with it: 0.")


def test_too_few_hours_without_a_value_acquit_nothing() -> None:
    rates = np.full((HOSTS, DAYS), 0.05)
    rates[:80] *= 2
    codes = np.zeros(rates.shape, dtype=int)
    codes[:80] = 1
    codes[:4, -2:] = 0
    codes[100:104, -2:] = 1
    answer = ask(fleet(rates, {"kernel": codes}), "kernel", "new").answer
    assert "whether by it or by these hosts cannot be told" in answer


def test_a_fall_of_the_whole_fleet_after_a_roll_out_is_no_cure() -> None:
    new = rolled_out(np.where(np.arange(HOSTS) < 10, 12, 20))
    rates = np.full((HOSTS, DAYS), 0.05)
    rates[:, 24:34] = 0.005  # most callers were elsewhere
    answer = ask(fleet(rates, {"kernel": new}), "kernel", "new").answer
    assert answer.startswith("fewer crashes since its hosts have it; whether by it or by what else")


def test_hosts_that_all_fell_silent_in_turn_were_cured() -> None:
    row = ask(fleet(0.1 * (1 - waves()), {"kernel": waves()}), "kernel", "new")
    assert row.crashes == 0
    assert row.answer.startswith("fewer crashes with it: ")
    # Where all of them fall on the first of two days, the second day's hosts speak against it.
    population = fleet(
        0.1 * (1 - rolled_out([20] * HOSTS)), {"kernel": rolled_out(20 + np.arange(HOSTS) % 2)}
    )
    answer = ask(population, "kernel", "new").answer
    assert "cannot be told" in answer


def test_a_part_of_a_value_that_has_none_is_named() -> None:
    rng = np.random.default_rng(4)
    load, cap = ((rng.random((HOSTS, DAYS)) < 0.3).astype(int) for _ in range(2))
    rates = 0.02 + 0.2 * load * (1 - cap)
    capped = fleet(np.where(load * cap, 0.0, rates), {"load": load, "cap": cap})
    answer = ask(capped, "load", "new").answer
    assert answer.startswith("more crashes with it") and "; none of them with cap=new" in answer
    evenly = fleet(0.02 + 0.2 * load, {"load": load, "cap": cap})
    assert "none of them" not in ask(evenly, "load", "new").answer


@pytest.mark.parametrize("of_one", [True, False])
def test_a_service_that_runs_on_some_hosts_alone_brings_its_own_crashes(of_one: bool) -> None:
    service = (np.random.default_rng(6).random((HOSTS, DAYS)) < 0.2).astype(int)
    population = fleet(0.02 + 0.1 * service, {"service": service}, {"is": 0.9 * service})
    *attributes, of_service = population.attributes
    programs = of_service._replace(name=PROGRAM, values=["web", "svc"])
    if not of_one:
        programs = programs._replace(crash=population.signature % 2)
    words = worse_value_sentences(
        population._replace(attributes=tuple(attributes), facts=(programs,)), []
    )
    assert len(words) == 1
    own = "crashes of svc come more often with service=new"
    assert words[0].startswith(own if of_one else "crashes of all kinds come more often with")


def finding_of(population: Population, members: np.ndarray, attr: str, value: str) -> Finding:
    n = int(members.sum())
    numbers = n, n, 1e-9, 1e-9, 9.0, 5.0, 20.0
    return Finding(attr, value, "s0", *numbers, "test", "host-hours", (), (), members)


def test_a_host_that_crashes_with_a_value_that_comes_and_goes_is_not_repaired_by_its_end() -> None:
    full = np.zeros((HOSTS, DAYS), dtype=int)
    full[:, 5:10] = full[:, 20:25] = 1
    rates = np.full(full.shape, 0.01)
    rates[0] = 0.02 + 2.0 * full[0]
    population = fleet(rates, {"full": full})
    words = own_value_words(population, finding_of(population, population.host == 0, HOST, "h000"))
    assert words.endswith(
        "of its hours with full=new: that it is quiet without that proves no repair"
    )
    once = np.where(np.arange(DAYS) < 10, full, 0)
    population = fleet(rates, {"full": once})
    members = population.host == 0
    assert own_value_words(population, finding_of(population, members, HOST, "h000")) == ""


def test_what_came_later_and_beside_has_it_not() -> None:
    codes = np.zeros((HOSTS, DAYS), dtype=int)
    codes[:100, 10:] = 1
    population = fleet(np.where(codes, 0.0, 0.1), {"golden": codes})
    population = population._replace(signature=0 * population.signature)
    of_old = finding_of(population, population.host >= 0, "golden", "old")
    (words,) = [w for w in leaving_value_words(population, of_old, FIRST + DAYS) if "later" in w]
    assert "with golden=new, which came later, none in 72,000, where" in words
    assert words.endswith("it does not have this, by all signs")


def up_for_long(*, cured: bool) -> Population:
    """Hosts that crash when they have been up for 20 days; `new` comes with a reboot."""
    host = np.arange(HOSTS)
    rng = np.random.default_rng(8)
    since = np.where(host % 2, 99, rng.integers(12, 30, HOSTS))  # every second host keeps the old
    kernel = rolled_out(since)
    age = (np.arange(DAYS)[None, :] + rng.integers(0, 25, HOSTS)[:, None]) % 25
    age = np.where(kernel == 1, np.arange(DAYS)[None, :] - since[:, None], age)
    at_age = np.where((age == 20) & ~(cured & (kernel == 1)), 1.0, 0.0)
    whole = fleet(0.06 + at_age, {"kernel": kernel})
    days = age[whole.host, whole.day - FIRST]
    is_due = (at_age[whole.host, whole.day - FIRST] > 0) & (rng.random(days.size) < 1 / 1.06)
    hours = np.where(is_due, 480.0, 24 * days + rng.integers(1, 240, days.size) / 10).round(1)
    values, codes = np.unique(hours, return_inverse=True)
    up = Attribute("host_uptime_h", [f"{v:g}" for v in values], codes, np.full(HOSTS * DAYS, -1))
    return whole._replace(
        signature=np.where(is_due, 0, 1 + whole.signature % 7),
        attributes=(*whole.attributes, up),
    )


def test_what_comes_at_an_age_of_the_host_is_not_mended_by_what_a_reboot_brought():
    row = ask(up_for_long(cured=False), "kernel", "new")
    assert row.same_both is not None and row.same_both.high < 1
    assert "what others have more comes at host_uptime_h 480.0, which each reboot" in row.answer
    # A kernel whose hosts reach that age and have it no more has mended it.
    row = ask(up_for_long(cured=True), "kernel", "new")
    assert row.answer.startswith("fewer crashes with it: ") and "reboot" not in row.answer


def test_a_cure_of_ten_bad_hosts_among_many_alike_is_told_whole():
    """With gamma-distributed rates they were drawn to the others: 0.58 times, and it was 0.3."""
    kernel = rolled_out(np.where(np.arange(HOSTS) < 10, 20, 99))
    rates = np.where(np.arange(HOSTS) < 10, 1.0, 0.05)[:, None] * np.where(kernel == 1, 0.3, 1.0)
    row = ask(fleet(rates, {"kernel": kernel}), "kernel", "new")
    assert row.answer.startswith("fewer crashes with it: ") and "with as many crashes" in row.answer
    assert row.same_both is not None and row.same_both.low < 0.3 < row.same_both.high < 0.5


def test_the_past_of_a_repaired_host_is_no_host_more():
    whole = fleet(np.full((HOSTS, DAYS), 0.1), {"kernel": waves()})
    names = [*whole.hosts[:-1], f"{whole.hosts[0]} (before its repair on 2026-11-01)"]
    assert ask(whole._replace(hosts=names), "kernel", "new").hosts == HOSTS - 1


def test_what_all_had_for_a_week_is_told_with_what_else_changed_then() -> None:
    """One week has more of one crash, and all hosts had its kernel, or every second one."""
    week = np.repeat(((np.arange(DAYS) >= 10) & (np.arange(DAYS) < 17))[None, :], HOSTS, axis=0)
    for kernel, by_time in ((week, True), (week & (np.arange(HOSTS) % 2 > 0)[:, None], False)):
        population = fleet(0.05 * (1 + 5 * kernel), {"kernel": kernel.astype(int)})
        is_own = population.attributes[0].crash == 1
        population = population._replace(signature=np.where(is_own, 0, population.signature))
        marks = attribute_findings(population, population.signature >= 0)
        (mark,) = (f for f in marks if (f.value, f.signature) == ("new", "s0"))
        assert (CAVEAT_ALONE in mark.caveats) is by_time
        assert describe_verdict(mark).endswith(", or with what else changed then") is by_time


def test_flips_of_a_lot_are_one_finding_and_not_one_for_each_place() -> None:
    lot = np.repeat((np.arange(HOSTS) < 20).astype(int)[:, None], DAYS, axis=1)
    population = fleet(0.02 + 0.15 * lot, {"dimm_lot": lot})
    is_new = population.attributes[0].crash == 1
    rng = np.random.default_rng(4)
    signature = np.where(is_new, rng.integers(8, 16, is_new.size), population.signature)
    names = [f"s{i}" for i in range(16)]
    population = population._replace(bitflip=is_new, signature=signature, signatures=names)
    marks = [(f.value, f.signature) for f in attribute_findings(population, signature >= 0)]
    assert marks == [("new", BITFLIP)]
    # One bug that damages memory is that signature's, whatever its crashes look like.
    signature = np.where(is_new, 9, population.signature)
    alone = population._replace(signature=signature)
    assert ("new", "s9") in [
        (f.value, f.signature) for f in attribute_findings(alone, signature >= 0)
    ]


@pytest.mark.parametrize("cured", (True, False))
def test_a_cure_is_seen_where_the_flag_that_came_after_it_is_not(cured: bool) -> None:
    """A signature has two causes: a bug that the release of day 20 mends or not, and a flag."""
    release = rolled_out(20 + np.arange(HOSTS) % 2)
    flag = rolled_out(np.where(np.arange(HOSTS) % 2, 25, 99))
    bug, other = 0.06 * (1 - release * cured), 0.14 * flag
    population = fleet(0.06 + bug + other, {"release": release, "flag": flag}, seed=4)
    at = population.host, population.day - FIRST
    share = ((bug + other) / (0.06 + bug + other))[at]
    mine = np.random.default_rng(1).random(share.size) < share
    population = population._replace(signature=np.where(mine, 0, 1 + population.signature % 7))
    findings = screen_population(population, population.last_day).findings
    assert "flag=new" in [f.mark for f in findings if f.signature == population.signatures[0]]
    release_column, whole = population.attribute("release"), population.signature >= 0
    rows = rates_of_values(population, release_column, whole, findings=findings).rows
    (answer,) = [row.answer for row in rows if row.value == "new"]
    assert answer.startswith("fewer crashes with it where flag=new is not: ") == cured, answer


def test_a_rate_that_rose_with_a_release_is_told_with_what_ended_it() -> None:
    release = rolled_out(10 + np.arange(HOSTS) % 3)
    release[:, 24:] = 0
    population = fleet(0.03 + 0.1 * release, {"release": release}, seed=3)
    mine = population.attributes[0].crash == 1
    population = population._replace(signature=np.where(mine, 0, 1 + population.signature % 7))
    onset = find_onset(population, 0)
    assert onset.answer.startswith("the rate fell when release=new went out of use: ")
    before = f"it rose before, on {iso_day(FIRST + 10)}, from 0 to "
    assert onset.caveats[0].startswith(before) and "with release=new: " in onset.caveats[0]


def test_what_came_with_three_others_is_told_with_them() -> None:
    """All hosts changed at once, but for a few: kernel and agent are one."""
    kernel = rolled_out(np.where(np.arange(HOSTS) < 9, 26, 20))
    population = fleet(0.05 * (1 + 2 * kernel), {"kernel": kernel, "agent": kernel})
    assert ask(population, "kernel", "new").answer.startswith("agent=new came and went with it, ")


def test_few_hours_that_leave_twice_as_many_open_acquit_nothing() -> None:
    kernel = rolled_out(np.where(np.arange(HOSTS) < 12, 38, 99))
    row = ask(fleet(np.full((HOSTS, DAYS), 0.1), {"kernel": kernel}, seed=2), "kernel", "new")
    assert row.answer.startswith("cannot tell: "), row.answer
