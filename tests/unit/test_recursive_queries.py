# SPDX-License-Identifier: Apache-2.0
"""Which recursive queries nothing in their text limits."""

from __future__ import annotations

import sqlite3

import pytest

from gdb_epi.hangs.loops.recursive_queries import find_running_recursion, find_unlimited_recursion

HEAD = "WITH RECURSIVE up(id, n) AS (SELECT 1, 1 UNION ALL SELECT "
STEPS = "p.parent, up.n + 1 FROM up JOIN p ON p.id = up.id"
RING = [(1, 2), (2, 3), (3, 1)]
MANY = 200_000  # steps of SQLite's machine between two looks


def ends(query: str, rows: list[tuple[int, int]]) -> bool:
    """Ask SQLite itself, and stop it after a while."""
    works = sqlite3.connect(":memory:")
    works.execute("CREATE TABLE p (id, parent)")
    works.executemany("INSERT INTO p VALUES (?, ?)", rows)
    works.set_progress_handler(lambda: 1, MANY)
    try:
        works.execute(query).fetchall()
    except sqlite3.OperationalError as error:
        assert "interrupted" in str(error)
        return False
    return True


@pytest.mark.parametrize(
    ("query", "by_rows"),
    [
        (f"{HEAD}{STEPS}) SELECT max(n) FROM up", True),
        (f"{HEAD}{STEPS} WHERE p.parent IS NOT NULL) SELECT max(n) FROM up", True),
        (f"{HEAD.replace('UNION ALL', 'UNION')}{STEPS}) SELECT max(n) FROM up", True),
        (f"{HEAD}p.parent, 'a < b' FROM up, p /* < */ WHERE p.id = up.id) SELECT * FROM up", True),
        (f"{HEAD}id, n + 1 FROM up) -- LIMIT 5\nSELECT max(n) FROM up", False),
        ("with recursive a as (select 1), up as (select 1 as id union all select p.parent from p "
         "join up using (id)) select count(*) from up", True),
    ],
)  # fmt: skip
def test_nothing_limits_it(query: str, by_rows: bool) -> None:
    recursion = find_unlimited_recursion(query)
    assert recursion is not None
    assert recursion.by_rows == by_rows
    assert not ends(query, RING)


@pytest.mark.parametrize(
    "query",
    [
        f"{HEAD}{STEPS} WHERE n < 5) SELECT max(n) FROM up",
        f"{HEAD}{STEPS} WHERE up.id != 3) SELECT max(n) FROM up",
        f"{HEAD}{STEPS} LIMIT 9) SELECT max(n) FROM up",
        f"{HEAD}{STEPS}) SELECT * FROM up LIMIT 3",
        f"{HEAD.replace('UNION ALL', 'UNION')}p.parent, 1 FROM up JOIN p ON p.id = up.id) "
        "SELECT * FROM up",
        f"{HEAD}id, n + 1 FROM up WHERE n BETWEEN 1 AND 9) SELECT * FROM up",
        "WITH up AS (SELECT 1 UNION ALL SELECT id FROM p) SELECT * FROM up",
        "SELECT 'WITH RECURSIVE up AS (SELECT 1 UNION ALL SELECT 1 FROM up)'",
    ],
)
def test_its_text_limits_it(query: str) -> None:
    assert find_unlimited_recursion(query) is None
    assert ends(query, RING)


@pytest.mark.parametrize(
    ("asks", "all_rows"),
    [("SELECT id FROM up", False), ("SELECT id FROM up WHERE n > 2", False),
     ("SELECT max(n) FROM up", True), ("SELECT id FROM up ORDER BY n", True)],
)  # fmt: skip
def test_rows_are_given_one_by_one_unless_all_are_needed(asks: str, all_rows: bool) -> None:
    query = f"{HEAD}id, n + 1 FROM up) {asks}"
    assert (find_running_recursion(["text", query]) is not None) == all_rows
    works = sqlite3.connect(":memory:")
    works.set_progress_handler(lambda: 1, MANY)
    if all_rows:
        with pytest.raises(sqlite3.OperationalError):
            works.execute(query).fetchone()
    else:
        assert works.execute(query).fetchone()


def test_odd_texts_are_no_queries() -> None:
    for text in ("", "WITH RECURSIVE", "WITH RECURSIVE a AS (", "WITH RECURSIVE a AS ((((" * 9):
        assert find_unlimited_recursion(text) is None
