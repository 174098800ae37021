# SPDX-License-Identifier: Apache-2.0
"""`fleet check` and what `fleet exposure` says of the hours that it was given."""

from __future__ import annotations

import json
import re
import time

import pytest
from unit.fleet_records import minimal

DAY = 86_400
FIRST = 20_600  # 2026-05-27


@pytest.fixture
def fleet(shell, tmp_path):
    """60 crashes on ten hosts over 12 days; a file's date, clocks ahead and reset, no host."""
    records = [
        minimal(
            i,
            time={"crash_ts": float((FIRST + i % 12) * DAY + i * 977 % DAY)},
            host={"hostname": f"node-{i % 10}", "attributes": {"rack": f"r{i % 2}"}},
        )
        for i in range(60)
    ]
    records[3]["time"]["ts_source"] = "mtime"
    records[4]["time"]["crash_ts"] = time.time() + 40 * DAY
    records[5]["time"]["crash_ts"] = 4000.0
    records[6]["host"] = {}
    lines = "\n".join(json.dumps(record) for record in records)
    assert shell("fleet", "ingest", "-", stdin=lines.encode()).code == 0
    return shell


def test_without_hours(fleet):
    out = fleet("fleet", "check").out
    assert out.startswith("the data: 5 things to look at\n")
    for words in (
        "times: 1 of 60 crashes have only the date of a file as their time",
        "times: 1 of 60 crashes have a time ahead of the arrival of the record",
        "times: 1 of 60 crashes have a time before 2000",
        "host-hours: no host-hours: crashes are compared with other crashes",
        "hosts: 1 of 60 crashes name no host",
    ):
        assert f"look  {words}" in out, words


def test_with_hours_that_have_gaps(fleet, tmp_path):
    rows = [
        f"{FIRST + day},24,NODE-{host}.example,old{host % 2}"
        for day in range(12)
        for host in range(8)
        if day not in (4, 5)
    ]
    (tmp_path / "hours.csv").write_text("\n".join(["day,hours,host,rack", *rows]))
    stored = fleet("fleet", "exposure", tmp_path / "hours.csv")
    assert stored.code == 0 and stored.out.startswith("80 host-days stored, 0 rejected\n")
    out = fleet("fleet", "check").out
    for words in (
        "no host-hours for 2026-05-31 to 2026-06-01, which have crashes",
        "2 hosts with crashes and no host-hours (node-8, node-9)",
        "8 names of hosts spelt otherwise and taken for one: NODE-0.example = node-0",
        "say another value than the host-hours of the day; that of the host-hours is taken",
    ):
        assert words in out and words in stored.out, words
    # Both values of one crash, and which it is.
    assert re.search(
        r"; the latest: node-\d on 2026-\S+: the host-hours say old\d, the crash r\d", out
    )
    rows = json.loads(fleet("fleet", "check", "--json").out)
    assert {row["about"] for row in rows} == {"times", "host-hours", "hosts", "attributes"}
    assert [row["is_fine"] for row in rows] == sorted(row["is_fine"] for row in rows)
    assert fleet("report", "-o", tmp_path / "page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert "The data: no host-hours for 2026-05-31 to 2026-06-01" in page


@pytest.mark.parametrize("verb", ["suspects", "screen"])
def test_what_finds_causes_points_to_it(fleet, shell, verb):
    """Only where something is to be looked at, and never into JSON."""
    words = "the data needs a look (times, host-hours, hosts): gdb-epi fleet check\n"
    assert fleet("fleet", verb).out.endswith(words)
    assert "fleet check" not in fleet("fleet", verb, "--json").out
    clean = ("--db", "clean.sqlite3")
    record = minimal(1, time={"crash_ts": float(FIRST * DAY)})
    lines = json.dumps(record).encode()
    assert shell("fleet", "ingest", "-", *clean, stdin=lines).code == 0
    hours = f"day,hours,host,rack\n{FIRST},24,node-1,r1\n".encode()
    assert shell("fleet", "exposure", "/dev/stdin", *clean, stdin=hours).code == 0
    assert "needs a look" not in shell("fleet", verb, *clean).out


def test_of_an_empty_database(shell):
    assert shell("fleet", "ingest", "-", stdin=b"").code == 0
    done = shell("fleet", "check")
    assert (done.code, done.out) == (
        0, "no crashes in this database; the first: gdb-epi triage CORE\n"
    )  # fmt: skip
