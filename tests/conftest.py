# SPDX-License-Identifier: Apache-2.0
"""Options of the whole test suite; every record that a test makes is held against the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import layout


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write tests/golden/*.json anew instead of comparing; review the diff like code",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let programs have the same addresses each time, and hypothesis try the same examples.

    `GDB_EPI_LAYOUT=random` and `--hypothesis-profile=default` roam.
    """
    layout.fix()
    if config.pluginmanager.hasplugin("hypothesispytest"):
        from hypothesis import settings

        settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
        if not config.getoption("--hypothesis-profile"):
            settings.load_profile("repeatable")


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
