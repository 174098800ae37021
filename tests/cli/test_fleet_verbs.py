# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi fleet ingest` and `fleet top` as users run them."""

from __future__ import annotations

import csv
import io
import json

from unit.fleet_records import full, minimal


def lines_of(records) -> str:
    """Return JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def test_ingest_files_folders_and_standard_input(shell, tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.jsonl").write_text(lines_of(minimal(i) for i in range(5)))
    (tmp_path / "in" / "deep" / "b.json").write_text(json.dumps([minimal(5), minimal(6)], indent=2))
    (tmp_path / "in" / "deep" / "c.json").write_text(json.dumps(minimal(7), indent=2))
    (tmp_path / "in" / "notes.txt").write_text("not for us")
    done = shell("fleet", "ingest", tmp_path / "in", "-", stdin=lines_of([minimal(8)]).encode())
    assert (done.code, done.err) == (0, "")
    assert done.out == "9 added, 0 replaced by a better analysis, 0 known already, 0 rejected\n"
    assert (tmp_path / "in" / "a.jsonl").exists()
    again = shell("fleet", "ingest", tmp_path / "in")
    assert again.out.startswith("0 added, 0 replaced by a better analysis, 8 known")


def test_ingest_tells_each_bad_line_and_takes_the_rest(shell, tmp_path):
    bad = [
        '{"half": ',
        "[1, 2]",
        '"text"',
        "null",
        '{"schema": "other"}',
        "\xff\xfe",
        "[" * 100_000,
    ]
    path = tmp_path / "mixed.jsonl"
    good = json.dumps(minimal(1)), json.dumps(minimal(2))
    path.write_text("\n".join([good[0], *bad, "", good[1]]))
    done = shell("fleet", "ingest", path)
    assert done.code == 3
    assert (
        done.out
        == f"2 added, 0 replaced by a better analysis, 0 known already, {len(bad)} rejected\n"
    )
    for number in range(2, 2 + len(bad)):
        assert f"{path}:{number}: " in done.err
    assert "Traceback" not in done.err


def test_ingest_of_a_line_without_end(shell, tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text('{"a": "' + "x" * (17 << 20) + '"}\n' + json.dumps(minimal(1)) + "\n")
    done = shell("fleet", "ingest", path)
    assert done.code == 3
    assert done.out.startswith("1 added") and "1 rejected" in done.out
    assert "a line is longer than" in done.err


def test_ingest_of_missing_things(shell, tmp_path):
    done = shell("fleet", "ingest", tmp_path / "nowhere")
    assert done.code == 3 and "no such file" in done.err
    (tmp_path / "empty").mkdir()
    done = shell("fleet", "ingest", tmp_path / "empty")
    assert done.code == 3 and "no record files" in done.err


def test_top_without_a_database_says_how_to_get_one(shell, tmp_path):
    done = shell("fleet", "top")
    assert (done.code, done.out) == (3, "")
    assert "no fleet database at" in done.err and "; try: gdb-epi triage CORE" in done.err
    assert not shell.data.exists()
    lost = tmp_path / "nowhere" / "x.sqlite3"
    done = shell("fleet", "ingest", "-", "--db", lost, stdin=b"")
    made = f"no such folder: {lost.parent}; try: mkdir -p {lost.parent}\n"
    assert done.code == 1 and done.err.endswith(made), "as of any database that cannot be written"
    assert not lost.parent.exists()


def test_top_in_every_form(shell, tmp_path):
    records = [full(i) for i in range(15)]
    shell("fleet", "ingest", "-", stdin=lines_of(records).encode())
    table = shell("fleet", "top", "--limit", "2").out.splitlines()
    assert " ".join(table[0].split()) == "crashes hosts verdict last seen where what key"
    assert len(table) == 7 and table[-2] == "The first 2; more: --limit 20"
    assert table[-1] == "More about a row: gdb-epi fleet show KEY"
    assert "2025-11-24 " in table[2] and " software " in table[2] and " f0 " in table[2]
    shell.env["COLUMNS"] = "75"
    narrow = shell("fleet", "top", "--limit", "2").out.splitlines()
    assert all(len(line) <= 75 for line in narrow[:-1]) and narrow[0].split()[-1] == "key"
    assert narrow[2].endswith(f"{0:016x}") and any("    what: " in line for line in narrow)
    rows = json.loads(shell("fleet", "top", "--json").out)
    assert sum(row["crashes"] for row in rows) == 15 and rows[0]["verdicts"] == {"software": 3}
    parsed = list(csv.DictReader(io.StringIO(shell("fleet", "top", "--csv").out)))
    assert len(parsed) == 7 and parsed[0]["crashes"] == "3"


def test_what_is_known_of_no_crash_is_no_column(shell):
    """`top` had two columns of "?"; `new` called the day of the record the moment of the crash."""
    circle = "deadlock join py:__main__.stop <- py:__main__.main => queue.Queue py:__main__.consume"
    text = f"gsig/2 stable killed-external {circle}"
    signature = {"version": "gsig/2", "keys": {"stable": "ab" * 8}, "text": {"stable": text}}
    verdict = {"model": 2, "label": "deadlock", "confidence": 0.8}
    time = {"crash_ts": 1.7e9, "ts_source": "mtime"}
    record = minimal(1, signature=signature, verdict=verdict, time=time, host={})
    assert shell("fleet", "ingest", "-", stdin=lines_of([record]).encode()).code == 0
    database = ("--db", shell.database)
    head, _, row, _, why, *how, _ = shell("fleet", "top", *database).out.splitlines()
    assert "host-facts -o host.json, beside its cores" in how[0] and "--core-pattern" in how[1]
    assert head.split() == ["crashes", "verdict", "where", "what", "key"]
    assert row.split() == ["1", "deadlock", "stop", "hung", "ab" * 8]
    assert why.endswith(f"hosts, last seen; why: gdb-epi fleet check --db {database[1]}")
    head, _, row, *_ = shell("fleet", "new", *database).out.splitlines()
    assert head.split() == ["stored", "crashes", "verdict", "where", "what", "key"]
    assert row.startswith("2") and "00:00" not in row and "  stop  " in row
    for words in (("seen", "nosuch"), ("findings",), ("trend",), ("states",), ("check",)):
        done = shell("fleet", *words, *database)
        lines = [line for line in (done.out + done.err).splitlines() if "gdb-epi fleet " in line]
        assert all(line.endswith(f" --db {database[1]}") for line in lines), lines


def test_hostile_texts_reach_no_terminal_and_no_spreadsheet(shell):
    evil = "=cmd()\x1b[31m\u202e<script>"
    signature = {"version": "gsig/2", "keys": {"stable": "aa"}, "text": {"stable": evil}}
    shell("fleet", "ingest", "-", stdin=lines_of([full(1, signature=signature)]).encode())
    for form in ([], ["--csv"], ["--json"]):
        out = shell("fleet", "top", *form).out
        assert "\x1b" not in out and "\u202e" not in out
    assert "'=cmd()" in shell("fleet", "top", "--csv").out


def test_wrong_arguments(shell):
    assert shell("fleet", "top", "--limit", "0").code == 2
    assert shell("fleet", "top", "--json", "--csv").code == 2
    assert shell("fleet", "nonsense").code == 2
