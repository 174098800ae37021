# SPDX-License-Identifier: Apache-2.0
"""What fleets really send: renamed hosts, one core from two hosts, wrong clocks, a value a crash.

GDB_EPI_DISTINCT=1000000 (and `--heavy`) tries a million distinct values of an attribute, not 8,000.
"""

from __future__ import annotations

import gzip
import json
import os
import time
import zlib

import pytest
from sqlalchemy import select
from unit.fleet_records import full, minimal
from unit.test_fleet_ingest import EVIL, count, put, rows

from gdb_epi.cli.main import main
from gdb_epi.errors import EpiError
from gdb_epi.fleet.decisions.finding_states import (
    set_finding_state,
    store_findings,
    stored_findings,
)
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.population.population import MAX_VALUES, Population
from gdb_epi.fleet.questions.lookup import find_record
from gdb_epi.fleet.questions.quality import check_quality
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.screening import screen_day_by_day, screen_population
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.exposure import HostDay, store_exposure
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.reproject import reproject_raw_records, stored_records_as_json_lines

DISTINCT = int(os.environ.get("GDB_EPI_DISTINCT", "8000"))
DAY = 86_400.0
START = 1_764_000_000.0


@pytest.fixture
def url(tmp_path):
    return str(tmp_path / "fleet.sqlite3")


def loaded(url) -> Population:
    with open_database(url, write=False) as engine:
        return load_population(engine)


def test_the_same_core_from_two_hosts_is_one_crash(url):
    here = minimal(1, host={"hostname": "node-1"})
    there = minimal(1, host={"hostname": "collector-9"})
    assert put(url, here).added == 1
    assert put(url, there).added == 0
    assert count(url, tables.crash) == 1
    name = select(tables.host.c.name).join(tables.crash, tables.crash.c.host_id == tables.host.c.id)
    assert rows(url, name) == [("node-1",)], "the first one knows where it died"


@pytest.mark.parametrize("damage", [b"", b"\0", zlib.compress(b"{", 3)], ids=["none", "bad", "cut"])
def test_a_damaged_row_keeps_no_other_from_being_read(url, capsys, damage):
    put(url, minimal(1), minimal(2), minimal(3))
    with open_database(url, write=True) as engine:
        with engine.begin() as connection:
            damaged = tables.raw.c.crash_id == 2
            connection.execute(tables.raw.update().where(damaged).values(record=damage))
        key = rows(url, select(tables.crash.c.core_key).where(tables.crash.c.id == 2))[0][0]
        assert reproject_raw_records(engine, lost := []) == 2 and lost == [2]
        with pytest.raises(EpiError, match="is damaged"):
            find_record(engine, key)
    assert main(["fleet", "export", "--db", url]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 2 and "(crash 2)" in captured.err
    assert put(url, minimal(1), minimal(2), minimal(3)).replaced == 1, "ingested again it is whole"
    with open_database(url, write=False) as engine:
        assert len(list(stored_records_as_json_lines(engine, lost := []))) == 3 and lost == []


@pytest.mark.parametrize("spellings", [("old", "new"), ("old", "OLD", "new", "New.corp")])
def test_a_renamed_host_is_one_host(url, spellings):
    """In whatever spelling: those of one name come at the same time, and are no copies of it."""
    half = len(spellings) // 2
    names = [spellings[i // 5 * half + i % half] for i in range(10)]
    records = [
        minimal(i, host={"hostname": name, "machine_id": "m1"}) for i, name in enumerate(names)
    ]
    put(url, *records, minimal(99, host={"hostname": "other"}))
    fleet = loaded(url)
    assert [host[:3].lower() for host in fleet.hosts] == ["new", "oth"]
    assert sorted((fleet.host == 0).tolist()).count(True) == 10
    assert not fleet.quality["copies"]
    assert len(fleet.quality["spelt"]) == len(spellings) - 2


def test_copies_of_one_image_share_a_machine_id_and_are_many_hosts(url):
    copies = [minimal(i, host={"hostname": f"n{i % 3}", "machine_id": "m1"}) for i in range(12)]
    put(url, *copies)
    assert loaded(url).hosts == ["n0", "n1", "n2"]


@pytest.mark.parametrize("interleaved", [False, True], ids=["renamed", "copies"])
def test_hours_of_an_old_name_beside_the_new_one_are_left_out(url, interleaved):
    """Ten machines with two names each, whose list of hosts counts the old names on."""
    first, records = int(START // DAY), []
    for i in range(80):
        machine, day = i % 10, i // 10 * 3
        is_new = i // 10 % 2 if interleaved else day > 12
        host = {"hostname": f"{'new' if is_new else 'old'}{machine}", "machine_id": f"m{machine}"}
        records.append(minimal(i, host=host, time={"crash_ts": (first + day) * DAY}))
    hours = [
        HostDay(first + day, f"{name}{machine}", 24.0, {"rack": "r1"})
        for day in range(25)
        for machine in range(10)
        for name in ("old", "new")[: 1 + (day > 1 if interleaved else day > 12)]
    ]
    put(url, *records)
    with open_database(url, write=True) as engine:
        store_exposure(engine, ((str(i), row) for i, row in enumerate(hours)))
    fleet = loaded(url)
    names = [check.text for check in check_quality(fleet) if check.about == "hosts"]
    if interleaved:
        assert len(fleet.hosts) == 20 and any("copies of an image" in text for text in names)
        return
    assert fleet.hosts == [f"new{machine}" for machine in range(10)]
    assert any("10 hosts with host-hours under an old name beside the new one" in t for t in names)
    assert fleet.exposure_hours.sum() == 24.0 * 25 * 10, "no machine has more than a day a day"


@pytest.mark.parametrize("off", [-365, 365, -20_000, 3_000_000])
def test_a_clock_that_is_off_hides_no_finding(url, off):
    bad = [
        minimal(1000 + i, host={"hostname": "bad"}, time={"crash_ts": START + i}) for i in range(40)
    ]
    rest = [
        minimal(i, host={"hostname": f"n{i % 60}"}, time={"crash_ts": START - (i % 9) * DAY})
        for i in range(600)
    ]
    odd = minimal(5000, host={"hostname": "n3"}, time={"crash_ts": START + off * DAY})
    put(url, *rest, *bad, odd)
    population = loaded(url)
    assert population.last_day == START // DAY
    assert any(
        f.value == "bad" for f in screen_population(population, population.last_day).findings
    )
    began = time.process_time()
    list(screen_day_by_day(population))
    assert time.process_time() - began < 60


def test_very_many_values_of_an_attribute_name_no_groups(url):
    def record(i):
        return minimal(
            i, host={"hostname": f"n{i % 50}", "attributes": {"job": f"job-{i}", "rack": "r"}}
        )

    with open_database(url, write=True) as engine:
        done = ingest(engine, (("t", record(i)) for i in range(DISTINCT)))
        assert done.added == DISTINCT > MAX_VALUES
        population = load_population(engine)
    assert population.attribute("job") is None and population.attribute("rack") is not None
    assert population.day.size == DISTINCT


def test_settings_of_processes_are_attributes_and_ids_of_single_jobs_are_not(url):
    def record(i):
        environment = {"OMP_NUM_THREADS": str(i % 2), "RANK": str(i % 8), "REQUEST_ID": f"r{i}"}
        return minimal(i, job={"unit": "web.service", "environment": environment})

    put(url, *map(record, range(40)))
    fleet = loaded(url)
    names = [attribute.name for attribute in fleet.attributes]
    assert [name for name in names if name.startswith("env ")] == ["env OMP_NUM_THREADS"]
    assert is_process_attribute("env OMP_NUM_THREADS"), "compared within one program"


def test_a_request_that_is_tried_again_and_again_is_named(url):
    """One message kills every worker that reads it; each other crash has a message of its own."""
    stack = {"version": "gsig/2", "keys": {"stable": "f" * 16}}
    stack["text"] = {"stable": "gsig/2 stable segv-null poison <- main"}
    records = []
    for i in range(240):
        again = i % 3 > 0
        records.append(
            minimal(
                i,
                job={
                    "unit": "worker.service",
                    "environment": {"MSG_ID": "m-0" if again else f"m-{i}"},
                },
                host={"hostname": f"n{i % 41}"},
                time={"crash_ts": START + i * 7 * 3600.0},
                **({"signature": stack} if again else {}),
            )
        )
    put(url, *records)
    fleet = loaded(url)
    findings = screen_population(fleet, fleet.last_day).findings
    assert [f.value for f in findings if f.attr == "env MSG_ID"] == ["m-0"]


def test_records_of_other_schemas_and_halves_of_lines(url, tmp_path):
    from gdb_epi.fleet.records.helper_processes import prepare_in_helpers
    from gdb_epi.fleet.store.ingest import store_batches

    lines = [json.dumps(full(i)) for i in range(40)]
    lines[7] = lines[7][: len(lines[7]) // 2]
    lines[8] = lines[8].replace("gdb-epi/record/1", "crashpad/7")
    lines[9] = lines[9].replace("gdb-epi/record/1", "gdb-epi/record/99")
    path = tmp_path / "mixed.jsonl"
    path.write_text("\n".join(lines) + '\n{"schema": "gdb-epi/record/1", "core_k')
    for helpers in (0, 2):
        with (
            prepare_in_helpers([path], helpers=helpers) as batches,
            open_database(url, write=True) as engine,
        ):
            done = store_batches(engine, batches)
        assert done.added + done.known == 37
        bad = {where.rsplit(":", 1)[1]: why for where, why in done.rejected}
        assert bad.keys() == {"8", "9", "10", "41"}
        assert "crashpad/7" in bad["9"] and "99" in bad["10"] and "not JSON" in bad["8"]
    assert count(url, tables.crash) == 37


def test_redaction_is_not_fooled_by_spelling(url, tmp_path):
    """The fast way stores a record's own text: only when no key can hide in it."""
    from gdb_epi.fleet.records.helper_processes import prepare_in_helpers
    from gdb_epi.fleet.records.packing import unpack_record_or_empty
    from gdb_epi.fleet.store.ingest import store_batches

    secret = "hunter2"
    texts = [
        json.dumps(minimal(1, locals={"x": secret})),
        json.dumps(minimal(2)).replace('"flags"', '"loc\\u0061ls": {"x": "hunter2"}, "flags"'),
        json.dumps(minimal(3, exception={"type": "E", "message": secret})),
        json.dumps(minimal(4, threads={"stacks": [{"frames": [{"variables": secret}]}]})),
        json.dumps(minimal(5, locals=secret)).encode().decode("ascii").replace(": ", " :\t"),
    ]
    path = tmp_path / "secrets.jsonl"
    path.write_bytes(b"\n".join(x.encode() for x in texts))
    with prepare_in_helpers([path]) as batches, open_database(url, write=True) as engine:
        assert store_batches(engine, batches).added == 5
    for (blob,) in rows(url, select(tables.raw.c.record)):
        assert secret not in json.dumps(unpack_record_or_empty(blob))


def test_notes_values_and_signatures_with_sql_and_html(url):
    def at(hour: float) -> dict[str, float]:  # crashes within two minutes would be one event
        return {"crash_ts": 1_764_000_000.0 + 3600 * hour}

    put(url, minimal(1))
    bad = [
        minimal(i, host={"hostname": EVIL, "attributes": {EVIL: EVIL}}, facts={EVIL: EVIL},
                time=at(3 * i), flags={"bitflip": True})
        for i in range(2, 40)
    ]  # fmt: skip
    rest = [
        minimal(i, host={"hostname": f"n{i}", "attributes": {EVIL: "x"}}, time=at(i - 40))
        for i in range(50, 150)
    ]
    put(url, *bad, *rest)
    population = loaded(url)
    day = population.last_day
    raised = screen_population(population, day).findings
    assert any(f.value == EVIL for f in raised)
    with open_database(url, write=True) as engine:
        store_findings(engine, raised, day)
        store_findings(engine, raised, day)
        first = stored_findings(engine)[0]
        set_finding_state(engine, first.id, "dismissed", EVIL + "\0")
        assert stored_findings(engine, "dismissed")[0].note == EVIL
        assert len(stored_findings(engine)) == len({f.identity for f in raised})


def test_records_packed_by_gzip_are_read_and_damaged_ones_named(url, tmp_path, capsys):
    lines = "".join(f"{json.dumps(minimal(n))}\n" for n in range(40)).encode()
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines))
    (folder / "notes.gz").write_bytes(gzip.compress(b"no records"))
    assert main(["fleet", "ingest", str(folder), "--db", url]) == 0
    assert capsys.readouterr().out.startswith("40 added, 0 replaced")
    for name, content, why in (
        ("cut.jsonl.gz", gzip.compress(lines)[:-30], "Compressed file ended"),
        ("core.gz", gzip.compress(b"\x7fELF" + bytes(99)), "binary data, no records"),
    ):
        (tmp_path / name).write_bytes(content)
        assert main(["fleet", "ingest", str(tmp_path / name), "--db", url]) != 0
        captured = capsys.readouterr()
        assert why in captured.err and "1 rejected" in captured.out
