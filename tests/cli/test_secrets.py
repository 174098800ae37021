# SPDX-License-Identifier: Apache-2.0
"""Secrets that a process had everywhere are nowhere in what leaves the machine."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from support.cores import Made
from support.interpreters import one_per_minor
from support.opening import made_or_skip, sysroot_of
from support.surroundings import ARGV_SECRET, surroundings

from gdb_epi.fleet.records.packing import unpack_record

HERE = [interpreter for interpreter in one_per_minor() if interpreter.root is None]


@pytest.fixture(scope="module", params=HERE[-1:], ids=lambda interpreter: interpreter.id)
def made(request: pytest.FixtureRequest) -> Made:
    return made_or_skip(request.param, surroundings(0))


@pytest.fixture
def planted(made: Made) -> dict[str, str]:
    """Each secret by the place where it was; all of them are in the core."""
    secrets = {**made.truth["secrets"], "argv": ARGV_SECRET}
    assert len(secrets) >= 11
    data = made.core.read_bytes()
    for place, secret in secrets.items():
        assert secret.encode() in data, f"{place}: not planted"
    return secrets


def leaks(text: str | bytes, secrets: dict[str, str]) -> list[str]:
    """Return the places whose secrets are in a text."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return sorted(place for place, secret in secrets.items() if secret.encode() in data)


def with_sidecars(made: Made, folder: Path, secrets: dict[str, str]) -> Path:
    """Put the core where a journal entry with the same secrets lies beside it."""
    core = folder / "core.1"
    core.symlink_to(made.core)
    entry = {
        "COREDUMP_PID": str(made.truth["pid"]),
        "COREDUMP_FILENAME": "core.1",
        "COREDUMP_ENVIRON": "\n".join(f"SECRET_{i}={s}" for i, s in enumerate(secrets.values())),
        "COREDUMP_CMDLINE": f"python app.py {secrets['argv']}",
        "COREDUMP_CWD": f"/home/{secrets['folder']}",
        "COREDUMP_OPEN_FDS": f"0:/home/{secrets['user']}/tokens",
        "_HOSTNAME": "node-3",
        "MESSAGE": f"Process dumped core: {secrets['message']}",
    }
    (folder / "core.1.journal.json").write_text(json.dumps(entry))
    return core


def triaged(shell: Any, made: Made, core: Path, *words: object) -> Any:
    sysroot = ("--sysroot", sysroot_of(made)) if sysroot_of(made) else ()
    done = shell.triage(core, *sysroot, *words)
    assert done.code == 0, done.err
    return done


def test_nothing_of_the_fleet_side_holds_a_secret(shell, made, planted, tmp_path):
    core = with_sidecars(made, tmp_path, planted)
    done = triaged(shell, made, core, "--format", "json")
    (record,) = done.records
    assert record["host"]["hostname"] == "node-3"  # the journal was read
    outputs = {"triage": done.out + done.err}
    outputs["screen"] = triaged(shell, made, core).out
    key = record["signature"]["group"]["value"]
    for words in (
        ("fleet", "top"), ("fleet", "show", key), ("fleet", "show", record["core_key"]),
        ("fleet", "seen", key), ("fleet", "export", "--output", "all.jsonl"), ("fleet", "new"),
        ("fleet", "trend", key), ("report", "--output", "report.html"),
    ):  # fmt: skip
        answer = shell(*words)
        assert answer.code == 0, (words, answer.err)
        outputs[" ".join(words)] = answer.out + answer.err
    outputs["all.jsonl"] = (tmp_path / "all.jsonl").read_text()
    outputs["report.html"] = (tmp_path / "report.html").read_text()
    for name, text in outputs.items():
        assert leaks(text, planted) == [], name
    assert record["core_key"] in outputs["all.jsonl"]


def test_the_database_file_holds_no_secret(shell, made, planted, tmp_path):
    """Its bytes, and the packed records inside of it."""
    triaged(shell, made, with_sidecars(made, tmp_path, planted), "--messages")
    files = [path for path in shell.data.rglob("*") if path.is_file()]
    assert shell.database in files
    for path in files:
        assert leaks(path.read_bytes(), planted) == [], path.name
    with sqlite3.connect(shell.database) as database:
        rows = database.execute("SELECT record FROM raw").fetchall()
    assert rows
    for (packed,) in rows:
        assert leaks(json.dumps(unpack_record(packed)), planted) == []


def test_a_message_is_parameterised(shell, made, planted, tmp_path):
    core = with_sidecars(made, tmp_path, planted)
    (record,) = triaged(shell, made, core, "--no-db", "--format", "json", "--messages").records
    exception = record["exception"]
    assert exception["type"] == "RuntimeError"
    assert exception["message"] == "login of <text> with <word> failed after <number> tries"
    assert leaks(json.dumps(record), planted) == []
    (plain,) = triaged(shell, made, core, "--no-db", "--format", "json").records
    assert "message" not in plain["exception"]


def test_stacks_without_locals_hold_no_secret_but_folders(shell, made, planted, tmp_path):
    """`--stacks` shows full file names, on the user's own request; values stay out."""
    core = with_sidecars(made, tmp_path, planted)
    done = triaged(shell, made, core, "--no-db", "--format", "json", "--stacks")
    assert set(leaks(done.out, planted)) <= {"folder", "user"}


def test_addresses_and_host_names_on_request(shell, made, planted, tmp_path):
    core = with_sidecars(made, tmp_path, planted)
    key = tmp_path / "key"
    key.write_bytes(b"0123456789abcdef0123456789abcdef\n")
    words = ("--no-db", "--format", "json", "--hmac-key-file", key, "--redact-addresses")
    (record,) = triaged(shell, made, core, *words).records
    (plain,) = triaged(shell, made, core, "--no-db", "--format", "json").records
    text = json.dumps(record)
    name = record["host"]["hostname"]
    assert name.startswith("hmac:") and "node-3" not in text and "node-17" not in text
    digest = hmac.new(key.read_bytes().strip(), b"node-3", hashlib.sha256).hexdigest()
    assert name == "hmac:" + digest[:32]
    assert record["signal"]["pc"] == "redacted" != plain["signal"]["pc"]
    for address in (plain["signal"]["pc"], f"{int(plain['signal']['pc'], 16):x}"):
        assert address not in text
    assert record["signal"]["fault_address"] == plain["signal"]["fault_address"]  # NULL stays
    assert record["signature"]["keys"] == plain["signature"]["keys"]
    redacted = {entry["what"] for entry in record["redaction"]}
    assert {"addresses", "host names"} <= redacted
    key.write_bytes(b"short\n")
    done = shell.triage(core, *words)
    assert done.code == 3 and "too short" in done.err
