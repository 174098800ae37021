# SPDX-License-Identifier: Apache-2.0
"""Commands that were asked for what is not there say so, and what to try."""

from __future__ import annotations

import sqlite3
from argparse import Namespace
from contextlib import closing
from pathlib import Path

import pytest
from support.scenes import crash, state

from commands.native import native
from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.questions.seen import seen
from gdb_epi.fleet.store.versions import SCHEMA_KEY, SCHEMA_VERSION
from gdb_epi.session import Session


def test_native_frames_of_a_thread_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no thread 4711") as caught:
        native(Session(state(crash(6, 0)).target), Namespace(tid=[4711]))
    assert caught.value.hint == "epi threads"


@pytest.mark.parametrize(
    ("version", "hint"), [(SCHEMA_VERSION - 1, "fleet reproject"), (SCHEMA_VERSION + 1, "upgrade")]
)
def test_a_database_of_another_version_is_told_as_such(
    tmp_path: Path, version: int, hint: str
) -> None:
    """`epi seen` said 'no such column: sig.kind'."""
    path = tmp_path / "fleet.sqlite3"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE meta (key TEXT, value TEXT)")
        base.execute("INSERT INTO meta VALUES (?, ?)", (SCHEMA_KEY, str(version)))
    with pytest.raises(EpiError, match=f"has schema {version}, this gdb-epi reads") as caught:
        seen(str(path), "stable", "0" * 16)
    assert hint in caught.value.hint
