# SPDX-License-Identifier: Apache-2.0
"""What a person means by the start of a core's key, and the counts of a summary."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from unit.fleet_records import full, minimal

from gdb_epi.cli.main import main
from gdb_epi.errors import InputError
from gdb_epi.fleet.decisions.record_decision import DecisionToRecord, record_decision
from gdb_epi.fleet.questions.find_signature import find_signature
from gdb_epi.fleet.questions.lookup import (
    MIN_PREFIX,
    _key_prefix_condition,
    find_host_ids,
    find_record,
    find_signature_group,
    summarise_host,
    summarise_signature,
)
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest

KEYS = ("abcd1", "ABce2", "abzz3", "a_b%c", "a%bbb", "~~~~~4", "zZ[`{")
STARTS = ("abcd", "ABCD", "abce", "AbCe", "abzz", "abyz", "a_b%", "a%bb", "~~~~", "ZZ[`", "éabc")


@pytest.fixture
def engine(tmp_path):
    with open_database(str(tmp_path / "f.sqlite3"), write=True) as engine:
        ingest(engine, [("t", full(i)) for i in range(len(KEYS))])
        with engine.begin() as connection:
            for i, key in enumerate(KEYS):  # an ingest takes no such keys, LIKE would
                mine = tables.crash.update().where(tables.crash.c.core_key == f"{i:032x}")
                connection.execute(mine.values(core_key=key))
        yield engine


@pytest.mark.parametrize("start", STARTS)
def test_the_index_finds_what_like_finds(engine, start):
    key = tables.crash.c.core_key
    with engine.connect() as connection:
        like = select(key).where(key.startswith(start, autoescape=True)).order_by(key)
        keys = connection.execute(like).scalars().all()
        assert len(keys) == sum(k.lower().startswith(start.lower()) for k in KEYS)
        near = like.where(_key_prefix_condition(key, start[:MIN_PREFIX]))
        assert connection.execute(near).scalars().all() == keys
    record = find_record(engine, start)
    only = f"{KEYS.index(keys[0]):032x}" if len(keys) == 1 else None
    assert (record["core_key"] if record else None) == only


def test_a_start_of_several_cores_names_them(tmp_path, capsys):
    url = str(tmp_path / "f.sqlite3")
    keys = [f"fade{number:028x}" for number in (1, 2)]
    with open_database(url, write=True) as engine:
        ingest(engine, [("t", {**full(n), "core_key": key}) for n, key in enumerate(keys)])
    assert main(["fleet", "show", "fade", "--db", url]) == 3
    assert f"several cores fit: {keys[0]}, {keys[1]}" in capsys.readouterr().err
    assert main(["fleet", "show", keys[1], "--db", url]) == 0


def test_a_start_is_looked_for_in_the_index(engine):
    key = tables.crash.c.core_key
    with engine.connect() as connection:
        chosen = select(key).where(_key_prefix_condition(key, "ab1c")).compile(engine)
        values = tuple(chosen.params[name] for name in chosen.positiontup)
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {chosen}", values).all()
    assert all("SCAN" not in row[-1] for row in plan) and "SEARCH crash" in str(plan)


def test_the_verdicts_of_a_signature_are_counted(engine):
    ingest(
        engine,
        [("t", full(7 * i, verdict={"model": 2, "label": f"v{i % 12}"})) for i in range(1, 60)],
    )
    summary = summarise_signature(engine, find_signature_group(engine, f"{0:016x}"))
    assert summary.tables["verdict"] == [
        *((f"v{i}", 5) for i in ("1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9")),
        ("v0", 4),
        ("software", 1),
    ]


def test_a_host_is_one_under_all_its_spellings(tmp_path, capsys):
    """As in the population: by case, with its domain and without; a label of two hosts is none."""
    path = str(tmp_path / "h.sqlite3")
    names = (
        "web-1",
        "WEB-1.a.example",
        "web-2.a.example",
        "web-2.b.example",
        "10.0.0.1",
        "10.0.0.2",
    )
    with open_database(path, write=True) as engine:
        hosts = [{"hostname": name, "machine_id": f"m{n}"} for n, name in enumerate(names)]
        ingest(engine, [("t", minimal(n, host=host)) for n, host in enumerate(hosts)])
        for wanted, crashes in (
            ("web-1", 2), ("Web-1", 2), ("web-1.a.example.", 2), ("m1", 1), ("web-2", 0),
            ("WEB-2.A.EXAMPLE", 1), ("10.0.0.1", 1), ("10", 0), ("web", 0), ("web%", 0),
        ):  # fmt: skip
            assert summarise_host(engine, find_host_ids(engine, wanted)).crashes == crashes, wanted
        record_decision(engine, DecisionToRecord("host", "web-1", "ann", "drained"), 1.8e9)
    assert main(["fleet", "states", "WEB-1", "--db", path]) == 0
    assert "host web-1" in capsys.readouterr().out
    assert main(["fleet", "states", "web-2", "--db", path]) == 0
    assert "nothing was decided of web-2" in capsys.readouterr().out


def test_a_time_that_nobody_believes_is_not_the_first(tmp_path, capsys):
    """A host whose clock stood in 2024 sends among others that tell today's time."""
    path, start = str(tmp_path / "t.sqlite3"), 1_764_000_000.0
    crashes = [minimal(n, time={"crash_ts": start + 900.0 * n}) for n in range(400)]
    for n in (100, 105, 230, 235):
        wrong = start - 600 * 86_400 + n
        crashes[n] = minimal(n, host={"hostname": "old-clock"}, time={"crash_ts": wrong})
    with open_database(path, write=True) as engine:
        ingest(engine, [("t", record) for record in crashes])
        everywhere = summarise_signature(engine, find_signature_group(engine, f"{2:016x}"))
        alone = summarise_host(engine, find_host_ids(engine, "old-clock"))
    assert everywhere.crashes == 57 and everywhere.first == start + 2 * 900.0
    assert everywhere.not_believed == 1
    assert (alone.crashes, alone.first, alone.not_believed) == (4, None, 4)
    assert main(["fleet", "show", f"{2:016x}", "--db", path]) == 0
    assert "(the clocks of 1 were wrong: left out here)" in capsys.readouterr().out


def test_a_word_means_the_function_that_has_it_as_its_name():
    names = ("flush", "flush_locked", "flush_all")
    rows = [(n, "stable", f"k{n}", f"segv {name} <- main", None) for n, name in enumerate(names)]

    def execute(_query, values):
        return rows if "inside" in values else []

    assert find_signature(execute, "flush").key == "k0"
    with pytest.raises(InputError, match="3 signatures fit"):
        find_signature(execute, "main")
    with pytest.raises(InputError, match="3 signatures fit"):
        find_signature(execute, "flus")
