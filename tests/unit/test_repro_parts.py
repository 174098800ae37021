# SPDX-License-Identifier: Apache-2.0
"""Parts of `gdb-epi repro` that need no process: intervals, expectations, reports."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gdb_epi.errors import InputError, UsageError
from gdb_epi.repro import expected_crash as expect
from gdb_epi.repro import reports
from gdb_epi.repro.campaign import (
    CampaignCounts,
    ExaminedCrash,
    RunResult,
    SoughtCrash,
    count_results,
    interval_for_fixed_runs,
    interval_until_success,
    upper_limit_without_success,
)
from gdb_epi.repro.expected_crash import compare_records, comparison_lines
from gdb_epi.repro.run_once import CRASH, ENDED, HANG, RunOutcome, read_core_dumping
from gdb_epi.util import sha256_hex

LINE = "gsig/2 stable segv-null f <- g"
KEY = sha256_hex(LINE.encode())[:16]


def record(**keys: str) -> dict:
    texts = {"stable": LINE}
    group = {"key": "stable", "value": keys.get("stable", "")}
    signature = {"version": "gsig/2", "category": "segv-null", "keys": keys, "text": texts}
    return {"schema": "gdb-epi/record/1", "signature": {**signature, "group": group}}


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("scipy") is None, reason="SciPy is not installed")
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("runs", [1, 2, 10, 57, 1000])
def test_fixed_runs_are_clopper_pearson(runs: int, confidence: float) -> None:
    from scipy.stats import binomtest

    for count in sorted({0, 1, runs // 3, runs // 2, runs - 1, runs}):
        wanted = binomtest(count, runs).proportion_ci(confidence, method="exact")
        interval = interval_for_fixed_runs(count, runs, confidence)
        assert interval.low == pytest.approx(wanted.low, abs=1e-9)
        assert interval.high == pytest.approx(wanted.high, abs=1e-9)


def test_the_first_success_bounds_the_rate() -> None:
    """By definition: at `low` an n this small, at `high` one this large has 2.5 % probability."""
    for runs in (2, 7, 300):
        interval = interval_until_success(runs, 0.95)
        assert 1 - (1 - interval.low) ** runs == pytest.approx(0.025)
        assert (1 - interval.high) ** (runs - 1) == pytest.approx(0.025)
    assert interval_until_success(1).high == 1.0
    assert (1 - upper_limit_without_success(20)) ** 20 == pytest.approx(0.05)


def test_no_interval_without_runs() -> None:
    with pytest.raises(ValueError, match="no interval"):
        interval_for_fixed_runs(0, 0)
    assert interval_for_fixed_runs(0, 200_000).high < 2e-5


# -- expectations ----------------------------------------------------------------------------------


def test_what_may_be_expected(tmp_path: Path) -> None:
    assert expect.read_expectation(LINE).keys == {"stable": frozenset((KEY,))}
    assert expect.read_expectation(f"stable:{KEY}").keys == {"stable": frozenset((KEY,))}
    assert set(expect.read_expectation(KEY).keys) == {
        "exact",
        "strict",
        "stable",
        "python",
        "native",
    }
    assert set(expect.read_expectation("0123456789ab").keys) == {"coarse"}
    path = tmp_path / "r.json"
    for text in (
        json.dumps(record(stable=KEY)) + "\n{}\n",
        json.dumps([record(stable=KEY)], indent=1),
    ):
        path.write_text(text)
        assert expect.read_expectation(str(path)).keys == {"stable": frozenset((KEY,))}


@pytest.mark.parametrize("word", ["stable:12", "wrong:" + KEY, "gsig/2 stable", "hello", "0123"])
def test_wrong_expectations(word: str) -> None:
    with pytest.raises(UsageError):
        expect.read_expectation(word)


def test_other_versions_and_files_are_not_compared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not compared"):
        expect.read_expectation("gsig/9 stable segv-null f")
    path = tmp_path / "r.json"
    path.write_text("[]")
    with pytest.raises(InputError, match="no record"):
        expect.read_expectation(str(path))


def test_levels() -> None:
    signature_keys = expect.read_signature_keys(
        record(exact="1", strict="2", stable="3", coarse="4")["signature"]
    )
    other = expect.read_signature_keys(
        record(exact="9", strict="9", stable="3", coarse="4")["signature"]
    )
    compare_keys = expect.compare_keys(signature_keys, other)
    assert compare_keys.level == "stable" and compare_keys.reached
    assert not expect.compare_keys(signature_keys, other, "strict").reached
    far = expect.read_signature_keys(record(stable="9", coarse="4")["signature"])
    assert expect.compare_keys(signature_keys, far).level == "coarse"
    assert (
        not expect.compare_keys(signature_keys, far).reached
        and expect.compare_keys(signature_keys, far, "coarse").reached
    )
    half = expect.read_signature_keys(record(python="7")["signature"])
    assert (
        expect.compare_keys(half, half).level == "python"
        and expect.compare_keys(half, half).reached
    )
    assert not expect.compare_keys(half, signature_keys).reached


def test_two_records_compared() -> None:
    first = record(stable="3", coarse="4") | {
        "libs": {"modules": [{"soname": "a.so", "build_id": "1"}]}
    }
    other = record(stable="5", coarse="4") | {
        "libs": {"modules": [{"soname": "a.so", "build_id": "2"}]}
    }
    comparison = compare_records(first, other)
    text = "\n".join(comparison_lines(json.loads(json.dumps(comparison))))
    assert "equal at coarse, which is not narrow enough" in text
    assert "a.so: 1 | 2" in text


# -- how cores come --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "writes_files", "overwrites", "prefix"),
    [
        ("core", True, True, "core"),
        ("core.%p", True, False, "core."),
        ("/var/crash/%e-%p.core", True, False, ""),
        ("|/usr/lib/systemd/systemd-coredump %P", False, False, ""),
        ("", False, False, ""),
        ("/cores/%e/core", False, False, ""),
    ],
)
def test_core_patterns(pattern: str, writes_files: bool, overwrites: bool, prefix: str) -> None:
    dumping = read_core_dumping(pattern, "0")
    if dumping.why_not.startswith("the hard limit"):
        pytest.skip(dumping.why_not)
    assert (dumping.writes_files, dumping.overwrites) == (writes_files, overwrites)
    assert dumping.prefix == prefix
    assert bool(dumping.why_not) != writes_files


# -- reports ---------------------------------------------------------------------------------------


def results() -> list[RunResult]:
    match = expect.KeyMatch("stable", ("stable",), ("stable",), True)
    crash = ExaminedCrash(record(stable=KEY), match)
    return [
        RunResult(
            RunOutcome(0, CRASH, -11, 0.5, (), "out\x00\x1b[1m<&", ()), (crash,), "expected", ()
        ),
        RunResult(RunOutcome(1, ENDED, 0, 0.5, (), "", ()), (), "ended", ()),
        RunResult(RunOutcome(2, HANG, None, 9.0, (), "", ()), (), "other", ("no snapshot",)),
    ]


def test_the_line_of_a_run_is_in_words_and_has_the_key() -> None:
    """It was a line of the signature, which no command takes."""
    crash, _, hang = results()
    assert reports.describe_run(
        crash._replace(crashes=(crash.crashes[0]._replace(match=None),))
    ) == (f"run 1: a process crashed on a NULL pointer in an unknown function (key {KEY})")
    assert reports.describe_run(crash).startswith(
        f"run 1: a process crashed on a NULL pointer in an unknown function (key {KEY}) - "
    )
    assert reports.describe_run(hang) == "run 3: hung, stopped after 9 s - no snapshot"


def test_a_key_without_a_name_says_nothing_of_the_other_keys() -> None:
    """It may be any of them; that it differs from the rest is no news, and says no difference."""
    actual = {"exact": frozenset("a"), "stable": frozenset((KEY,)), "python": frozenset("b")}
    for word, words in (
        (KEY, "equals the expected one at stable"),
        ("0" * 16, "another crash: none of its keys is the expected one"),
    ):
        wanted = expect.read_expectation(word)
        match = expect.compare_keys(wanted.keys, actual)
        assert (
            wanted.is_one_key_of_unknown_name
            and expect.describe_key_match(match, lone=True) == words
        )
    named = expect.read_expectation(f"stable:{KEY}")
    assert not named.is_one_key_of_unknown_name


def test_junit_is_xml_whatever_the_command_printed() -> None:
    aim = SoughtCrash(expect.read_expectation(LINE), "stable")
    counts = count_results(results(), 0.95, stopped_at_first=False)
    root = ElementTree.fromstring(reports.junit_xml(results(), counts, aim, ["a", "<b>\x01"]))
    suite = root.find("testsuite")
    assert suite is not None and suite.get("tests") == "3" and suite.get("failures") == "2"
    kinds = [f.get("type") for f in suite.iter("failure")]
    assert kinds == ["segv-null", "hang"]
    out = suite.findtext("testcase/system-out") or ""
    assert "<&" in out and "\x00" not in out


def test_junit_has_no_control_that_reorders_text() -> None:
    goal = SoughtCrash(None, "stable")
    run = RunOutcome(0, CRASH, -11, 0.5, (), "line 1\n\tline 2 \u202egnp.exe\u2066\x9b", ())
    runs = [RunResult(run, (), "expected", ("no core of \u202eb",))]
    counts = count_results(runs, 0.95, stopped_at_first=False)
    written = reports.junit_xml(runs, counts, goal, ["run", "\u202ea"])
    suite = ElementTree.fromstring(written).find("testsuite")
    assert suite is not None
    assert suite.findtext("testcase/system-out") == ("line 1\n\tline 2 \\u202egnp.exe\\u2066\\x9b")
    command = suite.find("properties/property")
    assert command is not None and command.get("value") == "run \\u202ea"
    assert not set("\u202e\u2066\x9b") & set(written.decode())


def test_github_annotations_are_one_line_each() -> None:
    github_annotations = list(reports.github_annotations(results(), "/srv"))
    sentence = "a process crashed on a NULL pointer in an unknown function."
    assert github_annotations[0].startswith(f"::error title=crashed in 1 of 3 runs::{sentence}")
    assert github_annotations[1].startswith(
        "::error title=hung in 1 of 3 runs (not the expected crash)::"
    )
    assert all("\n" not in line for line in github_annotations)


def test_tally_of_a_series_that_stops() -> None:
    done = [results()[1], results()[0]]
    stopped = count_results(done, 0.95, stopped_at_first=True)
    assert stopped.interval == interval_until_success(2)
    assert count_results(done, 0.95, stopped_at_first=False).interval == interval_for_fixed_runs(
        1, 2
    )


def test_a_run_that_crashed_otherwise_says_nothing_of_the_expected_crash() -> None:
    """Three such runs were said to rule out a crash that comes in more than 63 % of them."""
    aim = SoughtCrash(expect.read_expectation(LINE), "stable")
    other = CampaignCounts(3, 0, 3, 0, 0, interval_for_fixed_runs(0, 3), False)
    summary = "\n".join(reports.campaign_summary(other, aim))
    assert "would have shown" not in summary and "the expected crash may have come later" in summary
    mixed = CampaignCounts(23, 0, 3, 20, 0, interval_for_fixed_runs(0, 23), False)
    assert (
        "in more than 13.9 % of the runs would have shown"
        in reports.campaign_summary(mixed, aim)[2]
    )
    any_crash = CampaignCounts(6, 3, 0, 3, 0, interval_for_fixed_runs(3, 6), False)
    assert reports.campaign_summary(any_crash, SoughtCrash(None, "stable"))[0] == (
        "6 runs: 3 crashed or hung, 3 ended"
    )
