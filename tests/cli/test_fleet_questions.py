# SPDX-License-Identifier: Apache-2.0
"""`fleet show`, `seen`, `new`, `trend` and `compare` as users run them."""

from __future__ import annotations

import json

import pytest
from unit.fleet_records import full

from gdb_epi.render.signature_words import hash_signature_line

DAY = 86_400.0
START = 20_000 * DAY  # 2024-10-04


@pytest.fixture
def fleet(shell, tmp_path):
    """70 crashes of 7 signatures on 5 hosts over 14 days; f6 only in the second week."""
    lines = []
    for i in range(70):
        day = i % 14 if i % 7 != 6 else 7 + i % 7
        record = full(i, time={"crash_ts": START + day * DAY + 900 * i})
        lines.append(json.dumps(record))
    hours = [f"{20_000 + d},24,node-{h}" for d in range(14) for h in range(5)]
    (tmp_path / "hours.csv").write_text("day,hours,host\n" + "\n".join(hours) + "\n")
    assert shell("fleet", "ingest", "-", stdin="\n".join(lines).encode()).code == 0
    assert shell("fleet", "exposure", tmp_path / "hours.csv").code == 0
    return shell


def test_show_a_signature_a_core_and_a_host(fleet):
    by_key = json.loads(fleet("fleet", "show", f"{3:016x}", "--json").out)
    by_text = json.loads(fleet("fleet", "show", "f3 <- main", "--json").out)
    assert by_key == by_text and by_key["crashes"] == 10
    assert sum(n for _, n in by_key["tables"]["host"]) == 10
    core = fleet("fleet", "show", f"{12:032x}")
    assert core.code == 0 and f"core {12:032x}" in core.out
    assert "\nHost     node-2\nTime     2024-10-16 03:00:00 UTC" in core.out
    host = fleet("fleet", "show", "node-2")
    assert "14 crashes" in host.out and "rack: r" in host.out and "gsig/2" not in host.out
    done = fleet("fleet", "show", "nobody")
    assert done.code == 3 and "no signature, core or host 'nobody'" in done.err
    assert "7 signatures fit" in fleet("fleet", "show", "segv-null").err
    # What every screen prints is found, and what it prints of several names each.
    for words in ("NULL pointer, in f3", '"null pointer, in f3" (key 0000000000000003)', "f3"):
        assert json.loads(fleet("fleet", "show", words, "--json").out) == by_key, words
    several = fleet("fleet", "show", "NULL pointer").err
    assert "7 signatures fit: " in several and f"{3:016x} (NULL pointer, in f3), " in several


def test_a_host_is_shown_with_its_findings_before_its_attributes(fleet):
    lines = [
        json.dumps(full(1000 + 5 * i, time={"crash_ts": START + i * 9_000.0})) for i in range(120)
    ]
    assert fleet("fleet", "ingest", "-", stdin="\n".join(lines).encode()).code == 0
    assert "host=node-0" in fleet("fleet", "screen").out
    assert fleet("fleet", "mark", "host", "node-0", "--suspect", "--by", "ann").code == 0
    shown = fleet("fleet", "show", "node-0").out
    assert (
        "\nKnown    finding " in shown
        and " (open): " in shown
        and "host node-0 is a suspect" in shown
    )
    assert shown.index("Known  ") < shown.index("Crashes, most frequent") < shown.index("rack: ")


def test_a_split_tells_the_loop_that_it_counts_once(fleet):
    """Else 70 crashes are "one population" of which 11 lack a package."""
    alone = [
        full(3 + 7 * n, time={"crash_ts": START + (n - 3000) * 33_000.0}) for n in range(3000, 3030)
    ]
    loop = [
        full(3 + 35 * n, time={"crash_ts": START + 7.3 * DAY + 29.0 * n}) for n in range(100, 160)
    ]
    lines = "\n".join(map(json.dumps, [*alone, *loop])).encode()
    assert fleet("fleet", "ingest", "-", stdin=lines).code == 0
    (line,) = [
        line for line in fleet("fleet", "split", f"{3:016x}").out.splitlines()
        if line.startswith("  came together, and count once each time: ")
    ]  # fmt: skip
    assert "a crash loop on host node-3" in line and line.endswith(" of its 100 crashes")


def test_commands_to_paste_ask_the_same_database(fleet, shell, tmp_path):
    """`fleet show` of a database that --db names led to the default one."""
    here = shell.database.rename(tmp_path / "other fleet.sqlite3")
    again = f" --db '{here}'"
    shown = shell("fleet", "show", f"{3:016x}", "--db", here).out
    steps = [line for line in shown.splitlines() if "  gdb-epi fleet " in line]
    assert len(steps) == 3 and all(line.endswith(again) for line in steps)
    damaged = full(777, verdict={"model": 2, "label": "damaged-memory", "confidence": 0.9})
    line = json.dumps(damaged).encode()
    assert shell("fleet", "ingest", "-", "--db", here, stdin=line).code == 0
    core = shell("fleet", "show", f"{777:032x}", "--db", here).out
    steps = [line for line in core.splitlines() if "  gdb-epi fleet " in line]
    assert steps and all(line.endswith(again) for line in steps)
    wrong = shell("fleet", "seen", "node-2", "--db", here)
    assert (
        wrong.code == 3
        and f"is a host, not a signature; try: gdb-epi fleet show node-2{again}" in wrong.err
    )
    assert shell("fleet", "top", "--db", here).out.endswith(f"gdb-epi fleet show KEY{again}\n")


def test_every_question_can_be_asked_as_of_a_day(fleet):
    """f6 begins in the second week."""
    words = ("top", "new", "trend", "suspects", "correlate", "show KEY", "onset KEY", "split KEY")
    for question in words:
        question = question.replace("KEY", f"{3:016x}")
        done = fleet("fleet", *question.split(), "--asof", "2024-10-09")
        assert done.code == 0 and "f6 " not in done.out, (question, done.err)
        assert "no day: 'never'" in fleet("fleet", *question.split(), "--asof", "never").err
    assert "6 crashes" not in fleet("fleet", "show", f"{3:016x}").out
    assert len(json.loads(fleet("fleet", "trend", "--asof", "2024-10-09", "--json").out)) == 6
    assert "  f6  " in fleet("fleet", "new", "--asof", "2024-10-17").out


def test_what_a_core_has_more_of_is_shown_by_the_same_command(shell):
    errors = [{"stage": "locals", "subject": str(n), "message": "why"} for n in range(9)]
    line = json.dumps(full(1, soft_errors=errors))
    assert shell("fleet", "ingest", "-", stdin=line.encode()).code == 0
    assert "more notes:  the whole record has them" in shell("fleet", "show", f"{1:032x}").out
    whole = shell("fleet", "show", f"{1:032x}", "--json").out
    assert json.loads(whole)["soft_errors"] == errors


def test_wildcards_and_quotes_are_plain_characters(fleet):
    for odd in ("%%%%", "____", "'; drop table crash; --", "gsig%", "\x1b[31m"):
        done = fleet("fleet", "show", odd)
        assert done.code == 3 and "\x1b" not in done.err, odd


def test_seen(fleet):
    out = fleet("fleet", "seen", f"{3:016x}").out
    assert "Seen 10 times so far, on 5 hosts" in out and "Verdicts: software (10)" in out
    assert fleet("fleet", "seen", "ffffffffffff").code == 3
    # Any two scripts meet in a key of `<module>` alone: the answer says whose crashes these are.
    for number, script in enumerate(("mem_job.py", "nullret_job.py")):
        process = {"pid": number, "executable": "/usr/bin/python3", "script": script}
        line = json.dumps(full(5_000_002 + 7 * number, process=process)).encode()
        assert fleet("fleet", "ingest", "-", stdin=line).code == 0
        out = fleet("fleet", "seen", f"{5_000_002 % 7:016x}").out.splitlines()
        whose = ("mem_job.py", "several programs, so it may be several bugs")[number]
        assert out[0].endswith(f" of {whose}"), out
    assert "Program  several, so it may" in fleet("fleet", "show", f"{5_000_002 % 7:016x}").out


def test_show_seen_and_trend_say_versions_gaps_and_changes(shell, tmp_path):
    """A crash of the releases 1.0 and 1.2 of a service of 20 hosts, and none of 1.1."""

    def called(machine, day):
        return f"{'old' if machine == 7 and day < 20 else 'node'}-{machine}"

    lines, hours = [], ["day,hours,host"]
    for number in range(180):
        day, kind = number // 4, "lost" if number % 4 == 1 and not 60 <= number < 120 else "usual"
        line = f"gsig/2 stable segv-null {kind} <-- py:gate.{kind}"
        machine = (number * number + number // 7) % 20
        lines.append(json.dumps({
            "schema": "gdb-epi/record/1",
            "core_key": f"{number:032x}",
            "host": {"hostname": called(machine, day), "machine_id": f"{machine:032x}"},
            "time": {"crash_ts": 86_400.0 * (20_000 + day) + number * 53_407 % 86_400},
            "container": {"image": f"gate:1.{number // 60}"},
            "signature": {
                "version": "gsig/2",
                "keys": {"stable": hash_signature_line(line)},
                "text": {"stable": line},
            },
        }))  # fmt: skip
    hours += [f"{20_000 + d},24,{called(host, d)}" for d in range(45)
              for host in range(20) if d < 33 or host > 12]  # fmt: skip
    (tmp_path / "hours.csv").write_text("\n".join(hours) + "\n")
    shell("fleet", "ingest", "-", stdin="\n".join(lines).encode())
    assert shell("fleet", "exposure", tmp_path / "hours.csv").code == 0
    gap = "Not seen from 2024-10-19 to 2024-11-02 (15 days)"
    shown = shell("fleet", "show", "lost").out
    assert f"{gap}\n" in shown and "Versions 1.0 (15), 1.2 (15); none with 1.1 (60 " in shown
    assert f"{gap}\n" in shell("fleet", "seen", "lost").out
    assert "Not seen" not in shell("fleet", "seen", "usual").out
    began = shell("fleet", "onset", "lost").out
    assert "hardly any with image 1.1 (0 where 12 were due), and again with 1.2" in began, began
    every, lost = (shell("fleet", "trend", *some).out for some in ([], ["lost"]))
    assert "\nno lasting change of the rate: chance alone does as much in" in every
    assert "\nno lasting change of the rate: " in lost or "\nthe rate fell on 2024-10-19" in lost
    assert "its machine id is that of node-7 since" in shell("fleet", "show", "old-7").out
    busy = " ".join(shell("fleet", "show", "node-1").out.split())
    kinds = "Known all of its 9 crashes are of kinds that other hosts have too; 7 are "
    assert kinds in busy and "as on 19 other hosts; nothing points to its hardware" in busy, busy
    hole = " crashes on days or hosts without host-hours, most of them from 2024-11-06 to "
    assert hole in every, every
    out = shell("fleet", "exclude").out
    assert out.startswith("no host to take out now: no host's crashes point to its hardware\n")


def test_what_came_with_one_value_makes_nothing_else_rarer_there(shell):
    """Without host-hours values are compared by their crashes, of which a new bug is most."""
    kinds = [f"k{n % 3}" for n in range(120)] + [f"k{n % 3}" for n in range(30)] + ["fresh"] * 60
    lines = []
    for number, kind in enumerate([*kinds, *["gone"] * 9]):
        line = f"gsig/2 stable segv-null {kind} <-- py:gate.{kind}"
        image = "gate:1" if number < 120 or kind == "gone" else "gate:2"
        lines.append(json.dumps({
            "schema": "gdb-epi/record/1",
            "core_key": f"{number:032x}",
            "host": {"hostname": f"node-{number * 7 % 20}"},
            "time": {"crash_ts": 86_400.0 * (20_000 + number % 29) + number * 53_407 % 86_400},
            "container": {"image": image},
            "signature": {
                "version": "gsig/2",
                "keys": {"stable": hash_signature_line(line)},
                "text": {"stable": line},
            },
        }))  # fmt: skip
    shell("fleet", "ingest", "-", stdin="\n".join(lines).encode())
    compared = shell("fleet", "compare", "image=gate:1", "image=gate:2").out
    assert compared.startswith("1 signature changed by more than chance"), compared
    row = next(line for line in compared.splitlines() if "gate.fresh" in line)
    assert "none before" in row and compared.index("gate.fresh") < compared.index("gate.k0")
    none = shell("fleet", "rates", "image=gate:2", "--signature", "py:gate.gone").out
    assert none.startswith("image=gate:2: none of these 9 crashes has it, and 90 other crashes")


def test_new_counts_back_from_the_latest_crash(fleet):
    rows = json.loads(fleet("fleet", "new", "--days", "6.9", "--json").out)
    assert [row["signature"] for row in rows] == ["gsig/2 stable segv-null f6 <- main"]
    assert rows[0]["crashes"] == 10
    assert len(json.loads(fleet("fleet", "new", "--days", "99", "--json").out)) == 7
    assert fleet("fleet", "new", "--days", "-1").code == 2


def test_trend(fleet):
    rows = json.loads(fleet("fleet", "trend", "--json").out)
    assert len(rows) == 14 and sum(row["crashes"] for row in rows) == 70
    assert rows[0]["date"] == "2024-10-04" and rows[0]["hours"] == 120
    assert rows[0]["per_1000_hours"] == pytest.approx(1000 * rows[0]["crashes"] / 120)
    answer = json.loads(fleet("fleet", "trend", f"{6:016x}", "--json").out)
    assert sum(row["crashes"] for row in answer) == 10
    assert "#" in fleet("fleet", "trend").out
    assert fleet("fleet", "trend", "--csv").out.startswith("date,day,crashes,hosts,hours,per_1000")


def test_compare_names_the_signature_that_came_up(fleet):
    done = fleet("fleet", "compare", "2024-10-04..2024-10-10", "2024-10-11..2024-10-17", "--json")
    rows = json.loads(done.out)
    assert rows[0]["signature"].split()[3] == "f6" and (rows[0]["before"], rows[0]["after"]) == (
        0,
        10,
    )
    assert rows[0]["p"] == pytest.approx(2 * 0.5**10)
    for words in (("x", "y"), ("2024-10-04..", "2024-10-05"), ("2024-10-05..2024-10-04", "1")):
        assert fleet("fleet", "compare", *words).code == 2


def test_export_and_ingest_again_lose_nothing(fleet, tmp_path):
    out = tmp_path / "all.jsonl"
    assert fleet("fleet", "export", "--output", out).out == ""
    lines = out.read_text().splitlines()
    assert len(lines) == 70 and fleet("fleet", "export").out.splitlines() == lines
    other = tmp_path / "other.sqlite3"
    assert fleet("fleet", "ingest", out, "--db", other).out.startswith("70 added")
    assert fleet("fleet", "export", "--db", other).out.splitlines() == lines
    assert fleet("fleet", "reproject").out == "70 records projected again\n"
    assert json.loads(fleet("fleet", "top", "--json").out)[0]["crashes"] == 10


def test_split_tells_a_host_from_a_version(shell, tmp_path):
    from support.fleet_simulator import records, simulate, write_exposure

    fleet = simulate(7000, split=3.0, hosts=300, days=30)
    write_exposure(fleet, tmp_path / "hours.csv")
    text = "\n".join(json.dumps(r) for r in records(fleet))
    shell("fleet", "ingest", "-", stdin=text.encode())
    shell("fleet", "exposure", tmp_path / "hours.csv")
    answer = json.loads(shell("fleet", "split", "two-faces", "--json").out)
    marks = {part["mark"]: part for part in answer["parts"]}
    host = fleet.truth["split"][1]
    assert answer["answer"].startswith("two causes") and f"host={host}" in marks
    assert {"kernel=kernel1"} == set(marks) - {f"host={host}", "the rest"}
    causes = {f"{i:032x}": c.cause for i, c in enumerate(fleet.crashes)}
    mine = [causes[key] for key in marks[f"host={host}"]["members"]]
    assert mine.count("split-host") / len(mine) > 0.95
    assert "relative risk" in shell("fleet", "split", "two-faces").out
    assert shell("fleet", "split", "nothing-like-it").code == 3
    lone = json.loads(shell("fleet", "split", "s117", "--json").out)
    assert lone["answer"].startswith("not enough")


def test_compare_two_values(fleet):
    done = fleet("fleet", "compare", "python=3.99", "python=3.99", "--json")
    assert done.code == 3 and "no crash has python=3.99" in done.err
    mark = next(a for a in fleet("fleet", "show", "node-2").out.splitlines() if "rack: r" in a)
    rack = mark.split()[-1]
    rows = json.loads(fleet("fleet", "compare", f"rack={rack}", f"rack={rack}", "--json").out)
    assert rows and all(row["before"] == row["after"] and row["ratio"] == 1.0 for row in rows)


@pytest.mark.parametrize("name", ["host", "cpu", "cpu number=17", "time of day"])
def test_what_has_no_rates_is_asked_of_suspects(fleet, name):
    done = fleet("fleet", "rates", name)
    assert done.code == 2 and "gdb-epi fleet suspects" in done.err


def test_an_export_that_failed_is_not_logged(fleet, tmp_path):
    nowhere = tmp_path / "missing" / "all.jsonl"
    assert fleet("fleet", "export", "--output", nowhere).code != 0
    assert fleet("fleet", "export", "--output", tmp_path / "all.jsonl").code == 0
    out = fleet("fleet", "forget", "--host", "node-2").out
    assert "all.jsonl" in out and str(nowhere) not in out


def test_show_says_which_crashes_of_a_host_are_one_event(fleet):
    """Four crashes of one kind within minutes are a program that is started again."""
    again = [full(7 * i + 900, time={"crash_ts": START + 20 * DAY + 60 * i},
                  host={"hostname": "node-9", "attributes": {}}) for i in range(4)]  # fmt: skip
    lines = "\n".join(map(json.dumps, again)).encode()
    assert fleet("fleet", "ingest", "-", stdin=lines).code == 0
    out = fleet("fleet", "show", "node-9").out
    assert "3 of its crashes came right after one of their kind" in " ".join(out.split())
