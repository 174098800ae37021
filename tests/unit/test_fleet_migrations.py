# SPDX-License-Identifier: Apache-2.0
"""A database of the first schema becomes one of today's, and loses nothing."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect
from unit.fleet_records import full

from gdb_epi.fleet import migrations
from gdb_epi.fleet.decisions.finding_states import stored_findings
from gdb_epi.fleet.decisions.record_decision import DecisionToRecord, record_decision
from gdb_epi.fleet.population.cache import load_population
from gdb_epi.fleet.store import database, tables
from gdb_epi.fleet.store import reproject as fleet_reproject
from gdb_epi.fleet.store.database import DatabaseError, open_database
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.reproject import reproject_raw_records
from gdb_epi.fleet.store.schema_version import SCHEMA_VERSION
from gdb_epi.fleet.store.transactions import begin_write

DATA = Path(__file__).parent / "data"
OLD = DATA / "fleet-schema-1.sql"
RELEASED = (2, 3, 4, 5)  # and the first, whose dump holds less


@pytest.fixture
def old(tmp_path: Path) -> str:
    """A database file that gdb-epi of schema 1 wrote: six crashes."""
    path = tmp_path / "old%20 one.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.executescript(OLD.read_text())
    connection.close()
    return str(path)


def test_an_old_database_is_migrated_when_it_is_written_to(old):
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    with open_database(old, write=True) as engine:
        with engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), tables.metadata) == []
            sets = connection.execute(
                tables.crash.select().with_only_columns(tables.crash.c.attrset_id)
            )
            used = {row[0] for row in sets}
            values = connection.execute(tables.attrset_value.select()).all()
            assert sorted(v for i, _, v in values if i in used) == ["r0", "r1"]
            facts = connection.execute(
                tables.crash.select().with_only_columns(tables.crash.c.factset_id)
            )
            assert "signo" in {a for i, a, _ in values if i in {row[0] for row in facts}}
        assert (
            ingest(engine, [("again", full(1)), ("new", full(6))])
            .summary_line()
            .startswith("1 added")
        )
    with open_database(old, write=True) as engine, engine.connect() as connection:
        assert connection.exec_driver_sql("select count(*) from crash").scalar() == 7


def test_a_migration_that_was_killed_goes_on_where_it_was(old, monkeypatch):
    """The tables are changed at once, the rows a batch at a time: a reader must not see a half."""
    other = shutil.copy(old, f"{old}-other")
    with open_database(other, write=True) as engine, engine.connect() as connection:
        expected = connection.exec_driver_sql("select * from crash order by id").all()
    seen = []
    whole = fleet_reproject._reproject_batch

    def killed_in_the_second(connection, after):
        seen.append(after)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return whole(connection, after)

    monkeypatch.setattr(fleet_reproject, "BATCH", 2)
    monkeypatch.setattr(fleet_reproject, "_reproject_batch", killed_in_the_second)
    with pytest.raises(KeyboardInterrupt), open_database(old, write=True):
        pass
    with pytest.raises(DatabaseError, match="has not ended"), open_database(old, write=False):
        pass
    for _ in range(2):
        with open_database(old, write=True) as engine, engine.connect() as connection:
            rows = connection.exec_driver_sql("select * from crash order by id").all()
            assert rows == expected
            assert connection.execute(tables.meta.select().order_by(tables.meta.c.key)).all() == [
                ("dimensions_dropped", "0"),
                ("schema_version", str(SCHEMA_VERSION)),
            ]
    assert seen == [0, 2, 2, 4, 6], "from the batch that was lost to the end, and not again"


def test_foreign_keys_go_and_rows_stay(old):
    """Schema 3 already had all columns: its rows are copied, and not projected again."""
    with begin_write(database._make_engine(database.database_url(old))) as connection:
        config = migrations._config(connection)
        command.stamp(config, migrations.FIRST)
        command.upgrade(config, "0003")
        before = [_all(connection, table) for table in (tables.crash, tables.raw)]
        assert all(_all(connection, table) for table in (tables.crash, tables.raw))
        assert [len(inspect(connection).get_foreign_keys(n)) for n in ("crash", "raw")] == [6, 1]
    with open_database(old, write=True) as engine, engine.connect() as connection:
        crashes, raw = before
        old_labels = [row._mapping["verdict"] for row in crashes]
        after = [dict(row._mapping) for row in _all(connection, tables.crash)]
        assert [row["verdict"] for row in after] == [
            label and f"{label} (model 1)" for label in old_labels
        ]
        renamed = [{**row, "verdict": v} for row, v in zip(after, old_labels, strict=True)]
        columns = crashes[0]._mapping.keys()
        assert [{k: row[k] for k in columns} for row in renamed] == [
            dict(row._mapping) for row in crashes
        ]
        assert _all(connection, tables.raw) == raw
        assert [len(inspect(connection).get_foreign_keys(n)) for n in ("crash", "raw")] == [0, 0]
        names = {index["name"] for index in inspect(connection).get_indexes("crash")}
        assert names == {"crash_sig", "crash_ts", "crash_host"}
        assert connection.exec_driver_sql("select count(*) from host_attr").scalar() == 0
        # The ids go on behind the last one, and a core is one row still.
        assert ingest(engine, [("again", full(1)), ("new", full(6))]).added == 1
    with open_database(old, write=True) as engine:
        assert reproject_raw_records(engine, lost := []) == 7 and lost == []


def test_labels_that_are_stored_are_of_the_first_model(tmp_path):
    """0.2.0 wrote schema 4, and verdicts without a model: no count mixes them with new ones."""
    path = str(tmp_path / "fleet.sqlite3")
    with open_database(path, write=True) as engine:
        ingest(engine, [("t", full(n)) for n in range(3)])
    with begin_write(database._make_engine(database.database_url(path))) as connection:
        command.stamp(migrations._config(connection), "0004")
        connection.exec_driver_sql("update meta set value = '4' where key = 'schema_version'")
        connection.exec_driver_sql("delete from meta where key = 'dimensions_dropped'")
        for table in ("mark", "notice", "examined"):
            connection.exec_driver_sql(f"drop table {table}")
        connection.exec_driver_sql("update crash set verdict = null where id = 2")
        for column in ("ts_claimed", "received", "death"):  # of schemas 7 and 9
            connection.exec_driver_sql(f"alter table crash drop column {column}")
    with pytest.raises(DatabaseError), open_database(path, write=False):
        pass
    with open_database(path, write=True) as engine, engine.connect() as connection:
        labels = connection.exec_driver_sql("select verdict from crash order by id").all()
        assert [label for (label,) in labels] == ["software (model 1)", None, "software (model 1)"]
        ingest(engine, [("new", full(9))])
        chosen = "select verdict, count(*) from crash group by 1 order by 2 desc"
        assert ("software", 1) in connection.exec_driver_sql(chosen).all()


def _all(connection, table):
    order = ", ".join(column.name for column in table.primary_key)  # older ones have fewer columns
    return connection.exec_driver_sql(f"select * from {table.name} order by {order}").all()


@pytest.mark.parametrize("version", RELEASED)
def test_a_database_of_every_released_schema_is_read_on(version, tmp_path):
    """Each was written by the code of its time: 20 crashes, 80 host-days, one finding, raised."""
    path = str(tmp_path / "old.sqlite3")
    with sqlite3.connect(path) as connection:
        connection.executescript((DATA / f"fleet-schema-{version}.sql").read_text())
        before = connection.execute("select core_key, ts from crash order by id").fetchall()
        finding = connection.execute("select attr, value, n, state, note from finding").fetchall()
    connection.close()
    with (
        pytest.raises(DatabaseError, match=f"has schema {version}"),
        open_database(path, write=False),
    ):
        pass
    for _ in range(2):
        with open_database(path, write=True) as engine, engine.connect() as connection:
            ask = connection.exec_driver_sql
            assert ask("select core_key, ts from crash order by id").fetchall() == before
            assert ask("select attr, value, n, state, note from finding").fetchall() == finding
            assert ask("select count(*), sum(hours) from exposure").one() == (80, 1920.0)
            assert ask("select count(*) from crash where bitflip").scalar() == 4
            assert ask("select value from meta where key = 'schema_version'").scalar() == str(
                SCHEMA_VERSION
            )
            labels = {row[0] for row in ask("select distinct verdict from crash").fetchall()}
            assert labels == {None, "software (model 1)"}
            population = load_population(engine)
            assert population.day.size == 20 and population.has_exposure
            version_of = population.attribute("version")
            assert version_of is not None and version_of.values == ["2.2"]
    # The life of its bugs begins.
    with open_database(path, write=True) as engine:
        fixed = DecisionToRecord("signature", f"{3:016x}", "ann", fixed_in="2.3")
        lines = record_decision(engine, fixed, 1.8e9).lines
        assert "fixed in 2.3; marked by ann on " in lines[1] and len(lines) == 2
        assert len(stored_findings(engine)) == 1


def test_new_tables_equal_migrated_ones(old, tmp_path):
    shapes = []
    older = []
    for version in RELEASED:
        older.append(str(tmp_path / f"f{version}.sqlite3"))
        with sqlite3.connect(older[-1]) as connection:
            connection.executescript((DATA / f"fleet-schema-{version}.sql").read_text())
        connection.close()
    for path in (str(tmp_path / "new.sqlite3"), old, *older):
        with open_database(path, write=True) as engine, engine.connect() as connection:
            shapes.append(
                {
                    table: {
                        (c[1], c[2], c[3])
                        for c in connection.exec_driver_sql(f"pragma table_info({table})")
                    }
                    for table in tables.metadata.tables
                }
            )
    assert all(shape == shapes[0] for shape in shapes)


def test_reproject_rebuilds_what_a_table_lost(old):
    with open_database(old, write=True) as engine:
        with engine.connect() as connection:
            before = connection.exec_driver_sql("select * from crash order by id").all()
            connection.exec_driver_sql("update crash set sig_id=null, attrset_id=null, signo=99")
            connection.commit()
        assert reproject_raw_records(engine, lost := []) == 6 and lost == []
        with engine.connect() as connection:
            assert connection.exec_driver_sql("select * from crash order by id").all() == before
