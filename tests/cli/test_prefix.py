# SPDX-License-Identifier: Apache-2.0
"""`triage --prefix SIZE` reads no more of a core than that, and says what is missing."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from gdb_epi.target import elf

NATIVE = ("--native", "never", "--no-db")
PREFIX = 1 << 20


@pytest.mark.parametrize("packed", [False, True])
def test_the_head_is_a_core_that_was_cut(shell, tmp_path: Path, core_bytes, packed) -> None:
    path = tmp_path / "core.7"
    path.write_bytes(gzip.compress(core_bytes, 1) if packed else core_bytes)
    cut = tmp_path / "cut"
    cut.write_bytes(core_bytes[:PREFIX])
    words = ("--format", "json", *NATIVE)
    (record,) = shell.triage(path, "--prefix", "1M", *words).records
    (of_cut,) = shell.triage(cut, *words).records
    assert record["truncated"]["flag"] is True
    assert record["truncated"] == of_cut["truncated"]
    for group in ("signature", "verdict", "threads", "signal"):
        assert record[group] == of_cut[group], group
    whole = "" if packed else f" of {len(core_bytes)}"
    notes = [e["message"] for e in record["soft_errors"] if "--prefix" in e["message"]]
    assert notes == [
        f"only its first {PREFIX} bytes{whole} were read (--prefix): what lies behind is missing"
    ]


def test_a_smaller_core_is_read_whole(shell, core: Path) -> None:
    (record,) = shell.triage(core, "--prefix", "64M", "--format", "json", *NATIVE).records
    (whole,) = shell.triage(core, "--format", "json", *NATIVE).records
    assert record["signature"] == whole["signature"]
    assert record["truncated"]["flag"] is False
    assert record["soft_errors"] == whole["soft_errors"]


def test_the_screen_says_that_it_was_on_purpose(shell, core: Path) -> None:
    done = shell.triage(core, "--prefix", "1M", *NATIVE)
    printed = " ".join(done.out.split())
    assert done.code == 0
    assert " MB of the core: not read (--prefix)" in printed
    assert "all of the core: gdb-epi triage " in printed
    assert "ulimit" not in printed  # nothing is wrong with the file


def test_notes_behind_the_prefix(shell, tmp_path: Path, core_bytes) -> None:
    """GDB's gcore writes them last: then the head says nothing of threads."""
    moved = bytearray(core_bytes)
    header = elf.parse_header(core_bytes[:64])
    assert header is not None
    for number in range(header.phnum):
        at = header.phoff + number * header.phentsize
        fields = list(elf.PHDR.unpack_from(moved, at))
        if fields[0] == elf.PT_NOTE:
            note, fields[2] = moved[fields[2] : fields[2] + fields[5]], len(moved)
            elf.PHDR.pack_into(moved, at, *fields)
            moved += note
    path = tmp_path / "core.gdb"
    path.write_bytes(moved)
    done = shell.triage(path, "--prefix", "1M", *NATIVE)
    printed = " ".join(done.out.split())
    assert "It lists no thread. The part of it that was read (--prefix) holds none" in printed


@pytest.mark.parametrize(("word", "why"), [("100", "less than 4096 bytes"), ("x", "not a number")])
def test_wrong_sizes(shell, core: Path, word: str, why: str) -> None:
    done = shell.triage(core, "--prefix", word)
    assert done.code == 2 and why in done.err
