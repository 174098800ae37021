# SPDX-License-Identifier: Apache-2.0
"""Programs and versions in records, numbers that rise, and what repeats when it is due."""

from __future__ import annotations

import numpy as np
import pytest

from gdb_epi.fleet.records.facts import facts_of, program_of
from gdb_epi.fleet.records.projection import project
from gdb_epi.fleet.screen.moments import is_expected
from gdb_epi.fleet.screen.rising import trend_of_number
from gdb_epi.fleet.screen.types import DAY_OF_WEEK, EVENT, TIME_OF_DAY, Finding


@pytest.mark.parametrize(
    ("record", "program"),
    [
        ({"job": {"unit": "web.service"}, "container": {"image": "app:2"}}, "web.service"),
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
    assert program_of(record) == program
    assert facts_of(record).get("program") == program


def test_packages_are_kept_beside_the_libraries():
    packages = [
        {"name": "torch", "version": "2.3", "source": "metadata"},
        {"name": "numpy", "version": None},
        {"name": ["x"], "version": "1"},
        "torch",
    ]
    record = {"schema": "gdb-epi/record/1", "core_key": "k", "python": {"packages": packages}}
    rows = project(record)
    assert rows.libs == (("python:torch", "", "2.3"),) and rows.libset
    both = project({**record, "libs": {"modules": [{"soname": "libm.so", "build_id": "aa"}]}})
    assert ("libm.so", "aa", "") in both.libs and ("python:torch", "", "2.3") in both.libs
    assert both.libset != rows.libset
    assert project({**record, "python": {"packages": "torch"}}).libs == ()


def rates(*counts: int) -> np.ndarray:
    return np.repeat(np.arange(len(counts)), counts)


def test_a_number_whose_larger_values_have_more_is_told():
    values, share = ["64", "8", "16", "32"], np.full(4, 0.25)
    (words,) = trend_of_number("cpus", values, rates(40, 4, 12, 26), share, 0)
    assert words.startswith("its rate rises with cpus (8: ")
    assert trend_of_number("cpus", values, rates(40, 12, 11, 12), share, 0) == (), "one value alone"
    assert trend_of_number("cpus", values, rates(4, 4, 12, 40), share, 3) == (), "not the largest"
    assert trend_of_number("cpus", ["a", "8", "16", "32"], rates(40, 4, 12, 26), share, 0) == ()
    (words,) = trend_of_number("clock", values, rates(2, 60, 30, 8), share, 1)
    assert words.startswith("its rate falls with clock (8: ")


def test_what_repeats_when_it_is_known_to_come_is_expected():
    nobody = np.zeros(0, dtype=bool)

    def finding(attr: str, value: str, signature: str = "job") -> Finding:
        numbers = 3, 3, 0.0, 0.0, 9.0, 1.0, 99.0
        return Finding(attr, value, signature, *numbers, "", "", (), (), nobody)

    event = finding(EVENT, "2026-11-15 23:01 UTC")  # a Sunday
    night, sunday = finding(TIME_OF_DAY, "22:00 to 00:00 UTC"), finding(DAY_OF_WEEK, "Sunday (UTC)")
    assert is_expected(event, [night, sunday])
    assert not is_expected(event, [])
    assert not is_expected(event, [sunday._replace(signature="other")])
    assert not is_expected(event, [night, finding(DAY_OF_WEEK, "Monday (UTC)")])
    assert not is_expected(finding(EVENT, "2026-11-15 00:10 UTC"), [night])
    assert is_expected(finding(EVENT, "2026-11-15 00:10 UTC"), [sunday])
