# SPDX-License-Identifier: Apache-2.0
"""Findings are raised once, confirmed, dismissed, and raised again when their evidence doubled."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from gdb_epi.fleet.decisions.finding_states import (
    findings_to_raise,
    store_findings,
    stored_findings,
)
from gdb_epi.fleet.screen.finding import (
    ALL,
    CAVEAT_MAY_BE_CHANCE,
    CAVEAT_ONE_SIGNATURE,
    CAVEAT_ONLY_MORE_CRASHES,
    HOST,
    Finding,
)
from gdb_epi.fleet.store.database import open_database

DAY = 86_400.0
HOSTS = 60


def put(shell, days, per_day, start=0):
    """`per_day` crashes a day on node-7, and one a day anywhere else."""
    lines = []
    for day in days:
        for k in range(per_day + 1):
            host = 7 if k else 20 + day
            number = start + 1000 * day + k
            lines.append(
                json.dumps(
                    {
                        "schema": "gdb-epi/record/1",
                        "core_key": f"{number:032x}",
                        "time": {"crash_ts": (20_000 + day) * DAY + k},
                        "host": {"hostname": f"node-{host}"},
                        "signature": {
                            "version": "gsig/2",
                            "keys": {"stable": f"{number % 5:016x}"},
                        },
                    }
                )
            )
    assert shell("fleet", "ingest", "-", stdin="\n".join(lines).encode()).code == 0


@pytest.fixture
def fleet(shell, tmp_path):
    """60 hosts; node-7 dies three times a day for three days."""
    hours = [f"{20_000 + d},24,node-{h}" for d in range(14) for h in range(HOSTS)]
    (tmp_path / "hours.csv").write_text("day,hours,host\n" + "\n".join(hours) + "\n")
    assert shell("fleet", "exposure", tmp_path / "hours.csv").code == 0
    put(shell, range(3), 3)
    return shell


def found(shell, *words):
    return json.loads(shell("fleet", "findings", "--json", *words).out)


def test_a_finding_is_stored_open_and_raised_once(fleet):
    assert "host=node-7" in fleet("fleet", "screen").out
    assert "nothing new stands out" in fleet("fleet", "screen").out
    (finding,) = found(fleet, "--state", "open")
    assert (finding["attr"], finding["value"], finding["n"]) == ("host", "node-7", 9)
    assert finding["test"].startswith("negative binomial") and finding["exposure"] == "host-hours"
    text = fleet("fleet", "findings").out
    assert "open" in text and "host=node-7: 9 crashes of all kinds" in text
    assert "counted: " in text and "binomial" not in text and "test: " not in text
    assert "compared with: host-hours" in text, "as screen and suspects have it"


RENAMED = ("it was called n0 before, which counts as the same host",)
NO_HARDWARE = [(CAVEAT_ONLY_MORE_CRASHES,), (CAVEAT_ONE_SIGNATURE,)]


@pytest.mark.parametrize("before", [CAVEAT_ONLY_MORE_CRASHES, CAVEAT_MAY_BE_CHANCE])
@pytest.mark.parametrize("caveats", [(), RENAMED, *NO_HARDWARE])
def test_a_host_with_more_crashes_is_raised_again_when_they_tell_of_hardware(
    tmp_path, caveats, before
):
    nobody = np.zeros(0, dtype=bool)
    numbers = 4, 188, 0.0005, 0.04, 2.0, 0.8, 5.2
    weak = Finding(
        HOST, "n1", ALL, *numbers, "", "", (), (before,), nobody
    )  # fmt: skip
    today = weak._replace(n=18, caveats=caveats)
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        store_findings(engine, [weak, weak._replace(value="n2")], 20_000)
        raised = findings_to_raise([today], stored_findings(engine))
        assert raised == (() if caveats in NO_HARDWARE else (today,))
        store_findings(engine, raised, 20_010)
        (stored,) = (finding for finding in stored_findings(engine) if finding.value == "n1")
        assert (stored.n, stored.state) == (4 if caveats in NO_HARDWARE else 18, "open")
        assert not findings_to_raise([today], stored_findings(engine)), "once"


def test_confirm_dismiss_reopen_and_notes(fleet):
    fleet("fleet", "screen")
    done = fleet("fleet", "confirm", 1, "--note", "DIMM <b>swapped</b>\x1b[31m")
    assert done.out == "finding 1 is confirmed\n"
    assert found(fleet, "--state", "open") == []
    assert "no open findings" in fleet("fleet", "findings", "--state", "open").out
    assert "\x1b" not in fleet("fleet", "findings").out
    (row,) = csv.DictReader(io.StringIO(fleet("fleet", "findings", "--csv").out))
    assert row["state"] == "confirmed" and row["note"].startswith("DIMM <b>")
    assert fleet("fleet", "reopen", 1).code == 0
    assert found(fleet, "--state", "open")[0]["note"].startswith("DIMM")
    done = fleet("fleet", "dismiss", 99)
    assert done.code == 3 and "no finding 99" in done.err
    assert fleet("fleet", "dismiss", "x").code == 2


def test_a_dismissed_finding_is_silent_until_its_evidence_doubled(fleet):
    fleet("fleet", "screen")
    fleet("fleet", "dismiss", 1, "--note", "a crash loop")
    assert "nothing new" in fleet("fleet", "screen").out
    put(fleet, range(3, 5), 3)  # 15 crashes: not twice 9
    assert "nothing new" in fleet("fleet", "screen").out
    assert found(fleet)[0]["state"] == "dismissed"
    put(fleet, range(5, 7), 3)  # 21
    assert "host=node-7: 21 of" in fleet("fleet", "screen").out
    (finding,) = found(fleet, "--state", "open")
    assert (finding["raised"], finding["decided_n"], finding["n"]) == (2, 9, 21)
    assert finding["note"] == "a crash loop"
    assert "raised again after it was dismissed with 9 crashes" in fleet("fleet", "findings").out
    assert "nothing new" in fleet("fleet", "screen").out


def test_a_confirmed_finding_stays_confirmed_however_it_grows(fleet):
    fleet("fleet", "screen")
    fleet("fleet", "confirm", 1)
    put(fleet, range(3, 9), 5)
    assert "nothing new" in fleet("fleet", "screen").out
    assert found(fleet)[0]["state"] == "confirmed"


def test_without_a_database_or_findings_it_says_so(shell, fleet):
    assert fleet("fleet", "findings").out == "no findings\n"
    assert "no fleet database" in shell("fleet", "findings", "--db", "/nonexistent/x").err


@pytest.mark.parametrize("words", [("screen",), ("reproject",), ("confirm", "1")])
def test_a_mistyped_database_is_told_and_not_made(shell, words):
    """A daily screening of a new, empty file would find nothing for ever and exit with 0."""
    path = shell.folder / "typo.sqlite3"
    done = shell("fleet", *words, "--db", path)
    assert done.code == 3 and f"no fleet database at {path}" in done.err
    assert not path.exists()
