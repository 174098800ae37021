# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that run a real GDB.

A test that takes `gdb` and nothing else runs with each GDB of this machine. One of many cells
(interpreters, programs) runs with one GDB a cell, in turn; with all of them under `--heavy`.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from driver import Gdb, available_gdbs
from support.cores import Made
from support.opening import core_of

NO_GDB = "no GDB with Python 3.10 or later: /usr/bin/gdb, beside this Python, PATH, GDB_EPI_GDBS"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test that takes `gdb` with each GDB of this machine."""
    if "gdb" in metafunc.fixturenames:
        gdbs = available_gdbs()
        missing = [pytest.param(None, marks=pytest.mark.skip(reason=NO_GDB))]
        metafunc.parametrize("gdb", gdbs or missing, ids=[g.id for g in gdbs] or ["none"])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as heavy what another GDB does in the same cell."""
    cells: defaultdict[str, list[object]] = defaultdict(list)  # of each test, in their order
    for test in items:
        call = getattr(test, "callspec", None)
        if test.path.parent != Path(__file__).parent or call is None or "gdb" not in call.params:
            continue
        cell = {name: value for name, value in call.params.items() if name != "gdb"}
        if not cell:
            continue
        seen = cells[test.nodeid.partition("[")[0]]
        if cell not in seen:
            seen.append(cell)
        gdbs = available_gdbs()
        if gdbs and call.params["gdb"] != gdbs[seen.index(cell) % len(gdbs)]:
            test.add_marker(pytest.mark.heavy)


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
