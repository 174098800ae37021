# SPDX-License-Identifier: Apache-2.0
"""Cores that lie elsewhere: streamed, named without secrets, judged as local ones are."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from support.shell import INTERRUPTIBLE, ROOT, Shell
from support.waiting import wait_until

from gdb_epi.cli.support.remote import (
    _without_secrets,
    file_name_of_url,
    is_url,
    strip_credentials,
)
from gdb_epi.suggestions import install_command

SECRETS = ("s3cret", "abcdef0123", "ann")
HANGING_GDB = '#!/bin/sh\necho $PPID >> "{pids}"\nexec sleep 1000\n'
IN_MEMORY = """
import sys
import fsspec
from gdb_epi.cli.main import main

memory = fsspec.filesystem("memory")
for path in sys.argv.pop(1).split(":"):
    with open(path, "rb") as file:
        memory.pipe("/cores/" + path.rpartition("/")[2], file.read())
memory.pipe("/cores/notes.txt", b"no core")
raise SystemExit(main())
"""


@pytest.mark.parametrize(
    ("url", "shown", "name"),
    [
        ("s3://bucket/a/core.zst", "s3://bucket/a/core.zst", "core.zst"),
        ("s3://bucket/core.?", "s3://bucket/core.?", "core.?"),
        ("https://h/c?X-Sig=1&b", "https://h/c?***", "c"),
        ("https://h/c?token", "https://h/c?***", "c"),
        ("https://h/c#token", "https://h/c?***", "c"),
        ("https://u:p@h:1/c", "https://***@h:1/c", "c"),
        ("https://u:p@x@h/c@d", "https://***@h/c@d", "c@d"),
        ("abfs://c/core?sig=1", "abfs://c/core?***", "core"),
    ],
)
def test_what_is_secret_of_an_address_is_masked(url: str, shown: str, name: str) -> None:
    assert (strip_credentials(url), file_name_of_url(url), is_url(url)) == (shown, name, True)


@pytest.mark.parametrize("name", ["core", "/a/core", "./s3:/x", "://x", "a b://x"])
def test_paths_are_no_addresses(name: str) -> None:
    assert not is_url(name)


def test_the_words_of_a_library_lose_the_secrets() -> None:
    url = "https://ann:s3cret%21@h/c?sig=abcdef0123%3D&x=1"
    words = f"403, message='no', url='{url}' for ann s3cret! (abcdef0123=)"
    assert not [secret for secret in SECRETS if secret in _without_secrets(words, url)]


def test_without_fsspec_it_says_what_to_install(shell: Shell) -> None:
    (shell.folder / "without").mkdir()
    (shell.folder / "without" / "fsspec.py").write_text("raise ImportError")
    shell.env["PYTHONPATH"] = f"{shell.folder / 'without'}:{ROOT}"
    done = shell("triage", "s3://bucket/core?sig=abcdef0123", "--no-db")
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "gdb-epi: s3://bucket/core?***: fsspec is not installed; "
        f"try: {install_command('objects')}\n"
    )


@pytest.fixture
def fetching(shell: Shell) -> Shell:
    """A shell whose Python has fsspec and aiohttp."""
    fsspec = pytest.importorskip("fsspec", reason="try: pip install 'gdb-epi[objects]'")
    pytest.importorskip("aiohttp", reason="try: pip install 'gdb-epi[objects]'")
    shell.env["PYTHONPATH"] += f":{Path(fsspec.__file__).parents[1]}"
    return shell


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A server on this machine that knows no ranges, and the folder it serves."""
    folder = tmp_path / "site"
    folder.mkdir()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> bytes:
            path = folder / os.path.basename(self.path.partition("?")[0])
            if not path.exists():
                self.send_error(404)
                return b""
            data = path.read_bytes()
            self.send_response(200)
            lost = 100 if path.name.startswith("cut") else 0
            self.send_header("Content-Length", str(len(data) + lost))
            self.end_headers()
            return data

        def do_HEAD(self) -> None:
            self.answer()

        def do_GET(self) -> None:
            with contextlib.suppress(ConnectionError):
                self.wfile.write(self.answer())
            self.close_connection = True

        def log_message(self, *_args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}", folder
    server.shutdown()
    server.server_close()
    thread.join()


def judged(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without what the store of its file says."""
    return {name: record[name] for name in record if name not in ("file", "time")}


@pytest.mark.heavy
def test_cores_of_a_web_server_are_judged_as_local_ones_and_leave_no_secret(
    fetching: Shell, site: tuple[str, Path], core: Path
) -> None:
    host, folder = site
    data = core.read_bytes()
    (folder / "core").write_bytes(data)
    (folder / "core.gz").write_bytes(gzip.compress(data, 1))
    words = ("--native", "never", "--format", "json")
    (expected,) = fetching("triage", core, "--no-db", "--no-sidecars", *words).records
    address = f"http://ann:s3cret@{host}/{{}}?X-Sig=abcdef0123"
    urls = [address.format(name) for name in ("core", "core.gz", "missing")]
    done = fetching("triage", *urls, *words)
    assert done.code == 3, done.err
    assert [judged(record) for record in done.records] == [judged(expected)] * 2
    assert [record["file"]["name"] for record in done.records] == ["core", "core.gz"]
    assert [record["file"]["compression"] for record in done.records] == [None, "gz"]
    assert "http://***@" in done.err and "missing?***: no such object" in done.err
    stored = b"".join(path.read_bytes() for path in fetching.data.iterdir() if path.is_file())
    for secret in SECRETS[:2]:
        assert secret not in done.out and secret not in done.err
        assert secret.encode() not in stored
    assert fetching.leftovers == []
    for verb in ("stacks", "corruption"):
        local, there = fetching(verb, core), fetching(verb, urls[1])
        assert (there.code, there.out) == (local.code, local.out)


@pytest.mark.parametrize("name", ["cut", "cut.gz"])
def test_a_transfer_that_ends_early_is_no_damaged_core(
    fetching: Shell, site: tuple[str, Path], core: Path, name: str
) -> None:
    host, folder = site
    data = core.read_bytes()
    (folder / name).write_bytes(gzip.compress(data, 1) if name.endswith("gz") else data)
    done = fetching("triage", f"http://{host}/{name}", "--no-db", "--native", "never")
    assert (done.code, done.out) == (3, "")
    (line,) = done.err.splitlines()
    assert line.startswith(f"gdb-epi: http://{host}/{name}: ") and "Traceback" not in line
    assert fetching.leftovers == []


def test_sizes_are_capped(fetching: Shell, site: tuple[str, Path], core: Path) -> None:
    host, folder = site
    (folder / "core").write_bytes(core.read_bytes())
    words = ("--no-db", "--native", "never", "--max-size", "1M")
    done = fetching("triage", f"http://{host}/core", *words)
    assert done.code == 3 and "unpacks to more than 1048576 bytes" in done.err
    assert fetching.leftovers == []


@pytest.mark.parametrize("pattern", ["memory://cores/*", "memory://cores/", "memory://cores/core*"])
def test_patterns_and_folders(fetching: Shell, core: Path, tmp_path: Path, pattern: str) -> None:
    packed = tmp_path / "core.2.gz"
    packed.write_bytes(gzip.compress(core.read_bytes(), 1))
    words = ["triage", pattern, "--no-db", "--native", "never", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-c", IN_MEMORY, f"{core}:{packed}", *words],
        capture_output=True,
        env=fetching.env,
        cwd=fetching.folder,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    names = [json.loads(line)["file"]["name"] for line in done.stdout.splitlines()]
    assert names == sorted([core.name, packed.name])
    assert fetching.leftovers == []


def test_an_address_of_a_file_is_its_path(shell: Shell, core: Path) -> None:
    words = ("--no-db", "--native", "never", "--format", "json")
    expected = shell("triage", core, *words)
    assert shell("triage", f"file://{core}", *words) == expected
    assert shell("triage", f"file://{core.parent}/{core.name[:-1]}[{core.name[-1]}]", *words) == (
        expected
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_was_fetched_is_removed_at_the_end(
    fetching: Shell, site: tuple[str, Path], core: Path, number: signal.Signals
) -> None:
    host, folder = site
    (folder / "core").write_bytes(core.read_bytes())
    pids, gdb = fetching.folder / "pids", fetching.folder / "gdb"
    gdb.write_text(HANGING_GDB.format(pids=pids))
    gdb.chmod(0o755)
    words = ("triage", f"http://{host}/core", "--gdb", gdb, "--no-db")
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *fetching.command(*words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=fetching.env,
        cwd=fetching.folder,
    )
    wait_until(lambda: pids.exists() and pids.read_text().strip(), what="GDB", during=process)
    assert fetching.leftovers != []
    process.send_signal(number)
    process.communicate(timeout=60)
    assert fetching.leftovers == []
