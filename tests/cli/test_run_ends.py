# SPDX-License-Identifier: Apache-2.0
"""How a run ends when something ends it: signals, files that shrink, memory, a full disk."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from support.shell import INTERRUPTIBLE, Shell
from support.waiting import wait_until

from gdb_epi.cli.native import cached_stacks
from gdb_epi.cli.support.core_files import CoreInput
from gdb_epi.cli.support.examine import ExamineOptions, examine_here

HANGING_GDB = '#!/bin/sh\necho $PPID >> "{pids}"\nexec sleep 1000\n'
CUTTING_GDB = """#!/bin/sh
case "$*" in *"--core={core}"*) truncate -s 4096 "{core}";; esac
exit 1
"""
SIGNAL_IN_A_PLUGIN = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "gdb_epi.detectors.file_ended":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGTERM)

sys.meta_path.insert(0, Finder())
"""
SIGNAL_IN_A_FINALIZER = """
import os, signal, sys

class Last:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})
        [None for _ in range(1000)]  # raised here, and dropped by the interpreter

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "gdb_epi.signature.sign":
            sys.meta_path.remove(self)
            Last()

sys.meta_path.insert(0, Finder())
"""
SHARED = 12 << 20  # bytes that all headers name
HEADERS = 100_000


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_core_that_is_cut_off_while_it_is_read_is_a_line(shell: Shell, core: Path) -> None:
    whole = core.read_bytes()
    gdb = script(shell.folder / "gdb", CUTTING_GDB.format(core=core))
    done = shell("triage", core, "--gdb", gdb, "--no-db")
    assert done.code == 3, done
    assert done.err.startswith("gdb-epi: a file became shorter while it was read: the core, or")
    assert shell.leftovers == []
    other = core.with_name("core.2")
    core.write_bytes(whole)
    other.write_bytes(whole)
    words = ("--gdb", gdb, "--native", "gdb", "--no-db", "--format", "json", "--jobs", 1)
    done = shell("triage", other, core, *words)
    assert done.code == 3
    assert [record["file"]["name"] for record in done.records] == ["core.2"]
    assert f"gdb-epi: {core}: a file became shorter while it was read" in done.err
    assert shell.leftovers == []


@pytest.mark.parametrize("signals", [[signal.SIGTERM] * 3, [signal.SIGINT] * 3, [signal.SIGKILL]])
def test_however_it_is_ended_nothing_unpacked_stays(
    shell: Shell, core: Path, signals: list[signal.Signals]
) -> None:
    pids = shell.folder / "pids"
    gdb = script(shell.folder / "gdb", HANGING_GDB.format(pids=pids))
    packed = core.with_name("core.gz")
    packed.write_bytes(gzip.compress(core.read_bytes(), 1))
    process = subprocess.Popen(
        [*INTERRUPTIBLE, *shell.command("triage", packed, "--gdb", gdb, "--no-db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.env,
        cwd=shell.folder,
    )
    wait_until(lambda: pids.exists() and pids.read_text().strip(), what="GDB", during=process)
    assert shell.leftovers, "the core is unpacked by now"
    reader = int(pids.read_text())
    for number in signals:
        # What the kernel kills for want of memory is the process that reads.
        with contextlib.suppress(ProcessLookupError):
            os.kill(reader if number == signal.SIGKILL else process.pid, number)
    _, complaints = process.communicate(timeout=60)
    codes = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: 1}
    assert process.returncode == codes[signals[0]], complaints
    assert b"Traceback" not in complaints
    assert (b"died by SIGKILL (out of memory?)" in complaints) == (signals == [signal.SIGKILL])
    assert shell.leftovers == []


def test_a_signal_while_plugins_are_loaded_ends_the_run(shell: Shell, core: Path) -> None:
    folder = shell.folder / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SIGNAL_IN_A_PLUGIN)
    packed = core.with_name("core.gz")
    packed.write_bytes(gzip.compress(core.read_bytes(), 1))
    path = os.pathsep.join((str(folder), shell.env["PYTHONPATH"]))
    done = shell.triage(packed, "--no-db", env={"PYTHONPATH": path})
    assert (done.code, done.out, done.err) == (143, "", "")
    assert shell.leftovers == []


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_signal_that_a_finalizer_drops_ends_the_run(
    shell: Shell, core: Path, name: str, code: int
) -> None:
    folder = shell.folder / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SIGNAL_IN_A_FINALIZER.format(name=name))
    packed = core.with_name("core.gz")
    packed.write_bytes(gzip.compress(core.read_bytes(), 1))
    gdb = script(shell.folder / "gdb", HANGING_GDB.format(pids=shell.folder / "pids"))
    words = shell.command("triage", packed, "--gdb", gdb, "--native", "gdb", "--no-db")
    path = os.pathsep.join((str(folder), shell.env["PYTHONPATH"]))
    done = subprocess.run(
        [*INTERRUPTIBLE, *words], env={**shell.env, "PYTHONPATH": path}, cwd=shell.folder,
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    message = "gdb-epi: interrupted\n" if name == "SIGINT" else ""
    assert (done.returncode, done.stdout, done.stderr) == (code, "", message)
    assert shell.leftovers == []


def test_a_core_that_takes_too_much_memory_costs_only_itself(shell: Shell, core: Path) -> None:
    other = core.with_name("core.2")
    other.write_bytes(core.read_bytes())
    done = shell.triage(core, other, "--no-db", "--max-memory", "12M")
    assert done.code == 1
    assert done.err.count("needs more than 12582912 bytes of memory; try: --max-memory") == 2
    assert shell.triage(core, other, "--no-db", "--max-memory", "1G").code == 0


def test_unpacking_leaves_room_on_the_disk(
    core_bytes: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gdb_epi.cli.support import unpack
    from gdb_epi.errors import EpiError

    packed = tmp_path / "core.gz"
    packed.write_bytes(gzip.compress(core_bytes, 1))
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(unpack, "RESERVE", 1 << 60)
    monkeypatch.setattr(unpack, "RESERVE_PART", 1)  # the whole disk is more than is free
    with pytest.raises(EpiError) as refused:
        unpack.unpack(str(packed), "gz", str(tmp_path / "out"), 64 << 30)
    assert "no room to unpack" in str(refused.value) and "would stay free" in str(refused.value)


def test_further_names_of_a_core_are_counted(shell: Shell, core: Path) -> None:
    folder = shell.folder / "cores"
    folder.mkdir()
    for number in range(3):
        os.link(core, folder / f"link.{number}")
    done = shell.triage(folder, core, "--no-db", "--format", "json")
    assert done.code == 0 and len(done.records) == 1
    assert "3 names of cores that have another name here; each core is read once" in done.err


@pytest.mark.parametrize("separator", [b"\n", b"\0"])
def test_a_list_of_cores_comes_on_standard_input(
    shell: Shell, core: Path, separator: bytes
) -> None:
    other = core.with_name("a core\nof two lines" if separator == b"\0" else "a core")
    other.write_bytes(core.read_bytes())
    names = separator.join(os.fsencode(path) for path in (core, other)) + separator
    done = shell.triage("-", "--no-db", "--format", "json", stdin=names)
    assert [record["file"]["name"] for record in done.records] == [core.name, other.name]
    done = shell.triage("-", "--no-db")
    assert done.code == 3 and "the list on stdin is empty" in done.err


def test_many_headers_over_the_same_bytes_are_searched_once(
    shell: Shell, core_bytes: bytes
) -> None:
    """12 MB with 100,000 headers never ended: each of them was searched."""
    path = shell.folder / "shared"
    path.write_bytes(with_shared_headers(core_bytes))
    shell.prefix = ["timeout", "110"]
    (record,) = shell.triage(path, "--no-db", "--format", "json").records
    (error,) = [e for e in record["soft_errors"] if e["subject"] == "program headers"]
    assert error["message"].startswith(f"{HEADERS - 1} program headers name bytes of the file that")


def with_shared_headers(core: bytes) -> bytes:
    """Return a core whose notes are real and whose mappings are all the same bytes."""
    at, count = struct.unpack_from("<Q", core, 32)[0], struct.unpack_from("<H", core, 56)[0]
    heads = [struct.unpack_from("<IIQQQQQQ", core, at + 56 * n) for n in range(count)]
    offset, size = next((head[2], head[5]) for head in heads if head[0] == 4)
    data = 64 + 56 * (HEADERS + 1)
    data += -data % 4096
    header = bytearray(core[:64])
    struct.pack_into("<QQ", header, 32, 64, data + SHARED)  # e_phoff, e_shoff
    struct.pack_into("<HHHHH", header, 54, 56, 0xFFFF, 64, 1, 0)  # PN_XNUM: section 0 has the count
    table = [struct.pack("<IIQQQQQQ", 4, 0, data, 0, 0, size, 0, 1)]
    for number in range(HEADERS):
        start = 0x10000000 + number * (SHARED + 4096)
        table.append(struct.pack("<IIQQQQQQ", 1, 6, data, start, 0, SHARED, SHARED, 4096))
    section = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, HEADERS + 1, 0, 0)
    body = core[offset : offset + size].ljust(SHARED, b"x")
    return b"".join([header, *table]).ljust(data, b"\0") + body + section


def test_a_question_to_gdb_about_its_settings_can_be_ended(
    core: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = []

    def answer(_frames: cached_stacks.CachedStacks) -> cached_stacks.StacksNamedFromCache:
        blocked.append(signal.pthread_sigmask(signal.SIG_BLOCK, []))
        return cached_stacks.StacksNamedFromCache({}, ())

    monkeypatch.setattr(cached_stacks.CachedStacks, "gdb_answer", answer)
    examine_here(CoreInput(str(core), None), ExamineOptions(gdb=sys.executable))
    assert blocked == [set()]
