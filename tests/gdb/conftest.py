# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that run a real GDB."""

from __future__ import annotations

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
