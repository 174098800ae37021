# SPDX-License-Identifier: Apache-2.0
"""Programs and versions in records, numbers that rise, and what repeats when it is due."""

from __future__ import annotations

import numpy as np
import pytest
from support.fleet_simulator import population, simulate
from unit.fleet_records import minimal

from gdb_epi.cli.main import main
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import Attribute
from gdb_epi.fleet.population.read_population import _does_attribute_name_programs
from gdb_epi.fleet.population.value_spans import DaysOfUseByValue
from gdb_epi.fleet.questions.population_verdict import judge_population, verdict_of_split_signature
from gdb_epi.fleet.questions.splitting import SignaturePart, SignatureSplit
from gdb_epi.fleet.records.facts import facts_of_core, identify_program
from gdb_epi.fleet.records.projection import project_record
from gdb_epi.fleet.screen.dose_response import dose_response_caveat
from gdb_epi.fleet.screen.finding import ALL, DAY_OF_WEEK, EVENT, TIME_OF_DAY, Finding
from gdb_epi.fleet.screen.finding_texts import describe_verdict, equivalent_marks_words
from gdb_epi.fleet.screen.programs import (
    is_preferred_by_most_programs,
    program_of_each_crash,
    program_of_signature,
)
from gdb_epi.fleet.screen.screening import screen_population
from gdb_epi.fleet.screen.time_and_cpu_patterns import is_event_at_known_time_of_signature
from gdb_epi.fleet.statistics.hypothesis_tests import beta_binomial_tail, binomial_tail
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.render.signature_words import hash_signature_line, signature_phrase_and_key


@pytest.mark.parametrize(
    ("record", "program"),
    [
        ({"job": {"unit": "web.service"}, "container": {"image": "app:2"}}, "web.service"),
        ({"job": {"unit": "docker-0a1b.scope"}, "container": {"image": "app:2"}}, "app"),
        ({"job": {"unit": "containerd.service"}, "container": {"image": "app:2"}}, "app"),
        ({"job": {"unit": "user@1000.service"}, "process": {"script": "fit.py"}}, "fit.py"),
        ({"job": {"unit": "run-u71.service"}, "process": {"script": "fit.py"}}, "fit.py"),
        ({"job": {"unit": "worker@3.service"}}, "worker@.service"),
        ({"container": {"image": "app:2"}, "process": {"comm": "python3"}}, "app"),
        ({"container": {"image": "reg:5000/team/app:2.3@sha256:00"}}, "reg:5000/team/app"),
        ({"container": {"image": "reg:5000/team/app"}}, "reg:5000/team/app"),
        ({"process": {"script": "work.py", "comm": "python3"}}, "work.py"),
        ({"process": {"script": None, "comm": "worker"}}, "worker"),
        ({"process": {"script": ["x"], "comm": 7}, "job": 3, "container": []}, None),
        ({}, None),
    ],
)
def test_what_a_program_is_known_by(record, program):
    assert identify_program(record) == program
    assert facts_of_core(record).get("program") == program


@pytest.mark.parametrize(
    ("signature_of_value", "is_program"),
    [
        ([[0, 1], [2, 3]], True),  # two services, each with its own crashes
        ([[0, 1, 2, 3], [0, 1, 2, 3]], False),  # two racks
        ([[0, 1, 2, 3], [4]], False),  # a kernel with one bug of its own
    ],
)
def test_what_parts_all_signatures_names_programs(signature_of_value, is_program):
    pairs = [(s, v) for v, some in enumerate(signature_of_value) for s in some for _ in range(9)]
    signature, value = np.array(pairs).T
    attribute = Attribute("service", ["a", "b"], value, np.array([0, 1]))
    assert _does_attribute_name_programs(attribute, signature) is is_program
    few = np.arange(signature.size) % 9 < 3  # crashes of each
    assert not _does_attribute_name_programs(attribute._replace(crash=value[few]), signature[few])


def test_an_image_that_is_an_attribute_names_its_program(tmp_path):
    """Signatures of one program need its image, whatever its release: no release is accused."""
    rng = np.random.default_rng(20)
    crashes = []
    for number in range(1500):
        name, day, host = ("alpha", "beam", "cargo")[number % 3], number // 50, rng.integers(60)
        attributes = {"image": f"team/{name}:{day // 10}", "rack": f"r{host % 4}"}
        groups = {"hostname": f"node-{host}", "attributes": attributes}
        moment = 1_764_000_000.0 + 86_400 * (day + rng.random())
        key = f"{name}-{rng.integers(3)}"
        signature = {"keys": {"stable": key}, "text": {"stable": f"gsig/2 stable segv-null {key}"}}
        crashes.append(minimal(number, host=groups, time={"crash_ts": moment}, signature=signature))
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in crashes))
        read = load_population(engine)
    programs = program_of_each_crash(read)
    assert programs is not None and programs.values == ["team/alpha", "team/beam", "team/cargo"]
    assert (programs.crash >= 0).all()
    last = int(read.known_day.max())
    assert not [f for f in screen_population(read, last).findings if f.attr == "image"]


def test_packages_are_kept_beside_the_libraries():
    packages = [
        {"name": "torch", "version": "2.3", "source": "metadata"},
        {"name": "numpy", "version": None},
        {"name": ["x"], "version": "1"},
        "torch",
    ]
    record = {"schema": "gdb-epi/record/1", "core_key": "k", "python": {"packages": packages}}
    rows = project_record(record)
    assert rows.libs == (("python:torch", "", "2.3"),) and rows.libset
    both = project_record(
        {**record, "libs": {"modules": [{"soname": "libm.so", "build_id": "aa"}]}}
    )
    assert ("libm.so", "aa", "") in both.libs and ("python:torch", "", "2.3") in both.libs
    assert both.libset != rows.libset
    assert project_record({**record, "python": {"packages": "torch"}}).libs == ()


def rates(*counts: int) -> np.ndarray:
    return np.repeat(np.arange(len(counts)), counts)


def test_a_number_whose_larger_values_have_more_is_told():
    values, share = ["64", "8", "16", "32"], np.full(4, 0.25)
    (words,) = dose_response_caveat("cpus", values, rates(40, 4, 12, 26), share, 0)
    assert words.startswith("its rate rises with cpus (8: ")
    assert dose_response_caveat("cpus", values, rates(40, 12, 11, 12), share, 0) == (), (
        "one value alone"
    )
    assert dose_response_caveat("cpus", values, rates(4, 4, 12, 40), share, 3) == (), (
        "not the largest"
    )
    assert (
        dose_response_caveat("cpus", ["a", "8", "16", "32"], rates(40, 4, 12, 26), share, 0) == ()
    )
    (words,) = dose_response_caveat("clock", values, rates(2, 60, 30, 8), share, 1)
    assert words.startswith("its rate falls with clock (8: ")


def test_all_crashes_that_rise_with_a_number_are_load_and_accuse_none_of_its_values():
    caveats = dose_response_caveat(
        "cpus", ["64", "8", "16", "32"], rates(40, 4, 12, 26), np.full(4, 0.25), 0
    )
    numbers = 40, 82, 0.0, 0.0, 9.0, 1.0, 99.0
    nobody = np.zeros(0, dtype=bool)
    finding = Finding("cpus", "64", ALL, *numbers, "", "", (), caveats, nobody)
    assert describe_verdict(finding).startswith(
        "load, it seems: crashes of all kinds rise with cpus "
    )
    assert describe_verdict(finding._replace(signature="race")).endswith("goes with cpus=64")
    assert describe_verdict(finding._replace(caveats=())).endswith("goes with cpus=64")


def test_a_past_value_that_was_used_alone_pays_for_all_spans_of_days():
    day, hours = np.repeat(np.arange(10), 2) + 20_000, np.ones(20)

    def choices(codes: np.ndarray, value: int) -> float:
        return DaysOfUseByValue(codes, day, hours, 6).spans_to_choose_from(value)

    by_turns = (day - 20_000) // 2
    assert choices(by_turns, 1) == 11, "55 spans of 10 days, 5 values"
    assert choices(by_turns, 4) == 1, "used still"
    assert choices(by_turns, 5) == 1, "never used"
    beside = np.where(np.arange(20) % 2, by_turns, 4)
    assert choices(beside, 1) == 1, "another one at the same time"
    assert choices(np.where(by_turns == 0, -1, by_turns), 1) == 9, "36 spans, 4 values"


def test_what_repeats_when_it_is_known_to_come_is_expected():
    nobody = np.zeros(0, dtype=bool)

    def finding(attr: str, value: str, signature: str = "job") -> Finding:
        numbers = 3, 3, 0.0, 0.0, 9.0, 1.0, 99.0
        return Finding(attr, value, signature, *numbers, "", "", (), (), nobody)

    event = finding(EVENT, "2026-11-15 23:01 UTC")  # a Sunday
    night, sunday = finding(TIME_OF_DAY, "22:00 to 00:00 UTC"), finding(DAY_OF_WEEK, "Sunday (UTC)")
    assert is_event_at_known_time_of_signature(event, [night, sunday])
    assert not is_event_at_known_time_of_signature(event, [])
    assert not is_event_at_known_time_of_signature(event, [sunday._replace(signature="other")])
    assert not is_event_at_known_time_of_signature(
        event, [night, finding(DAY_OF_WEEK, "Monday (UTC)")]
    )
    assert not is_event_at_known_time_of_signature(finding(EVENT, "2026-11-15 00:10 UTC"), [night])
    assert is_event_at_known_time_of_signature(finding(EVENT, "2026-11-15 00:10 UTC"), [sunday])


def test_the_beta_binomial_tail_is_that_of_its_terms():
    # Of three with a chance that is uniform, each number from 0 to 3 is as likely.
    assert [round(beta_binomial_tail(k, 3, 1.0, 1.0), 9) for k in range(5)] == [
        1,
        0.75,
        0.5,
        0.25,
        0,
    ]
    # A known chance: the binomial.
    sharp = beta_binomial_tail(8, 10, 3e7, 7e7)
    assert abs(sharp - float(binomial_tail(*map(np.array, ([8.0], [10.0], [0.3])))[0])) < 1e-6
    assert beta_binomial_tail(20, 20, 8.0, 7.0) > 50 * 0.53**20, "a share that is not well known"


def busy(programs: list[int], inside: list[int]) -> bool:
    """Whether a value that a quarter of the hours have is preferred by most of the programs."""
    names = [str(number) for number in range(len(programs))]
    crash = np.repeat(np.arange(len(programs)), programs)
    with_value = np.concatenate([np.arange(n) < k for n, k in zip(programs, inside, strict=True)])
    whole = population(simulate(5, hosts=20, days=2, per_day=5))
    fact = Attribute("program", names, crash, np.zeros(0, dtype=np.int64))
    mine = np.arange(crash.size)
    return is_preferred_by_most_programs(whole._replace(facts=(fact,)), mine, with_value, 0.25, 2.0)


def test_a_rack_is_not_bad_for_what_its_busiest_programs_do():
    assert not busy([40, 30, 20, 20, 20], [40, 30, 5, 5, 5]), "two of them run there"
    assert busy([40, 30, 20, 20, 20], [30, 22, 14, 15, 13]), "all of them"
    assert busy([50], [50]), "of a single program nothing is left aside"
    assert not busy([30, 30, 9, 8, 7, 6], [0, 1, 9, 8, 7, 6]), "services that run there alone"


def test_a_value_that_all_parts_have_is_one_cause_with_a_second_value_and_not_two():
    whole = population(simulate(5, hosts=20, days=2, per_day=5))
    signature = whole.signatures[0]
    half = np.arange(whole.day.size) % 2 == 0

    def finding(attr: str, members) -> Finding:
        numbers = 20, 20, 0.0, 0.0, 9.0, 1.0, 99.0
        value = whole.attribute(attr).values[0]
        return Finding(attr, value, signature, *numbers, "", "", (), (), members)

    def headline(first: tuple[Finding, ...], second: tuple[Finding, ...]) -> str:
        parts = [
            SignaturePart("", "", own[0], 20, 9, 0, members, own[1:])
            for own, members in ((first, half), (second, ~half))
        ]
        return verdict_of_split_signature(
            whole, SignatureSplit(signature, tuple(parts), "", None, None)
        ).headline

    image, again, rack = finding("image", half), finding("image", ~half), finding("rack", half)
    shared = headline((image, rack), (again,))
    assert shared.startswith(f"software: needs image={image.value}, some of them with rack=")
    assert headline((rack,), (again,)).startswith("two causes: rack=")


def test_what_dies_at_each_start_is_no_event_and_no_hour(tmp_path):
    """Seven releases at ten o'clock: a quarter of the hosts die in the hour after each."""
    rng, crashes, start = np.random.default_rng(12), [], 20_000 * 86_400.0
    for release in range(7):
        began = start + 86_400 * 7 * release + 36_000
        for host in np.flatnonzero(rng.random(80) < 0.25).tolist():
            age = int(rng.integers(60, 3_000))
            crashes.append((began + age, host, release, age, "warm-up"))
        for _ in range(25):
            age = int(rng.integers(5_000, 7 * 86_400))
            crashes.append((began + age, int(rng.integers(80)), release, age, f"s{age % 9}"))
    records = [
        minimal(
            number,
            host={"hostname": f"n{host}", "attributes": {"process_uptime_s": age}},
            time={"crash_ts": when},
            container={"image": f"shop/web:{release}"},
            signature={"keys": {"stable": name}, "text": {"stable": f"gsig/2 stable segv {name}"}},
        )
        for number, (when, host, release, age, name) in enumerate(sorted(crashes))
    ]
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, (("t", record) for record in records))
        read = load_population(engine)
    last = int(read.known_day.max())
    screened = screen_population(read, last)
    about = [f for f in screened.findings if f.signature.endswith("warm-up")]
    assert about and not [f for f in about if f.attr in (TIME_OF_DAY, "image")]
    (verdict,) = [
        v for v in judge_population(read, last, screened) if v.subject.endswith("warm-up")
    ]
    assert (
        verdict.headline.startswith("software: all ") and "process_uptime_s <= " in verdict.headline
    )
    assert verdict.headline.endswith("once for each start, whatever was started")


@pytest.mark.parametrize(
    ("attr", "aliases", "is_told"),
    [
        ("openblas", ("cpu_model=EPYC", "image=a:znver"), True),
        ("image", ("package a=2",), False),  # one release in two words
        ("image", (), False),
        ("host", ("rack=r1",), False),
        (EVENT, ("rack=r1",), False),
    ],
)
def test_marks_of_the_same_hosts_are_none_of_them_proved(attr, aliases, is_told):
    nothing = np.zeros(1, dtype=bool)
    finding = Finding(
        attr, "x", "s", 9, 9, 1e-9, 1e-9, 9.0, 3.0, 27.0, "", "", aliases, (), nothing
    )  # fmt: skip
    assert (equivalent_marks_words(finding) is not None) == is_told


def test_a_signature_is_told_with_its_program(tmp_path, capsys):
    """All scripts call their functions main(): words without the program fit any of them."""
    rng = np.random.default_rng(7)
    crashes = []
    for number in range(400):
        is_bad = number % 4 == 0
        name = "gsig/2 stable segv-null memcpy <-- py:__main__.main"
        name = name if is_bad else f"gsig/2 stable segv-null f{number % 9} <-- py:__main__.main"
        program = "web.py" if is_bad else f"batch{number % 5}.py"
        host = int(rng.integers(10)) * 4 + 1 if is_bad else int(rng.integers(40))
        moment = 1_764_000_000.0 + 86_400 * float(rng.random() * 20)
        crashes.append(
            minimal(
                number,
                time={"crash_ts": moment, "ts_source": "journal"},
                host={"hostname": f"node-{host}", "attributes": {"rack": f"r{host % 4}"}},
                process={"script": program},
                signature={
                    "version": "gsig/2",
                    "keys": {"stable": hash_signature_line(name)},
                    "text": {"stable": name},
                },
            )
        )
    db = str(tmp_path / "f.sqlite3")
    with open_database(db, write=True) as engine:
        ingest(engine, (("t", record) for record in crashes))
        read = load_population(engine)
    bad = next(name for name in read.signatures if "memcpy" in name)
    assert program_of_signature(read, bad) == "web.py"
    assert program_of_signature(read, f"{bad} where rack=r1") == "web.py"
    assert program_of_signature(read, ALL) == ""
    phrase = signature_phrase_and_key(bad, "web.py")
    assert phrase.startswith('"') and '" of web.py (key ' in phrase
    for words in (("suspects",), ("screen",), ("digest", "--days", "365")):
        assert main(["fleet", *words, "--db", db]) == 0
        assert "web.py" in capsys.readouterr().out, words
