# SPDX-License-Identifier: Apache-2.0
"""The versions of GDB between those of this machine: one core, the same answers from each.

tests/tools/fetch_gdbs.py fetches them (12.1, 15.1, 16.3, 17.2); with --heavy every test of this
folder runs in every one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from driver import PACKAGE, Gdb, fetched_gdbs, read_json, run_gdb
from support.cores import Made
from support.opening import core_of

MISSING = pytest.param(
    None, marks=pytest.mark.skip(reason="no other GDB here: tests/tools/fetch_gdbs.py fetches them")
)
SAME = ("record", "locals", "list")
WORDS = ("-iex", f"directory {PACKAGE}")  # what `gdb-epi gdbinit` installs


@pytest.fixture(scope="module")
def here(one_gdb: Gdb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a GDB of this machine says."""
    return said(one_gdb, core_of("callbacks"), tmp_path_factory.mktemp("here"))


@pytest.mark.parametrize(
    "fetched", fetched_gdbs() or [MISSING], ids=lambda gdb: str(gdb and gdb.id)
)
def test_another_version_says_the_same(
    fetched: Gdb, here: dict[str, object], tmp_path: Path
) -> None:
    there = said(fetched, core_of("callbacks"), tmp_path)
    assert there.pop("raw") != there["filtered"]
    assert {name: there[name] for name in SAME} == {name: here[name] for name in SAME}
    assert "callbacks.py" in str(there["filtered"])


def said(gdb: Gdb, made: Made, folder: Path) -> dict[str, object]:
    """Run one GDB on a core: the record, and what a user types; no complaint of any command."""
    done = run_gdb(
        gdb,
        "source gdb_epi",
        f"epi record --json --output {folder}/record",
        "source gdb_epi",
        "epi triage",
        "epi up",
        f"epi locals --json --output {folder}/locals",
        f"epi list --json --output {folder}/list",
        "bt -no-filters",
        "echo FILTERED\\n",
        "set epi frames on",
        "bt",
        exe=made.executable,
        core=made.core,
        words=WORDS,
    )
    assert done.returncode == 0, done.text
    assert "rror" not in done.stderr, done.text
    raw, _, filtered = done.stdout.partition("FILTERED\n")
    return {
        "record": read_json(folder / "record"),
        "locals": read_json(folder / "locals"),
        "list": read_json(folder / "list"),
        "raw": raw,
        "filtered": filtered,
    }
