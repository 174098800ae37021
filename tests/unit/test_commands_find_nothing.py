# SPDX-License-Identifier: Apache-2.0
"""Commands that were asked for what is not there say so, and what to try."""

from __future__ import annotations

import sqlite3
from argparse import Namespace
from contextlib import closing
from pathlib import Path

import pytest
from support.scenes import crash, state

from commands.doctor import MATCHES, NOT_LOADED, collect_problems
from commands.native import list_native_stacks
from commands.refs import _join_alike_rows
from gdb_epi.errors import EpiError, InputError
from gdb_epi.fleet.questions.signature_history import (
    group_of_stored_core,
    history_lines,
    signature_history,
)
from gdb_epi.fleet.store.schema_version import SCHEMA_KEY, SCHEMA_VERSION
from gdb_epi.session import Session


def test_native_frames_of_a_thread_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no thread 4711") as caught:
        list_native_stacks(Session(state(crash(6, 0)).target), Namespace(tid=[4711]))
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
        signature_history(str(path), "stable", "0" * 16)
    assert hint in caught.value.hint


def test_the_problems_of_a_core_come_with_what_to_type() -> None:
    """`epi doctor` listed "not loaded" in a table, and left it to the reader what follows."""
    executable = {"path": "/usr/bin/python3", "file": MATCHES, "gdb": NOT_LOADED}
    lost: dict[str, object] = {"path": "/srv/lib/libx.so", "build_id": "7e", "gdb": None}
    lost["file"] = "/srv/lib/libx.so: no such file here"
    vdso = {"path": "linux-vdso.so.1", "file": "no such file", "gdb": NOT_LOADED}
    core = {"truncated": {"truncated": False, "reason": ""}, "path": "/tmp/core"}
    document = {"core": core, "cpython": {"version": "3.13.0"}, "modules": [executable, vdso]}
    (unloaded,) = collect_problems(document)
    assert "    try: file /usr/bin/python3\n    then: core-file /tmp/core" in unloaded
    here = {**executable, "gdb": MATCHES}
    assert collect_problems({**document, "modules": [here, vdso]}) == []
    (missing,) = collect_problems({**document, "modules": [here, lost]})
    assert "libx.so (no such file here)" in missing and "try: set sysroot DIR" in missing
    (cut,) = collect_problems({**document, "modules": [here, {**lost, "build_id": None}]})
    assert "libx.so" in cut and "sysroot" not in cut, "no file there would be trusted"


def database_with(path: Path, core_key: str) -> str:
    """Make a fleet of one crash, stored with native frames: its group has a stable key."""
    from gdb_epi.fleet.store.database import open_database
    from gdb_epi.fleet.store.ingest import ingest

    record = {
        "schema": "gdb-epi/record/1",
        "core_key": core_key,
        "signature": {
            "version": "gsig/2",
            "category": "segv-wild",
            "keys": {"stable": "5" * 16, "python": "9" * 16},
            "text": {"stable": "gsig/2 stable segv-wild f"},
            "group": {"key": "stable", "value": "5" * 16},
        },
        "verdict": {"label": "software"},
    }
    with open_database(str(path), write=True) as engine:
        ingest(engine, [("test", record)])
    return str(path)


def test_a_core_that_is_stored_under_another_key_was_seen(tmp_path: Path) -> None:
    """A GDB without libraries makes another key: `epi seen` said that the crash was never seen."""
    base = database_with(tmp_path / "fleet.sqlite3", "c" * 32)
    assert group_of_stored_core(base, "c" * 32) == ("stable", "5" * 16)
    assert group_of_stored_core(base, "d" * 32) is None
    history = signature_history(base, "stable", "5" * 16, {"core_key": "c" * 32})
    assert (
        history_lines(history, of_a_core=True)[0]
        == "Seen once so far, host not known: this core itself"
    )
    other = signature_history(base, "stable", "5" * 16, {"core_key": "d" * 32})
    assert "without this core, which is not stored" in history_lines(other, of_a_core=True)[0]
    assert history_lines(other)[0] == "Seen once so far, host not known"
    assert history_lines(signature_history(base, "python", "9" * 16)) == [
        "No crash with this key is in this database"
    ]


def test_references_that_differ_by_addresses_alone_are_one_row() -> None:
    """A lock that 29 tasks wait for had 90 references, a screen of each kind."""
    tasks = [(f"0x{n:x}", "object", f"<coroutine f at 0x{n:x}>", "local self") for n in range(29)]
    others = [
        ("0xa0", "object", "Cache at 0xa0", ".lock"),
        ("0xb0", "object", "Cache at 0xb0", ".b"),
    ]
    first, *rest = _join_alike_rows([*tasks, *others])
    assert first == ("0x0", "object", "<coroutine f at 0x0> and 28 more like it", "local self")
    assert rest == others
    assert _join_alike_rows(tasks[:2]) == tasks[:2], "two take no more room than their number"
