# SPDX-License-Identifier: Apache-2.0
"""What mends a fleet and what only seems to: chosen hosts, falls of all, values beside a cause."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_rates import DAYS, FIRST, HOSTS, ask, fleet, rolled_out, waves

from gdb_epi.fleet.population.coverage import sum_old_host_hours
from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.population.value_spans import value_ran_alone
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.questions.population_verdict import judge_signature
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.questions.rates import rates_of_values, worse_value_sentences
from gdb_epi.fleet.questions.splitting import split_signature
from gdb_epi.fleet.records.facts import PROGRAM
from gdb_epi.fleet.screen.attributes import attribute_findings
from gdb_epi.fleet.screen.finding import BITFLIP, CAVEAT_ALONE, HOST, Finding
from gdb_epi.fleet.screen.finding_texts import describe_verdict
from gdb_epi.fleet.screen.host_evidence import own_value_words
from gdb_epi.fleet.screen.leaving_values import leaving_value_words
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.store.day_numbers import iso_day


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


@pytest.mark.parametrize("seed", range(4))
def test_a_busy_service_whose_hosts_all_got_a_release_was_not_chosen(seed: int) -> None:
    """Half of the hosts run something else, which crashes less, and fewer hosts crash at all."""
    release = rolled_out(20 + np.arange(HOSTS) % 5)
    release[100:] = 2
    rates = np.random.default_rng(seed).lognormal(0, 0.35, (HOSTS, 1)) * np.full((1, DAYS), 0.12)
    rates[100:] *= 0.5
    rates[:100, 22:] *= 0.75  # it has fewer since
    row = ask(fleet(rates, {"image": release}, seed=seed), "image", "new")
    assert "chosen" not in row.answer and not row.answer.startswith("more crashes with it")
    assert "the excess is" not in row.answer


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
    assert answer.startswith("fewer crashes since its hosts have it: ")


def test_hosts_that_all_fell_silent_in_turn_were_cured() -> None:
    row = ask(fleet(0.1 * (1 - waves()), {"kernel": waves()}), "kernel", "new")
    assert row.crashes == 0
    assert row.answer.startswith("fewer crashes with it: ")
    # Where all of them fall on the first of two days, the second day's hosts speak against it.
    population = fleet(
        0.1 * (1 - rolled_out([20] * HOSTS)), {"kernel": rolled_out(20 + np.arange(HOSTS) % 2)}
    )
    answer = ask(population, "kernel", "new").answer
    assert "whatever else changed then fits as well" in answer


def test_a_part_of_a_value_that_has_none_is_named() -> None:
    rng = np.random.default_rng(4)
    load, cap = ((rng.random((HOSTS, DAYS)) < 0.3).astype(int) for _ in range(2))
    rates = 0.02 + 0.2 * load * (1 - cap)
    capped = fleet(np.where(load * cap, 0.0, rates), {"load": load, "cap": cap})
    answer = ask(capped, "load", "new").answer
    assert answer.startswith("more crashes with it") and "; none of them with cap=new" in answer
    evenly = fleet(0.02 + 0.2 * load, {"load": load, "cap": cap})
    assert "none of them" not in ask(evenly, "load", "new").answer


def test_a_release_of_half_the_hosts_is_not_blamed_for_a_load_that_rose_with_all() -> None:
    """All crash three times as often from day 20 on; the release came to each second host then."""
    rates = np.repeat((0.04 + 0.08 * (np.arange(DAYS) >= 20))[None, :], HOSTS, axis=0)
    since = np.where(np.arange(HOSTS) % 2, 21, DAYS)
    population = fleet(rates, {"release": rolled_out(since)})
    assert not screen_population(population, population.last_day).findings
    worse = np.where(rolled_out(since), 3 * rates, rates)
    population = fleet(worse, {"release": rolled_out(since)})
    marks = {f.mark for f in screen_population(population, population.last_day).findings}
    assert "release=new" in marks, marks


def test_an_image_of_the_one_program_stays_beside_what_came_with_it() -> None:
    """Kernel, firmware and image of one night: no crash tells which of them it is."""
    new = rolled_out(np.where(np.arange(HOSTS) % 10, 20, DAYS))
    population = fleet(0.05 + 0.1 * new, {"bios": new, "kernel": new, "image": new})
    is_bug = (population.attributes[0].crash == 1) & (population.signature != 1)
    kinds = np.where(is_bug, 0, 1 + population.signature % 7)
    nowhere = np.full(population.exposure_day.size, -1)
    program = Attribute(PROGRAM, ["pay"], np.zeros(kinds.size, dtype=int), nowhere)
    asked = population._replace(signature=kinds, facts=(program,), memo=None)
    headline = judge_signature(asked, 0, asked.last_day).headline
    assert all(f"{name}=new" in headline for name in ("bios", "kernel", "image")), headline


def test_hosts_on_which_a_program_does_not_run_are_no_part_without_its_crashes() -> None:
    """A bug of what the first half of the hosts run; the other half runs another service."""
    half = np.repeat((np.arange(HOSTS) >= HOSTS // 2).astype(int)[:, None], DAYS, axis=1)
    new = rolled_out([20] * HOSTS)
    population = fleet(0.05 + 0.3 * new * (1 - half), {"load": new, "service": half})
    load, service = population.attributes
    is_bug = (load.crash == 1) & (service.crash == 0) & (population.signature != 1)
    kinds = np.where(is_bug, 0, 1 + population.signature % 7)
    nowhere = np.full(population.exposure_day.size, -1)
    programs = Attribute(PROGRAM, ["first", "second"], service.crash, nowhere)
    ran = population._replace(signature=kinds, facts=(programs,))
    rows = rates_of_values(ran, load, ran.signature >= 0, explain=True).rows
    answer = next(row.answer for row in rows if row.value == "new")
    assert '"s0"' in answer or "s0 " in answer, answer
    assert "none of them with service" not in answer, answer


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
    assert "the difference comes at host_uptime_h 480.0, which each reboot" in row.answer
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
    assert answer.startswith("fewer crashes with it on hosts without flag=new: ") == cured, answer


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
    assert ask(population, "kernel", "new").answer.startswith("cannot be told from agent=new, ")


def test_few_hours_that_leave_twice_as_many_open_acquit_nothing() -> None:
    kernel = rolled_out(np.where(np.arange(HOSTS) < 12, 38, 99))
    row = ask(fleet(np.full((HOSTS, DAYS), 0.1), {"kernel": kernel}, seed=2), "kernel", "new")
    assert row.answer.startswith("cannot tell: "), row.answer


def test_sums_of_old_hours_still_tell_what_ran_beside_a_value() -> None:
    """A release in four waves, taken back on one day: half of the hosts ran without it."""
    since = 10 + np.arange(HOSTS) % 4 * 6
    release = rolled_out(since) * (np.arange(DAYS) < 30)
    whole = fleet(np.full((HOSTS, DAYS), 0.01), {"kernel": release})
    summed = sum_old_host_hours(whole, FIRST + DAYS)
    assert summed.exposure_day.size < whole.exposure_day.size / 5
    for population in (whole, summed):
        codes, days = population.attributes[0].exposure, population.exposure_day
        beside = (codes == 0) & (days >= FIRST + 10) & (days < FIRST + 30)
        assert population.exposure_hours[beside].sum() == 24.0 * (since - 10).sum()
        assert not value_ran_alone(population, codes, 1)


def test_two_values_of_hardware_are_called_hardware_where_a_signature_is_split() -> None:
    """A firmware on one model of disk: both together have it, and nothing else a few times."""
    model = np.repeat((np.arange(HOSTS) % 3 == 0).astype(int)[:, None], DAYS, axis=1)
    firmware = rolled_out(np.where(np.arange(HOSTS) % 2, 18, DAYS))
    rates = 0.05 + 0.08 * model * firmware
    whole = fleet(rates, {"disk_fw": firmware, "disk_model": model})
    codes = [a.crash for a in whole.attributes]
    signature = np.where(codes[0] * codes[1] == 1, 0, 1 + np.arange(whole.day.size) % 7)
    whole = whole._replace(signature=signature, memo=None)
    parts = split_signature(whole, 0, FIRST + DAYS - 1).parts
    assert parts[0].mark == "disk_fw=new and disk_model=new"
    assert parts[0].label.startswith("hardware, firmware, or code that only such hosts run: ")


def test_days_after_the_hours_on_which_one_host_alone_crashed_ask_for_its_clock() -> None:
    rates = np.full((HOSTS, DAYS), 0.05)
    rates[:, -3:], rates[7, -3:] = 0.0, 1.5
    whole = fleet(rates, {})
    until = whole.exposure_day < FIRST + DAYS - 3
    clock = "all of these are of host h007: see whether its clock is right; else feed those days"
    for day, advice in ((DAYS - 3, clock), (20, "feed those days")):
        fed = until & (whole.exposure_day != FIRST + day)
        checks = check_quality(whole.select(whole.host >= 0, fed))
        assert [c.advice for c in checks if "no host-hours for" in c.text] == [advice]


@pytest.mark.parametrize("more", [0.0, 0.16])
def test_what_a_later_version_has_again_in_one_region_is_not_over(more: float) -> None:
    """The region explains most of the later crashes, and had none with the version between."""
    release = np.broadcast_to(np.digitize(np.arange(DAYS), (12, 26)), (HOSTS, DAYS)).copy()
    region = np.repeat((np.arange(HOSTS) % 5 == 0).astype(int)[:, None], DAYS, axis=1)
    has_bug = (release == 0) | ((release == 2) & (region == 1))
    whole = fleet(
        0.04 + (0.03 + more * (release == 2)) * has_bug, {"image": release, "region": region}
    )
    rows = np.arange(whole.day.size)
    image, place = (attribute.crash for attribute in whole.attributes)
    is_bug = ((image == 0) | ((image == 2) & (place == 1))) & (rows % 7 < 3)
    signature = np.where(is_bug, 0, 1 + rows % 5)
    program = Attribute(
        PROGRAM, ["shop"], np.zeros(rows.size, dtype=int), np.full(whole.exposure_day.size, -1)
    )
    whole = whole._replace(signature=signature, facts=(program,), memo=None)
    findings = screen_population(whole, FIRST + DAYS - 1).findings
    of_first = [f for f in findings if f.mark == "image=old" and f.signature == "s0"]
    assert of_first and (not more or any(f.mark == "region=new" for f in findings))
    caveats = "; ".join(of_first[0].caveats)
    assert "again with other: mended in new, and lost since" in caveats
    assert "may be over" not in caveats and "new and other" not in caveats
