# SPDX-License-Identifier: Apache-2.0
"""`pytest --epi`: a test whose process died or hangs gets its triage, its signature and its core.

In go the command line of pytest and what its processes write down (journal.py); out come failure
reports, files for a CI (death_cases.py) and artefacts. What a core says is decided elsewhere, and
how cores come is `repro`'s. This module is the entry point that every pytest imports: without
`--epi` it does nothing but declare options, and imports nothing else.

With `--epi` the session runs in a child (supervisor.py), which is the same command line again. In
each process that runs tests, and in the controller of pytest-xdist, a plugin writes down which test
runs (in_process_plugin.py). When the process of the tests dies, the supervisor goes on as a session
that only reports: the tests that had run, and the one that died (death_report_session.py).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    add = parser.getgroup("epi", "gdb-epi: why the process of a test died").addoption
    add("--epi", action="store_true", help="triage a test whose process died; keep its core")
    add(
        "--epi-artifacts",
        metavar="DIR",
        default=".epi",
        help="where cores, records and answers go (.epi)",
    )
    add(
        "--epi-cores",
        metavar="N",
        type=int,
        default=10,
        help="cores that are kept (10); a core holds all memory of the process, secrets too: 0 "
        "keeps none",
    )
    add(
        "--epi-timeout",
        metavar="SECONDS",
        type=float,
        help="a test that takes longer is looked at as it hangs, then killed; so is an exit",
    )
    add(
        "--epi-capture",
        choices=("auto", "core", "gdb"),
        default="auto",
        help="core: the kernel writes cores; gdb: run the tests under GDB; auto: what works here",
    )
    add("--epi-sarif", metavar="FILE", help="write the deaths as SARIF 2.1.0")
    add(
        "--epi-annotations",
        action="store_true",
        help="print GitHub annotations (always where $GITHUB_ACTIONS is set)",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, Any, Any]:
    """Begin before anything of the project is imported, and before output is captured."""
    if early_config.known_args_namespace.epi:
        from gdb_epi.pytest_plugin.process_role import begin_session

        begin_session(early_config)
    return (yield)
