# SPDX-License-Identifier: Apache-2.0
"""Options of the whole test suite; every record that a test makes is held against the schema."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import resource
import signal
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import layout

TESTS = Path(__file__).parent
LEFT_OUT = pytest.StashKey[int]()
COLLECTOR = (10_000, 10, 10)  # rarer than usual: it costs time, and finds little
# One of so many cells of each test in these folders, or the environment's number: with a third of
# some of them CI took 25 minutes (November 2026).
SHARE = 10
IN_PARTS = ("contract", "gdb", "cli", "property", "faults")
# One of so many of those that differ in the version alone in the others (hand-made objects).
SHARE_OF_VERSIONS = 3
VERSION = re.compile(r"(?<![\d.])3\.\d+[td]*(?![\d.])")
MANY = 200  # files that are open between two tests: targets that nobody holds any more
DESCRIPTORS = 1 << 13  # that a process of the tests may have at a time, where the machine lets it
# What --heavy sets; each can be set alone too, and then holds.
HEAVY_AMOUNTS = {
    "GDB_EPI_SHARE": "1",
    "GDB_EPI_MATRIX": "full",  # every program on every build (support.interpreters.spread)
    "GDB_EPI_KILLS": "50",  # writers of the database that are killed
    "GDB_EPI_DISTINCT": "1000000",  # values of one attribute
    "GDB_EPI_CORRUPTION_CORES": "1500",  # cores of software bugs that are looked at for damage
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write tests/golden/*.json anew instead of comparing; review the diff like code",
    )
    parser.addoption(
        "--heavy",
        action="store_true",
        help="also the tests that are marked heavy, and every program on every build: takes hours",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set how much is tried, before any module of tests is read; let no test draw lots.

    Programs have the same addresses each time, and hypothesis tries the same examples.
    `GDB_EPI_LAYOUT=random` and `--hypothesis-profile=default` roam.
    """
    if config.getoption("--heavy"):
        for name, value in HEAVY_AMOUNTS.items():
            os.environ.setdefault(name, value)
    # Each worker would rewrite the assertions of all 750 modules, as one of them is a plugin.
    getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set()).discard("gdb_epi")
    layout.fix()
    _as_started_by_hand()
    gc.set_threshold(*COLLECTOR)
    os.environ.pop("COLUMNS", None)  # lines are folded by it; a test of that sets it itself
    if config.pluginmanager.hasplugin("hypothesispytest"):
        from hypothesis import HealthCheck, settings

        # Each worker would parse the whole tree, and the examples hang on what is imported by then.
        with contextlib.suppress(ImportError, AttributeError):  # names of hypothesis's own
            from hypothesis.internal.conjecture import providers

            if callable(providers._get_local_constants):
                providers._get_local_constants = providers.Constants
        # Not too_slow: a loaded machine drew two examples in a minute, and a test failed by that.
        settings.register_profile(
            "repeatable", derandomize=True, deadline=None, database=None,
            suppress_health_check=[HealthCheck.too_slow],
        )  # fmt: skip
        if not config.getoption("--hypothesis-profile"):
            settings.load_profile("repeatable")


def _as_started_by_hand() -> None:
    """Undo what the programs of the tests would inherit of whoever started this process.

    What a shell starts in the background ignores SIGINT and SIGQUIT, nohup SIGHUP; some runners
    block signals, or let no others read what is written.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1):
        if signal.getsignal(number) == signal.SIG_IGN:
            interrupt = number == signal.SIGINT
            signal.signal(number, signal.default_int_handler if interrupt else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
    os.umask(0o022)
    # Rewriting the assertions of all modules takes longer than collecting them.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = DESCRIPTORS if most == resource.RLIM_INFINITY else min(DESCRIPTORS, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked heavy, unless it is asked for."""
    if config.getoption("--heavy"):
        return
    left_out = _left_to_heavy(items)
    heavy = [test for test in items if test in left_out or test.get_closest_marker("heavy")]
    if heavy:
        left_out.update(heavy)
        items[:] = [test for test in items if test not in left_out]
        config.hook.pytest_deselected(items=heavy)
    config.stash[LEFT_OUT] = len(heavy)
    if hasattr(config, "workeroutput"):  # a worker of pytest-xdist, whose own summary nobody sees
        config.workeroutput["heavy"] = len(heavy)


def _left_to_heavy(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the cells of parametrized tests that are left to --heavy.

    Which are left hangs on their names alone; one of each test is always tried.
    """
    share = int(os.environ.get("GDB_EPI_SHARE", SHARE))
    cells: defaultdict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for test in items:
        name, _, cell = test.nodeid.partition("[")
        if cell and test.path.relative_to(TESTS).parts[0] in IN_PARTS:
            cells[name, share].append(test)
        elif VERSION.search(cell):
            alike = f"{name}[{VERSION.sub('', cell)}"
            cells[alike, min(share, SHARE_OF_VERSIONS)].append(test)
    left: set[pytest.Item] = set()
    for (_, share), every in cells.items():
        every.sort(key=lambda test: zlib.crc32(test.nodeid.encode()))
        left.update(every[-(-len(every) // share) :])
    return left


def pytest_collection_finish() -> None:
    """Spare the collector what all tests share: it would look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTOR)


def pytest_unconfigure() -> None:
    """Let the end find what is to be freed."""
    gc.unfreeze()


def pytest_runtest_teardown() -> None:
    """Undo what a verb of gdb-epi does to the process that is its own in ordinary life.

    It lets the collector rest; here targets that nobody holds would keep their files open until the
    process may open no more.
    """
    if gc.get_threshold() != COLLECTOR:
        gc.set_threshold(*COLLECTOR)
    if len(os.listdir("/proc/self/fd")) > MANY:
        gc.collect()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the number from a worker of pytest-xdist; each of them collects all tests."""
    number = getattr(node, "workeroutput", {}).get("heavy", 0)
    node.config.stash[LEFT_OUT] = max(number, node.config.stash.get(LEFT_OUT, 0))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was left out, and how to run it."""
    number = config.stash.get(LEFT_OUT, 0)
    if number:
        tests = "1 heavy test was" if number == 1 else f"{number} heavy tests were"
        terminalreporter.write_line(f"{tests} left out; to run all: bash tests/run --heavy")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are written instead of compared."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session", autouse=True)
def every_record_is_valid() -> Iterator[None]:
    """Check each record at its making: a key without a place in the schema fails the test."""
    from support.schema import problems

    import gdb_epi.analysis as analysis

    made = analysis.make_record

    def checked(*parts: Any) -> dict[str, Any]:
        record = made(*parts)
        assert problems(record) == []
        return record

    patch = pytest.MonkeyPatch()
    patch.setattr(analysis, "make_record", checked)
    yield
    patch.undo()
