# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that run a real GDB.

A test that takes `gdb` runs with one GDB of this machine, the next one in its file with the next
GDB. One of many cells (interpreters, programs) has a GDB a cell in turn. With `--heavy` each runs
with all of them.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest
from driver import Gdb, available_gdbs
from support.cores import Made
from support.opening import core_of

NO_GDB = "no GDB with Python 3.10 or later: /usr/bin/gdb, beside this Python, PATH, GDB_EPI_GDBS"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make every test that takes `gdb` for each GDB of this machine."""
    if "gdb" in metafunc.fixturenames:
        gdbs = available_gdbs()
        missing = [pytest.param(None, marks=pytest.mark.skip(reason=NO_GDB))]
        metafunc.parametrize("gdb", gdbs or missing, ids=[g.id for g in gdbs] or ["none"])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as heavy what repeats a test with another GDB."""
    here = str(Path(__file__).parent) + os.sep
    # Of each test with cells its cells, of each file its other tests: in their order.
    turns: defaultdict[object, dict[object, list[pytest.Item]]] = defaultdict(dict)
    for test in items:
        call = getattr(test, "callspec", None)
        if call is None or "gdb" not in call.params or not str(test.path).startswith(here):
            continue
        name = test.nodeid.partition("[")[0]
        cell = tuple((key, id(value)) for key, value in call.params.items() if key != "gdb")
        turn = (name, cell) if cell else (test.path, name)
        turns[turn[0]].setdefault(turn[1], []).append(test)
    for cells in turns.values():
        for number, with_each in enumerate(cells.values()):
            for other in with_each:
                if other is not with_each[number % len(with_each)]:
                    other.add_marker(pytest.mark.heavy)


@pytest.fixture(scope="session")
def threads_core() -> Made:
    """A core of 20 threads."""
    return core_of("threads")


@pytest.fixture(scope="session")
def one_gdb() -> Gdb:
    """The first GDB found."""
    gdbs = available_gdbs()
    if not gdbs:
        pytest.skip(NO_GDB)
    return gdbs[0]
