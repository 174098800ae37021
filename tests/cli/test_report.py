# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi report`: what the page says is what the database holds, whatever that is."""

from __future__ import annotations

import re
import shutil
import sqlite3
import zlib

import numpy as np
import pytest
from support.demo_fleet import dressed, make
from support.fleet_simulator import FIRST_DAY, population, simulate
from support.hostile import hostile_records
from support.html_check import Page

from gdb_epi.cli.main import main
from gdb_epi.fleet.questions.population_verdict import judge_signature
from gdb_epi.fleet.report.build_page import summary_sentences
from gdb_epi.fleet.report.page import Headline
from gdb_epi.fleet.report.signature_sections import PopulationCounts
from gdb_epi.fleet.report.split_views import mark_rows
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.suggestions import install_command

MAX_BYTES = 3 << 20


def record(number, text="gsig/2 stable segv-null f <- main", host="node-1", **groups):
    """A minimal record of one crash."""
    base = {
        "schema": "gdb-epi/record/1",
        "core_key": f"{number:032x}",
        "time": {"crash_ts": 1_764_000_000.0 + number * 3600},
        "host": {"hostname": host, "attributes": {"rack": f"r{number % 2}"}},
        "signature": {"version": "gsig/2", "keys": {"stable": f"{zlib.crc32(text.encode()):016x}"},
                      "text": {"stable": text}},
        "flags": {"bitflip": False, "lock_inherited": False},
    }  # fmt: skip
    return {**base, **groups}


@pytest.fixture
def page_of(tmp_path, capsys):
    """Make the page of a database by the command and read it; in this process, imports take 2 s."""

    def made(*words, db=None):
        path = tmp_path / "page.html"
        db = db or tmp_path / "f.sqlite3"
        code = main(["report", "--db", str(db), "-o", str(path), *map(str, words)])
        captured = capsys.readouterr()
        assert (code, captured.err) == (0, "")
        html = path.read_text(encoding="utf-8")
        assert f"{len(html.encode()):,} bytes" in captured.out
        return Page(html)

    return made


def fill(path, records):
    """Store records in a new database."""
    with open_database(str(path), write=True) as engine:
        done = ingest(engine, (("t", each_record) for each_record in records))
    assert not done.rejected
    return path


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A fleet with a bad host, a race and a split, in a database."""
    fleet = simulate(7003, hosts=300, days=24, per_day=45, bad_host=1.4, race=2.0, split=2.5)
    path = tmp_path_factory.mktemp("planted") / "f.sqlite3"
    make(str(path), fleet)
    return fleet, path


@pytest.fixture(scope="module")
def planted_page(planted, tmp_path_factory):
    """Its page, made once."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    assert main(["report", "--db", str(planted[1]), "-o", str(path)]) == 0
    return path


def test_a_dash_is_standard_output(planted, planted_page, shell):
    page = shell("report", "--db", planted[1], "-o", "-").out
    assert page.startswith("<!") and page.endswith("</html>")
    assert len(page) > 0.9 * len(planted_page.read_text())
    assert not (shell.folder / "-").exists()


def test_real_cores_end_to_end(tmp_path, shell, cores, page_of):
    done = shell.triage(*cores, "--db", tmp_path / "f.sqlite3", "--format", "json")
    page = page_of()
    assert {r["core_key"] for r in done.records} <= set(re.findall(r"[0-9a-f]{32}", page.text))
    for triaged in done.records:
        for frame in triaged["threads"]["crashed"]["frames"][:2]:
            name = frame.get("qualname") or frame.get("function")
            assert name is None or name in page.text
        for reason in triaged["verdict"]["reasons"]:
            assert reason in page.text
    assert "annot tell whether a host is to blame: of 3 crashes" in page.text
    assert "No host and no" not in page.text, "of hosts nothing can be denied"
    assert "No host-hours are known" in page.text, "case-control is said"
    (signatures,) = [table for table in page.tables if table and table[0][1:2] == ["signature"]]
    assert signatures[0] == ["#", "signature", "crashes"], "no column in which every cell is empty"


def test_what_is_planted_is_said_with_its_numbers(planted, planted_page):
    fleet = planted[0]
    page = Page(planted_page.read_text(encoding="utf-8"))
    bad, (_, race), (name, host, _) = (fleet.truth[k] for k in ("bad_host", "race", "split"))
    findings = page.text.split("Over time")[1]
    assert f"One host ({bad}), take it out and test it" in findings
    assert findings.index("One host (") < findings.index("What cores say by themselves")
    own = sum(f"node-{c.host}" == bad for c in fleet.crashes)
    assert f"{own:,} of {len(fleet.crashes):,}" in findings
    assert any(f"{attr}={value}" in findings for attr, value in race.items())
    split = page.text.split("Two causes in one signature")[1].split("Hosts and signatures")[0]
    mine = sum(c.signature == name and f"node-{c.host}" == host for c in fleet.crashes)
    others = sum(c.signature == name and f"node-{c.host}" != host for c in fleet.crashes)
    assert f"host={host}" in split
    assert f"{mine} crashes on 1 host" in split and f"{others} crashes on" in split
    assert page.headings[:2] == [1, 2]
    assert all(b - a <= 1 for a, b in zip(page.headings, page.headings[1:], strict=False))


@pytest.mark.heavy
def test_the_tables_behind_the_plots_are_the_database(planted, planted_page):
    fleet = planted[0]
    page = Page(planted_page.read_text(encoding="utf-8"))
    heads = {tuple(table[0]): table[1:] for table in page.tables if table}
    curve = next(
        rows for head, rows in heads.items() if head[:3] == ("from", "crashes", "in findings")
    )
    daily = [sum(c.day == day for c in fleet.crashes) for day in range(fleet.days)]
    assert [(row[0], int(row[1])) for row in curve] == [
        (iso_day(FIRST_DAY + day), n) for day, n in enumerate(daily)
    ]
    hosts = next(rows for head, rows in heads.items() if head[:2] == ("rack", "host"))
    for row in hosts:
        total = sum(f"node-{c.host}" == row[1] for c in fleet.crashes)
        assert int(row[-1]) == total == sum(int(n) for n in row[2:-1] if n)
    bad = next(row for row in hosts if row[1] == fleet.truth["bad_host"])
    assert bad[0] == fleet.columns["rack"][0][int(bad[1].removeprefix("node-"))]
    bits = [rows for head, rows in heads.items() if head == ("bit", "crashes")]
    assert bits and all(0 <= int(bit) < 64 for rows in bits for bit, _ in rows)


def test_what_marks_the_parts_of_a_split_is_counted_in_each(planted, planted_page):
    fleet = planted[0]
    page = Page(planted_page.read_text(encoding="utf-8"))
    name, host, _ = fleet.truth["split"]
    table = next(t for t in page.tables if t and t[0][:2] == ["value", "known from"])
    assert table[0][2] == f"host={host}" and table[0][-1] == "other signatures"
    row = next(row for row in table if row[0] == f"host={host}")
    here = [c for c in fleet.crashes if f"node-{c.host}" == host]
    mine = sum(c.signature == name for c in here)
    others = sum(c.signature != name for c in fleet.crashes)
    assert row[1] == "the fleet" and row[2].startswith(f"{mine:,} of {mine:,}")
    assert row[-1].startswith(f"{len(here) - mine:,} of {others:,}")


def test_facts_of_the_cores_stand_beside_attributes():
    fleet = simulate(5000, forms=4.0, hosts=300, days=24, per_day=20.0)
    pop = population(fleet)
    judged = judge_signature(pop, pop.signatures.index("shapes"), pop.last_day)
    rows = {(r.source, r.name, r.value): r for r in mark_rows(pop, judged.causes)}
    assert ("fleet", "image", "image1") in rows
    fact = rows["core", "rsp_mod_16", "8"]
    assert fact.others.known == 0, "only these crashes have it"
    facts = [dict(c.facts)["rsp_mod_16"] for c in fleet.crashes if c.signature == "shapes"]
    assert sum(c.n for c in fact.counts) == facts.count("8")
    assert sum(c.known for c in fact.counts) == len(facts)


@pytest.mark.heavy
def test_a_dismissed_finding_is_not_a_headline(planted, page_of, tmp_path):
    fleet, path = planted
    db = shutil.copy(path, tmp_path / "copy.sqlite3")
    main(["fleet", "screen", "--db", str(db)])
    bad = f"One host ({fleet.truth['bad_host']}), take it out and test it"
    page = page_of(db=db)
    assert bad in page.text and "raised 2026-01-28, open" in page.text
    with sqlite3.connect(db) as base:
        base.execute(
            "UPDATE finding SET state='dismissed', decided_n=n, decided_p=p "
            "WHERE attr='host' AND value=?",
            (fleet.truth["bad_host"],),
        )
    page = page_of(db=db)
    assert bad not in page.text and "dismissed by people" in page.text


def test_only_a_window_or_a_signature(planted, page_of):
    fleet, path = planted
    page = page_of("--since", iso_day(FIRST_DAY + 3), "--until", iso_day(FIRST_DAY + 9), db=path)
    assert page.text.startswith(f"Why Python processes died: {iso_day(FIRST_DAY + 3)} to ")
    n = sum(3 <= c.day <= 9 for c in fleet.crashes)
    assert f" crashes {n:,} " in page.text or f"{n:,}" in page.text.split("host-hours")[0]
    only = page_of("--signature", "two-faces", db=path)
    assert "two-faces" in only.text and "uv__stream_io_race" not in only.text
    assert len([i for i in only.ids if re.fullmatch(r"s\d+", i)]) == 1


def test_the_same_database_gives_the_same_page(planted, planted_page, tmp_path, shell):
    done = shell("report", "--db", planted[1], "-o", tmp_path / "b.html")
    assert done.code == 0 and done.out.startswith(f"{tmp_path / 'b.html'}: ")
    pages = [path.read_bytes() for path in (planted_page, tmp_path / "b.html")]
    assert pages[0] == pages[1] and len(pages[0]) < MAX_BYTES


def test_an_empty_database(tmp_path, page_of):
    fill(tmp_path / "f.sqlite3", [])
    page = page_of()
    assert "holds no crashes yet" in page.text and not page.tables


def test_one_record(tmp_path, page_of):
    fill(tmp_path / "f.sqlite3", [record(1)])
    page = page_of()
    assert "Nothing stands out among 1 crash:" in page.text
    assert f"{1:032x}" in page.text and "1 host" in page.text


def test_of_few_crashes_what_strikes_comes_first(tmp_path, page_of):
    """Eight crashes: the hardware suspect and the inherited lock before six alike ones."""
    verdict = {"model": 2, "label": "software"}
    many = [record(n, verdict=verdict) for n in range(4)]
    many += [record(10 + n, f"gsig/2 stable segv-null g{n} <- main", verdict=verdict)
             for n in range(2)]  # fmt: skip
    names = ("hardware-suspect", "fork-inherited-lock")
    for n, label in enumerate(names):
        text = f"gsig/2 stable segv-null z{n} <- main"
        many.append(record(20 + n, text, host=f"n{n}", verdict={"model": 2, "label": label}))
    fill(tmp_path / "f.sqlite3", many)
    text = page_of().text
    first, second = text.index("hardware suspect"), text.index("lock held at fork()")
    assert first < second < text.index("nothing stands out among 8 crashes")
    assert text.index("hardware suspect: 1 crash, #2 NULL pointer, in z0") < text.index(
        "most on one host"
    )
    pointers = [f"NULL pointer, in {name}" for name in ("f", "z0", "g0")]
    titles = (*pointers[:2], "hung, in z1", pointers[2])
    places = [text.index(title, text.index("most on one host")) for title in titles]
    assert places == sorted(places), "of equally frequent ones, those first"


def test_alike_findings_are_one(tmp_path, page_of):
    """A host in a loop of four signatures is one headline; its hours are not said to be unknown."""
    loop = [record(s * 100 + n, f"gsig/2 stable segv-null f{s} <- main", "node-7",
                   time={"crash_ts": 1_764_000_000.0 + s * 9000 + n})
            for s in range(4) for n in range(9)]  # fmt: skip
    others = [record(1000 + n, host=f"node-{n % 40 + 20}") for n in range(60)]
    db = tmp_path / "f.sqlite3"
    fill(db, [*loop, *others])
    days = (1_764_000_000 // 86_400 - 2 + d for d in range(60))
    rows = [f"{day},24,node-{h},x{h % 3}" for day in days for h in [7, *range(20, 60)]]
    (tmp_path / "h.csv").write_text("day,hours,host,image\n" + "\n".join(rows) + "\n")
    assert main(["fleet", "exposure", str(tmp_path / "h.csv"), "--db", str(db)]) == 0
    text = page_of().text.lower()
    assert text.count("a crash loop on host node-7: see what it runs, then the host (4 sig") == 1
    assert text.count("a crash loop on host node-7") == 1 + 4, "once above, once in each section"
    assert "no host-hours are known" not in text


def test_records_that_know_next_to_nothing(tmp_path, page_of):
    bare = [{"schema": "gdb-epi/record/1", "core_key": f"{i:032x}"} for i in range(3)]
    untimed = [record(10 + i, text="another", time={}) for i in range(4)]
    frames = {"crashed": {"frames": [None, 7, {"language": "python"}]}}
    verdict = {"reasons": [1, None], "against": {}}
    odd = record(20, threads=frames, findings="x", verdict=verdict, corruption=[])
    fill(tmp_path / "f.sqlite3", [*bare, *untimed, odd])
    page = page_of()
    assert "7 crashes without a time that can be trusted" in page.text
    assert "(no signature)" in page.text and f"{13:032x}" in page.text


def test_clocks_that_are_off_do_not_squeeze_the_curve(tmp_path, page_of):
    far = [record(900, time={"crash_ts": 0.0}), record(901, time={"crash_ts": 4e9})]
    fill(tmp_path / "f.sqlite3", [*(record(i) for i in range(600)), *far])
    page = page_of()
    assert "2 crashes without a time that can be trusted" in page.text
    assert page.text.startswith("Why Python processes died: 2025-11-24 to 2025-12-19")


def test_hostile_strings_stay_text(tmp_path, page_of):
    fill(tmp_path / "f.sqlite3", list(hostile_records()))
    page = page_of()
    assert "<script>alert(1)</script>" in page.text, "shown, not run"
    assert "{{ 7*7 }}" in page.text and "49" not in page.text.split("{{ 7*7 }}")[1][:20]
    assert "'; DROP TABLE crash; --" in page.text
    assert "\\u202eevil" in page.text
    assert "n" * 300 not in page.text, "long names are cut"


def test_what_is_missing_is_said(tmp_path, shell):
    fill(tmp_path / "f.sqlite3", [record(1)])
    for module in ("matplotlib", "jinja2"):
        (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules['{module}'] = None\n")
        paths = f"{tmp_path}:{shell.env['PYTHONPATH']}"
        done = shell("report", "--db", tmp_path / "f.sqlite3", env={"PYTHONPATH": paths})
        assert done.code == 1
        assert f"{module} is not installed here; try: {install_command('report')}" in done.err


def test_mistakes_are_one_line(tmp_path, capsys):
    fill(tmp_path / "f.sqlite3", [record(1)])
    for words, code, says in (
        (("--since", "never"), 2, "no day: 'never'"),
        (("--since", "2099-01-01"), 3, "no crash with a known time lies between"),
        (("--signature", "nothing-like-it"), 3, "no signature"),
        (("-o", tmp_path / "no" / "folder.html"), 1, "No such file"),
    ):
        db = str(tmp_path / "f.sqlite3")
        assert main(["report", "--db", db, *map(str, words)]) == code
        err = capsys.readouterr().err
        assert len(err.splitlines()) == 1 and says in err
    assert main(["report", "--db", str(tmp_path / "none.sqlite3")]) == 3


def test_the_demo_fleet_keeps_the_simulators_truth():
    fleet = simulate(1, hosts=20, days=4, per_day=5)
    records = list(dressed(fleet, few_signatures=False))
    assert len({r["core_key"] for r in records}) == len(fleet.crashes)
    assert [r["host"]["hostname"] for r in records] == [f"node-{c.host}" for c in fleet.crashes]
    days = [int(r["time"]["crash_ts"] // 86_400) - FIRST_DAY for r in records]
    assert days == [c.day for c in fleet.crashes]


def test_a_page_that_has_an_event_alone_says_what_it_points_to():
    headline = Headline("unknown", "One event", "83 crashes", None, (), (), (), "new", None, None)
    number = np.array([0])
    counts = PopulationCounts(["timeout"], ["node-1"], number, number, number + 83, {}, {}, 0)
    (line,) = summary_sentences(counts, [headline])
    assert line == "One finding stands out: 1 points to one event, or to no cause yet."


def test_the_first_finding_is_said_as_a_person_would_say_it():
    names = ("CPU 0 of many hosts", "Crashes of node-3")
    headlines = [
        Headline("hardware", "Hardware", name, None, (), (), (), "new", None, None)
        for name in names
    ]
    number = np.array([0])
    counts = PopulationCounts(["timeout"], ["node-1"], number, number, number + 83, {}, {}, 0)
    for order, ends in ((headlines, "CPU 0 of"), (headlines[::-1], "crashes of node-3.")):
        stands, first = summary_sentences(counts, order)
        assert stands == "2 findings stand out: 2 point to a host or to hardware."
        assert first.startswith(f"The first: hardware: {ends}")
