# SPDX-License-Identifier: Apache-2.0
"""What is accused by chance, by its load, or by what implies it; one bug in two programs."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import CPUS, FIRST_DAY, Crash, population, simulate

from gdb_epi.fleet.population.coverage import drop_host_hours
from gdb_epi.fleet.population.population import FLIP_BIT, Attribute, Population
from gdb_epi.fleet.questions.collection_limits import find_core_size_limit
from gdb_epi.fleet.questions.population_verdict import judge_host, judge_population
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.questions.same_bugs import same_bug_headlines
from gdb_epi.fleet.questions.splitting import split_signature
from gdb_epi.fleet.questions.suspects import sentences_about_hosts
from gdb_epi.fleet.records.facts import facts_of_core
from gdb_epi.fleet.screen.dose_response import process_age_words
from gdb_epi.fleet.screen.finding import UNSURE_Q, may_host_stand_out_by_chance
from gdb_epi.fleet.screen.possibly_bad_hosts import hosts_with_most_crashes_words
from gdb_epi.fleet.screen.recurring_events import finding_lines
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.screen.version_courses import version_regression_words
from gdb_epi.fleet.store.day_numbers import iso_day

DAYS = 21
LAST = FIRST_DAY + DAYS - 1
SMALL = {"hosts": 60, "days": DAYS}


def with_crashes(crashes: list[Crash], seed: int = 661_600, **options: float) -> Population:
    """A quiet fleet, and some crashes more."""
    fleet = simulate(seed, per_day=6.0, **{**SMALL, **options})
    fleet.crashes.extend(crashes)
    fleet.crashes.sort()
    return population(fleet)


def column(whole: Population, name: str, of_host, values: list[str]) -> Population:
    """The fleet with an attribute of its hosts."""
    codes = [np.asarray(of_host(h)).astype(int) for h in (whole.host, whole.exposure_host)]
    own = Attribute(name, values, *codes)
    return whole._replace(attributes=(*whole.attributes, own), memo=None)


@pytest.mark.parametrize(("flips", "host"), [(0, 5), (1, 9)])
def test_a_host_that_may_have_had_bad_luck_is_not_taken_out(flips, host):
    """With each crash of a kind of its own it is more certain; then the words change.

    A flipped bit in one of them changes nothing: in a year most hosts have that.
    """
    seen = set()
    for own in range(2, 8):
        crashes = [Crash(DAYS - 1 - n, host, f"own {n}", n, n < flips, "") for n in range(own)]
        whole = with_crashes(crashes)
        for finding in screen_population(whole, LAST).hosts:
            if finding.value == f"node-{host}":
                seen.add(may_host_stand_out_by_chance(finding))
                assert may_host_stand_out_by_chance(finding) == (finding.q > UNSURE_Q)
                headline = judge_host(whole, finding).headline
                assert (
                    "may be broken, or had bad luck" in headline
                ) == may_host_stand_out_by_chance(finding)
    assert seen == {True, False}


def test_a_host_is_told_to_be_quiet_though_its_last_bad_crashes_were_usual_ones():
    """Its memory breaks on day 3; three of its crashes before the repair on day 9 have no flip."""
    flipped = [Crash(3 + n // 2, 9, f"s{n % 8:03}", n, True, "") for n in range(12)]
    usual = [Crash(9 + n // 3, 9, f"s{n % 8:03}", n, False, "") for n in range(5)]
    whole = with_crashes([*flipped, *usual])
    bits = np.where(whole.bitflip & (whole.host == 9), 13, -1)
    fact = Attribute(FLIP_BIT, [str(bit) for bit in range(64)], bits, whole.exposure_host * 0 - 1)
    whole = whole._replace(facts=(fact,), memo=None)
    (finding,) = [f for f in screen_population(whole, LAST).hosts if f.value == "node-9"]
    assert finding.changes.recovered == iso_day(FIRST_DAY + 9)
    until_then = finding._replace(members=finding.members[whole.day <= LAST - 3])
    for of_day in (finding, until_then):  # a replay's masks end with their day
        words = " ".join(finding_lines(whole, LAST, of_day))
        assert "have a flipped bit: bit 13 in 12 of them" in words
    (sentence,) = sentences_about_hosts(whole, ["node-9"])
    assert sentence.startswith(f"hardware-suspect until {iso_day(FIRST_DAY + 9)}: ")
    assert sentences_about_hosts(whole, ["node-5"]) == []


def leaking(bad: list[Crash]) -> Population:
    """A release for all hosts, of which those with less memory die three times as often."""
    hosts = [
        h for day in range(14, DAYS) for h in range(day % 5, 60, 5) for _ in range(1 + 2 * (h % 2))
    ]
    leak = [
        Crash(14 + n % 7, host, f"no memory in f{n % 25}", n % CPUS, False, "")
        for n, host in enumerate(hosts)
    ]
    whole = with_crashes([*leak, *bad])
    whole = column(whole, "mem_gb", lambda host: host % 2, ["64", "32"])
    new = whole.day >= FIRST_DAY + 14, whole.exposure_day >= FIRST_DAY + 14
    release = Attribute("release", ["1", "2"], *(some.astype(int) for some in new))
    return whole._replace(attributes=(*whole.attributes, release), memo=None)


def test_machines_that_a_leak_kills_sooner_are_not_accused():
    """What breaks on them besides is not of the kinds that the leak brings, and is told."""
    bad = [
        Crash(14 + n % 7, 1 + 2 * n % 60, f"s{n % 8:03}", 7 * n % CPUS, False, "")
        for n in range(90)
    ]
    for crashes, accused in (([], False), (bad, True)):
        marks = {
            f.mark for f in screen_population(leaking(crashes), LAST).findings if f.signature == "*"
        }
        assert ("mem_gb=32" in marks) is accused
        assert "release=2" in marks


def busy_host() -> Population:
    """One host has thirty crashes, all of kinds that other hosts have."""
    random = np.random.default_rng(2)
    names = [f"s{n:03}" for n in random.integers(0, 8, 30)]
    return with_crashes([Crash(n % DAYS, 7, s, n % CPUS, False, "") for n, s in enumerate(names)])


def test_without_host_hours_a_busy_host_is_no_suspect():
    whole = busy_host()
    screening = screen_population(whole, LAST)
    assert [f.value for f in screening.hosts] == ["node-7"], (
        "its hours say that it does not run more"
    )
    assert "node-7 (" not in (hosts_with_most_crashes_words(whole, screening) or "")
    alone = drop_host_hours(whole)
    screening = screen_population(alone, LAST)
    assert screening.hosts == ()
    assert "the most crashes are on node-7 (" in (
        hosts_with_most_crashes_words(alone, screening) or ""
    )


def needing(value: int, kinds: list[int]) -> Population:
    """30 crashes of a signature on hosts with a release; of some it is not known."""
    crashes = [Crash(n % DAYS, 2 * n % 60 + 1 - value, "bug", n, False, "") for n in range(30)]
    whole = column(with_crashes(crashes), "release", lambda host: 1 - host % 2, ["1", "2"])
    (*others, release) = whole.attributes
    mine = np.flatnonzero(whole.signature == whole.signatures.index("bug"))
    codes = release.crash.copy()
    codes[mine[kinds]] = -1
    flavour = Attribute("flavour", ["a", "b"], np.isin(np.arange(codes.size), mine[kinds]) * 1,
                        np.where(np.arange(release.exposure.size) % 20, 0, 1))  # fmt: skip
    attributes = (*others, release._replace(crash=codes), flavour)
    return whole._replace(attributes=attributes, memo=None)


def test_crashes_whose_value_is_not_known_are_no_second_cause():
    whole = needing(1, [1, 4, 7, 10, 13, 16])
    parted = split_signature(whole, whole.signatures.index("bug"), LAST)
    marks = [part.mark for part in parted.parts if part.finding is not None]
    assert marks == ["release=2"]


@pytest.mark.parametrize(
    ("cause", "marks"),
    [("nic_fw", {"nic_fw"}), ("model", {"model"}), ("both", {"nic_fw", "model"})],
)
def test_a_model_that_a_firmware_implies_is_not_accused(cause, marks):
    """All machines with the firmware are of the model, and two of three of the model have it."""
    hosts = [h for h in range(60) if h % 4 == 0 and (h % 3 or cause != "nic_fw")]
    hosts += [h for h in hosts if h % 3] * (12 if cause == "both" else 0)  # it may crash more
    number = 144 if cause == "both" else 36
    crashes = [Crash(n % DAYS, hosts[7 * n % len(hosts)], "bug", n % CPUS, False, "")
               for n in range(number)]  # fmt: skip
    whole = column(with_crashes(crashes), "model", lambda h: h % 4 == 0, ["R650", "R660"])
    whole = column(whole, "nic_fw", lambda h: (h % 4 == 0) & (h % 3 > 0), ["20", "22"])
    (*others, firmware) = whole.attributes
    codes = np.where(np.arange(whole.day.size) % 8, firmware.crash, -1)  # some do not tell it
    whole = whole._replace(attributes=(*others, firmware._replace(crash=codes)), memo=None)
    parted = split_signature(whole, whole.signatures.index("bug"), LAST)
    part, *_ = (p for p in parted.parts if p.finding is not None)
    assert part.finding is not None
    assert {part.finding.attr, *(f.attr for f in part.also)} == marks


@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_name_that_another_machine_has_now_is_not_taken_out(is_replaced):
    crashes = [Crash(n // 2, 5, f"own {n}", n % CPUS, n % 2 == 0, "") for n in range(14)]
    whole = with_crashes(crashes)
    codes = [
        ((host == 5) & (day >= FIRST_DAY + 10) & is_replaced).astype(int)
        for host, day in ((whole.host, whole.day), (whole.exposure_host, whole.exposure_day))
    ]
    model = Attribute("model", ["R440", "R660"], *codes)
    whole = whole._replace(attributes=(*whole.attributes, model), memo=None)
    (finding,) = screen_population(whole, LAST).hosts
    headline = judge_host(whole, finding).headline
    assert ("former machine of one host (node-5)" in headline) == is_replaced
    assert ("if nobody repaired it" in headline) != is_replaced


@pytest.mark.parametrize("other", ["decode", "encode"])
def test_one_native_code_in_two_programs_is_one_bug(other):
    names = [f"{code} <-- py:{p}.handle" for code, p in (("decode", "archive"), (other, "mirror"))]
    crashes = [Crash(n % DAYS, 2 * n % 60, names[n % 2], n, False, "") for n in range(60)]
    whole = column(with_crashes(crashes), "zstd", lambda host: 1 - host % 2, ["0.23", "0.24"])
    same = same_bug_headlines(whole, judge_population(whole, LAST))
    assert bool(same) == (other == "decode")
    words = "they go with zstd=0.24 and die in the same native code"
    assert all(words in sentence for sentence, _ in same)


def test_the_namespace_the_age_and_the_size_of_a_core_are_facts():
    record = {
        "container": {"image": "render:8.1", "namespace": "t-ember"},
        "process": {"cpu_seconds": {"user": 290.0, "system": 9.0}},
        "file": {"size": 5 << 30, "compression": None},
    }
    facts = facts_of_core(record)
    assert (facts["namespace"], facts["cpu_time"]) == ("t-ember", "under 5 min")
    assert facts["core_size"] == "4 GiB"
    record["file"] = {"size": 5 << 30, "compression": "zst"}
    assert "core_size" not in facts_of_core(record), "it says nothing of the core's size"


def with_facts(whole: Population, **codes: tuple[list[str], np.ndarray]) -> Population:
    none = np.full(whole.exposure_day.size, -1)
    facts = [Attribute(name, values, np.asarray(c), none) for name, (values, c) in codes.items()]
    return whole._replace(facts=tuple(facts), memo=None)


@pytest.mark.parametrize("is_young", [True, False])
def test_what_comes_in_young_processes_alone_is_told(is_young):
    whole = with_crashes([Crash(n % DAYS, n % 60, "bug", n, False, "") for n in range(30)])
    mine = whole.signature == whole.signatures.index("bug")
    young = np.where(mine & is_young, 1, np.arange(mine.size) % 8 == 0).astype(int)
    program = (["fetch"], np.zeros(mine.size, dtype=int))
    whole = with_facts(whole, cpu_time=(["5 min to 10 h", "under 5 min"], young), program=program)
    words = process_age_words(whole, mine)
    assert bool(words) == is_young
    assert words is None or "30 of 30 in processes with under 5 min of CPU time" in words


@pytest.mark.parametrize(("since", "told"), [(10, True), (18, False), (DAYS, False)])
def test_large_cores_that_come_no_more_are_told(since, told):
    """A third of the cores are large, until a day; three days without any are soon chance."""
    whole = with_crashes([])
    is_large = (np.arange(whole.day.size) % 3 == 0) & (whole.day < FIRST_DAY + since)
    whole = with_facts(whole, core_size=(["under 1 GiB", "2 GiB"], is_large.astype(int)))
    sizes = find_core_size_limit(whole)
    words = None if sizes is None else sizes.words()
    assert bool(words) == told
    assert not told or "no core of 2 GiB or more since" in words
    assert any(check.text == words for check in check_quality(whole)) == told


def test_a_limit_of_cores_that_was_lifted_is_told():
    """Of each crash the size is known; large ones of two programs come from a day on."""
    whole = with_crashes([])
    number = np.arange(whole.day.size)
    late = (number % 3 == 0) & (whole.day >= FIRST_DAY + 10)
    sizes = Attribute(
        "core_gib", [f"{n / 10:g}" for n in range(1, 90)],
        np.where(late, 50 + number % 30, number % 40), np.zeros(0, dtype=int),
    )  # fmt: skip
    program = (["fetch", "embed"], number % 2)
    whole = with_facts(whole._replace(attributes=(*whole.attributes, sizes)), program=program)
    size_limit = find_core_size_limit(whole)
    assert size_limit is not None and size_limit.has_begun and size_limit.day == FIRST_DAY + 10
    assert "no crash with core_gib of 5.1 or more before" in size_limit.words()


@pytest.mark.parametrize("came_back", [True, False])
def test_a_bug_that_a_later_version_brought_back_is_told(came_back):
    whole = with_crashes([Crash(n % DAYS, n % 60, "bug", n, False, "") for n in range(63)])
    version = (whole.day - FIRST_DAY) // 5
    kept = (whole.signature != whole.signatures.index("bug")) | (version == 0)
    kept |= (version >= 3) & came_back
    none = np.full(whole.exposure_day.size, -1)
    names = [f"mixer:7.{n}" for n in range(2, 7)]
    image = Attribute("image", names, np.minimum(version, 4), none)
    program = Attribute("program", ["mixer"], np.zeros(version.size, dtype=int), none)
    whole = whole._replace(attributes=(image,), facts=(program,), memo=None)
    whole = whole.select(kept, none < 0)
    words = version_regression_words(whole, whole.signature == whole.signatures.index("bug"))
    assert (words is not None) == came_back
    assert words is None or words.startswith("hardly any with image 7.3 and 7.4 (0 where ")
    assert words is None or words.endswith("again with 7.5: mended in 7.3, and lost since")
