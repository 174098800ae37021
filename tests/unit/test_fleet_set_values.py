# SPDX-License-Identifier: Apache-2.0
"""Reading the population as columns: values of sets, the order of time, places among keys."""

from __future__ import annotations

import numpy as np
import pytest
from unit.fleet_records import minimal

from gdb_epi.fleet.population import attribute_set_columns
from gdb_epi.fleet.population import read_population as reading
from gdb_epi.fleet.population.attribute_set_columns import (
    AFTER,
    mask_of_occurring_sets,
    read_attribute_columns,
)
from gdb_epi.fleet.population.population import MAX_VALUES
from gdb_epi.fleet.statistics.arrays import positions_in
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.database import open_database
from gdb_epi.fleet.store.ingest import ingest
from gdb_epi.fleet.store.transactions import begin_write

# What may not be parted where it was joined, and what only looks so.
ODD = (
    ("a", f"x{AFTER}y"), ("a", AFTER), (f"a{AFTER}b", "x"), (f"a{AFTER}b", f"x{AFTER}y"),
    ("a", ""), ("", "x"), ("a", "x\x00y"), ("a", "größe \U0001f40d"), ("a", "x\ny"), ("a", "1"),
    ("1", "a"), ("rack ", "r1"),
)  # fmt: skip


def rows_of(sets):
    return [(number, attr, text) for number, values in sets.items() for attr, text in values]


def by_dict(rows, most):
    """What is asked, said plainly: attribute -> set -> value."""
    texts, pairs = {}, {}
    for number, attr, text in rows:
        texts.setdefault(attr, set()).add(text)
        pairs.setdefault(attr, {})[number] = text
    return {attr: values for attr, values in pairs.items() if len(texts[attr]) <= most}


def stored(path, rows):
    with open_database(path, write=True) as engine, begin_write(engine) as connection:
        for number in sorted({number for number, _, _ in rows}):
            connection.execute(tables.attrset.insert(), {"id": number, "hash": f"{number}"})
        columns = ("attrset_id", "attr", "value")
        connection.execute(
            tables.attrset_value.insert(), [dict(zip(columns, r, strict=True)) for r in rows]
        )


def read_values(path, *, joined, monkeypatch):
    with open_database(path, write=False) as engine, engine.connect() as connection:
        if not joined:
            monkeypatch.setattr(connection.dialect, "name", "another")
        values = read_attribute_columns(connection)
    return {
        attr: {n: v.texts[code] for n, code in zip(v.sets.tolist(), v.codes.tolist(), strict=True)}
        for attr, v in values.items()
    }


@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize("span", [1, 3, 1 << 14])
def test_values_are_those_of_the_rows(joined, span, tmp_path, monkeypatch):
    monkeypatch.setattr(attribute_set_columns, "SPAN", span)
    monkeypatch.setattr(attribute_set_columns, "ROWS", span)
    path = str(tmp_path / "f.sqlite3")
    sets = {i + 1: [pair, ("rack", f"r{i % 3}"), ("job", f"j{i}")] for i, pair in enumerate(ODD)}
    rows = rows_of({**sets, 1 << 40: [("rack", "r9")]})
    stored(path, rows)
    assert read_values(path, joined=joined, monkeypatch=monkeypatch) == by_dict(rows, MAX_VALUES)


@pytest.mark.parametrize("joined", [True, False])
@pytest.mark.parametrize("span", [1, 7, 1 << 14])
@pytest.mark.parametrize("texts", [3, 5, 1_000])
def test_attributes_with_too_many_values_are_left_out(joined, span, texts, tmp_path, monkeypatch):
    monkeypatch.setattr(attribute_set_columns, "SPAN", span)
    monkeypatch.setattr(attribute_set_columns, "ROWS", span)
    monkeypatch.setattr(attribute_set_columns, "MAX_VALUES", 5)
    monkeypatch.setattr(attribute_set_columns, "MAX_LEFT_OUT", 2)
    monkeypatch.setattr(attribute_set_columns, "MAX_TEXTS", texts)
    monkeypatch.setattr(attribute_set_columns, "MAX_LAYOUTS", 2)
    path = str(tmp_path / "f.sqlite3")
    many = [(name, 5 + number % 2) for number, name in enumerate("abcdefgh")]
    rows = rows_of({i + 1: [(n, f"v{i % size}") for n, size in many] for i in range(60)})
    stored(path, rows)
    kept = read_values(path, joined=joined, monkeypatch=monkeypatch)
    assert kept == by_dict(rows, 5)
    assert sorted(kept) == ["a", "c", "e", "g"]


def test_deleted_rows_leave_gaps(tmp_path, monkeypatch):
    monkeypatch.setattr(attribute_set_columns, "SPAN", 2)
    path = str(tmp_path / "f.sqlite3")
    rows = rows_of({i + 1: [("rack", f"r{i}"), ("sku", "s")] for i in range(20)})
    stored(path, rows)
    with open_database(path, write=True) as engine, begin_write(engine) as connection:
        connection.execute(
            tables.attrset_value.delete().where(tables.attrset_value.c.attrset_id < 9)
        )
    left = [row for row in rows if row[0] >= 9]
    assert read_values(path, joined=True, monkeypatch=monkeypatch) == by_dict(left, MAX_VALUES)


def test_sets_without_values_and_of_no_crash():
    values = attribute_set_columns.AttributeColumn(
        np.array([3, 5, 9]), np.array([1, 0, 2]), ["b", "a", "c"]
    )
    crashes, hours = np.array([-1, 3, 4]), np.array([5, 12])
    here = values.restricted_to_sets(mask_of_occurring_sets(crashes, hours))
    assert here.texts == ["a", "b"]
    assert here.codes_of_sets(crashes).tolist() == [-1, 0, -1]
    assert here.codes_of_sets(hours).tolist() == [1, -1]


def test_a_fact_that_is_only_ever_true_is_false_elsewhere(tmp_path):
    path = str(tmp_path / "f.sqlite3")
    facts = [{"stale": True}, {"stale": True, "other": True}, {"other": True}, {"size": "1"}]
    with open_database(path, write=True) as engine:
        ingest(engine, [("t", minimal(i, facts=f)) for i, f in enumerate(facts)])
        with engine.connect() as connection:
            facts_by_name = {fact.name: fact for fact in reading.read_population(connection).facts}
    values_by_fact = {
        name: [fact.values[c] for c in fact.crash.tolist()] for name, fact in facts_by_name.items()
    }
    assert values_by_fact["stale"] == ["true", "true", "false", "false"]
    assert values_by_fact["other"] == ["false", "true", "true", "false"]
    assert "size" not in values_by_fact


@pytest.mark.parametrize("moments", [1, 40, 900, 1 << 30])
def test_crashes_of_one_moment_are_in_the_order_of_their_keys(moments):
    random = np.random.default_rng(8)
    for size in (0, 1, 2, 900):
        place = np.sort(random.integers(0, moments, size)) + random.integers(0, 2, size) * 9.0
        numbers = random.integers(0, 1 << 40, size)
        keys = np.array([f"{n:x}".encode() for n in numbers], dtype="S10")
        expected = sorted(range(size), key=lambda i: (place[i], keys[i][:8].ljust(8, b"\0")))
        assert reading._order_by_time(place, keys).tolist() == expected


@pytest.mark.parametrize("widest", [50, 1 << 40])  # a table, a search
def test_places_among_keys(widest):
    random = np.random.default_rng(9)
    keys = np.unique(random.integers(0, widest, 40))
    codes = np.concatenate((keys[::3], random.integers(-1, widest + 9, 60), [-1, 0, widest]))
    where = {key: i for i, key in enumerate(keys.tolist())}
    assert positions_in(keys, codes).tolist() == [where.get(code, -1) for code in codes.tolist()]
    assert positions_in(keys[:0], codes).tolist() == [-1] * codes.size
