# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi resign`: stored frames give the keys that the core gave, and those of new rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cores import find_core, why_no_core_dumps
from support.shell import ROOT, SAMPLES, Shell

from gdb_epi.resign import signature as resigned
from gdb_epi.resign.files import resign_file
from gdb_epi.signature import keys as k
from gdb_epi.signature.drop_sets import load_drop_sets

NAMES = (
    "null-deref-ctypes",
    "null-deref-py39",
    "c-stack-overflow",
    "forked-child-inherited-lock",
    "flipped-pointer-bit",
    "failed-assertion",
)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Records of real cores, with native frames where the samples' interpreters are here."""
    shell = Shell(tmp_path_factory.mktemp("records"))
    cores = [SAMPLES / name / "core.xz" for name in NAMES]
    if missing := [core for core in cores if not core.exists()]:
        pytest.skip(f"{missing[0]} is missing")
    done = shell("triage", *cores, "--no-db", "--format", "json", "--jobs", 1)
    assert done.code == 0, done.err
    return done.records


HANG = """
import os, signal, threading
from support.waiting import until_asleep
parent = os.getpid()
def spin():
    while True: pass
spinner = threading.Thread(target=spin, daemon=True)
spinner.start()
if os.fork() == 0:
    until_asleep(parent, but=spinner.native_id)
    os.kill(parent, signal.SIGABRT)
    os._exit(0)
threading.Event().wait()
"""
GENERATED = """
import ctypes, mmap
memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
strlen = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p).value
# mov rax, strlen; xor edi, edi; call rax: a frame without a frame pointer, as GDB assumes it.
memory.write(b"\\x48\\xb8" + strlen.to_bytes(8, "little") + b"\\x31\\xff\\xff\\xd0\\xc3")
start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
ctypes.CFUNCTYPE(None)(start)()
"""
ASSERTION = """
import ctypes
ctypes.CDLL(None).__assert_fail(b"x > 0", b"a.c", 3, b"check_balance")
"""


@pytest.mark.parametrize(
    ("program", "line", "word"),
    [
        (HANG, "native", "killed-external"),
        (GENERATED, "native", "anon-exec"),
        (ASSERTION, "stable", "abort-assert check_balance"),
    ],
    ids=["hang", "generated", "assertion"],
)
def test_stored_facts_give_the_native_keys(
    shell: Shell, tmp_path: Path, program: str, line: str, word: str
) -> None:
    """The signed thread is not the first one; code of no file; a function that is no frame."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    start = ["sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh", sys.executable, "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    subprocess.run(start, cwd=tmp_path, capture_output=True, env=environment)
    (core,) = find_core(tmp_path)
    words = ("--no-db", "--format", "json", "--native", "always", "--exe", sys.executable)
    done = shell("triage", core, *words)
    assert done.code == 0, done.err
    (record,) = done.records
    signature, crashed = record["signature"], record["threads"]["crashed"]
    assert word in signature["text"][line], signature
    assert (signature["thread"]["tid"] != crashed["tid"]) == (program is HANG)
    resigned_record = resigned.resign(record)
    assert resigned_record.changed == () and not set(resigned_record.unable) & set(
        signature["keys"]
    ), resigned_record.unable


class NewRules:
    """The next version of the signature: another number, and one more function is dropped."""

    def __init__(self, patch: pytest.MonkeyPatch, dropped: str) -> None:
        sets = load_drop_sets()
        names = {**sets.python_names, dropped: "test"}
        patch.setattr(k, "VERSION", "gsig/3")
        patch.setattr(resigned, "load_drop_sets", lambda: sets._replace(python_names=names))


def write(path: Path, records: list[dict[str, Any]], form: str) -> Path:
    lines = [json.dumps(record) for record in records]
    texts = {
        "lines": "\n".join(lines) + "\n",
        "array": json.dumps(records, indent=1),
        "one": lines[0],
    }
    path.write_text(texts[form])
    return path


def test_the_same_rules_change_nothing(
    shell: Shell, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = write(tmp_path / "r.jsonl", records, "lines")
    before = path.read_bytes()
    done = shell("resign", path, "--json")
    answer = json.loads(done.out)
    assert done.code == 0, done.err
    assert (answer["records"], answer["changed"], answer["keys"]) == (len(NAMES), 0, {})
    assert shell("resign", path, "--apply").code == 0
    assert path.read_bytes() == before
    made = sum(len(record["signature"]["text"]) for record in records)
    native = sum(record["signature"]["native"] for record in records)
    assert made >= max(2 * native, 1), "the samples have keys to compare"


@pytest.mark.parametrize("form", ["lines", "array", "one"])
def test_new_rules_in_files(
    records: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    path = write(tmp_path / "r.json", records, form)
    os.chmod(path, 0o640)
    before = path.read_bytes()
    dropped = records[0]["signature"]["text"]["python"].split(" py:")[1].split(" ")[0]
    NewRules(monkeypatch, dropped)
    seen: list[resigned.ResignedSignature] = []
    resign_file(str(path), lambda _record, signature, _judged: seen.append(signature), apply=False)
    assert path.read_bytes() == before, "a dry run writes nothing"
    assert all(signature_change.signature is not None for signature_change in seen)
    resign_file(str(path), lambda *_: None, apply=True)
    text = path.read_text()
    new = json.loads(text) if form != "lines" else [json.loads(x) for x in text.splitlines()]
    first = new[0] if isinstance(new, list) else new
    old = records[0]["signature"]
    assert first["signature"]["version"] == "gsig/3"
    assert first["signature"]["text"]["python"].startswith("gsig/3 python ")
    assert dropped not in first["signature"]["text"]["python"].split(" ")[3]
    assert first["signature"]["previous"][0]["text"] == old["text"], "the old one is kept"
    assert path.stat().st_mode & 0o777 == 0o640
    once = path.read_bytes()
    again: list[resigned.ResignedSignature] = []
    resign_file(str(path), lambda _record, signature, _judged: again.append(signature), apply=True)
    assert path.read_bytes() == once and all(
        signature_change.signature is None for signature_change in again
    )
    assert not list(tmp_path.glob(".resign-*"))


def test_the_database(
    shell: Shell, records: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")
    from gdb_epi.fleet.store.database import open_database
    from gdb_epi.resign.files import resign_database

    path = write(tmp_path / "r.jsonl", records, "lines")
    database = tmp_path / "fleet.sqlite3"
    assert shell("fleet", "ingest", path, "--db", database).code == 0
    done = shell("resign", "--db", database, "--json")
    assert json.loads(done.out)["changed"] == 0, done.out
    NewRules(monkeypatch, records[0]["signature"]["text"]["python"].split(" py:")[1].split(" ")[0])
    for apply, changed in ((False, len(NAMES)), (False, len(NAMES)), (True, len(NAMES)), (True, 0)):
        seen: list[resigned.ResignedSignature] = []
        with open_database(str(database), write=apply) as engine:
            resign_database(
                engine, lambda _record, signature, _judged: seen.append(signature), apply=apply
            )
        assert len(seen) == len(NAMES)
        assert sum(signature_change.signature is not None for signature_change in seen) == changed
    monkeypatch.undo()
    done = shell("fleet", "export", "--db", database)
    versions = {json.loads(line)["signature"]["version"] for line in done.out.splitlines()}
    assert versions == {"gsig/3"}
    import sqlite3

    with sqlite3.connect(database) as connection:
        query = "SELECT DISTINCT s.version FROM crash c JOIN sig s ON s.id = c.sig_id"
        assert connection.execute(query).fetchall() == [("gsig/3",)], "the tables follow"


def test_records_of_two_versions_live_side_by_side_until_they_are_resigned(
    shell: Shell, records: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same crash, once as 0.2 recorded it: two signatures, then one."""
    pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")
    new = records[0]
    old_signature = {**new["signature"], "version": "gsig/1", "keys": {}, "text": {}}
    monkeypatch.setattr(k, "VERSION", "gsig/1")
    for name, line in new["signature"]["text"].items():
        key = k.make_key(name, line.split(" ", 2)[2])
        old_signature["keys"][name], old_signature["text"][name] = key.value, key.text
    monkeypatch.undo()
    old_signature.pop("group")
    old = {**new, "core_key": "0" * 32, "signature": old_signature}
    path = write(tmp_path / "r.jsonl", [new, old], "lines")
    database = tmp_path / "fleet.sqlite3"
    assert shell("fleet", "ingest", path, "--db", database).code == 0
    for counts in ([1, 1], [2]):
        done = shell("fleet", "top", "--db", database, "--json")
        assert [row["crashes"] for row in json.loads(done.out)] == counts, done.out
        assert shell("resign", "--db", database, "--apply").code == 0


@pytest.mark.parametrize(
    "record",
    [{}, {"signature": 3}, {"signature": {"version": "gsig/2", "category": "trap", "thread": []},
      "threads": {"crashed": {"frames": [{"language": "native", "pc": "zz"}, 7, None]}}}],
)  # fmt: skip
def test_damaged_records(record: dict[str, Any]) -> None:
    assert not resigned.resign(record).changed


def test_what_is_no_record_stays(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"a": 1}\nnot json\n\n')
    before = path.read_bytes()
    assert shell("resign", path, "--apply").code == 0
    assert path.read_bytes() == before
    assert shell("resign", tmp_path / "none").code == 3
    assert shell("resign", path, "--db", "x").code == 2
