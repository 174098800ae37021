# SPDX-License-Identifier: Apache-2.0
"""One core, one signature: over GDBs, locales, inside and beside GDB, compressed, truncated."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from driver import Gdb, available_gdbs, read_json, run_gdb, with_epi
from support.cores import Made
from support.opening import core_of

from gdb_epi.cli.support.core_files import core_at
from gdb_epi.cli.support.examine import ExaminedCore, ExamineOptions, examine_here

FULL = ("exact", "strict", "stable", "coarse", "native", "python")
TAIL = 4096  # bytes at the end of a core: the vsyscall or vDSO page, behind all stacks


@cache
def locales() -> tuple[str, ...]:
    """C and two others; some whose rules differ where the machine has them."""
    words = ["locale", "-a"]
    hashes = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    wanted = ("C", "C.utf8", "tr_TR.utf8", "de_DE.utf8", "ja_JP.eucjp", "POSIX")
    return tuple(name for name in wanted if name in hashes)[:3]


def keys(record: dict[str, Any]) -> dict[str, str]:
    """Return the lines and hashes of a signature, and what it is about."""
    signature = record["signature"]
    assert not record["truncated"].get("unexpected")
    return {
        "category": signature["category"],
        **{f"{name} text": text for name, text in signature["text"].items()},
        **signature["keys"],
    }


def beside(core: Path, made: Made, gdb: str | None) -> dict[str, Any]:
    """Return the record that the shell command makes; without a GDB only its Python half."""
    native = "always" if gdb else "never"
    given = ExamineOptions(exe=str(made.executable), native=native, gdb=gdb)
    examined = examine_here(core_at(str(core)), given)
    assert isinstance(examined, ExaminedCore), examined
    return examined.record


@pytest.fixture(scope="module")
def reference(made: Made) -> dict[str, str]:
    signature_keys = keys(beside(made.core, made, available_gdbs()[0].path))
    assert set(FULL) <= set(signature_keys)
    assert "core_key" in signature_keys
    return signature_keys


@pytest.fixture(scope="module")
def made() -> Made:
    if not available_gdbs():
        pytest.skip("no GDB with Python 3.10 or later")
    return core_of("callbacks")


@pytest.mark.parametrize("locale", locales())
def test_in_gdb_in_every_locale(
    gdb: Gdb, locale: str, made: Made, reference: dict[str, str], tmp_path: Path
) -> None:
    commands = with_epi(f"epi record --json --output {tmp_path / 'record.json'}")
    done = run_gdb(
        gdb, *commands, exe=made.executable, core=made.core, env={"LC_ALL": locale, "LANG": locale}
    )
    assert done.returncode == 0, done.text
    assert keys(read_json(tmp_path / "record.json")) == reference


def test_beside_every_gdb(gdb: Gdb, made: Made, reference: dict[str, str]) -> None:
    assert keys(beside(made.core, made, gdb.path)) == reference


def test_the_python_half_without_gdb(made: Made, reference: dict[str, str]) -> None:
    signature_keys = keys(beside(made.core, made, None))
    assert signature_keys["python"] == reference["python"]
    assert signature_keys["core_key"] == reference["core_key"]
    assert not {"exact", "strict", "stable", "coarse", "native"} & set(signature_keys)


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_compressed(kind: str, made: Made, reference: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / f"core.{kind}"
    if kind == "zst":
        if shutil.which("zstd") is None:
            pytest.skip("no zstd program")
        subprocess.run(["zstd", "-q", "-1", str(made.core), "-o", str(copy)], check=True)
    else:
        data = made.core.read_bytes()
        packed = gzip.compress(data, 1) if kind == "gz" else lzma.compress(data, preset=0)
        copy.write_bytes(packed)
    assert keys(beside(copy, made, available_gdbs()[0].path)) == reference


def test_truncated_behind_the_stacks(made: Made, reference: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "core"
    shutil.copy(made.core, copy)
    os.truncate(copy, copy.stat().st_size - TAIL)
    record = beside(copy, made, available_gdbs()[0].path)
    assert record["truncated"]["flag"]
    assert keys(record) == reference


def test_elsewhere_and_under_another_name(
    made: Made, reference: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a b").mkdir()
    copy = tmp_path / "a b" / "core.of.someone"
    shutil.copy(made.core, copy)
    os.utime(copy, (1, 1))
    assert keys(beside(copy, made, available_gdbs()[0].path)) == reference


@pytest.mark.parametrize("late", [False, True], ids=["core-alone", "executable-after-core"])
def test_a_gdb_that_lacks_files_makes_no_other_key(
    gdb: Gdb, late: bool, made: Made, reference: dict[str, str], tmp_path: Path
) -> None:
    """GDB 13.1 does not find the executable itself, nor libraries if it comes after the core."""
    after = [f"file {made.executable}"] if late else []
    commands = with_epi(*after, f"epi record --json --output {tmp_path / 'record.json'}")
    done = run_gdb(gdb, *commands, core=made.core)
    assert done.returncode == 0, done.text
    record = read_json(tmp_path / "record.json")
    signature_keys = keys(record)
    assert signature_keys == {
        name: text for name, text in reference.items() if name in signature_keys
    }
    assert "python" in signature_keys and "category" in signature_keys
    if "stable" not in signature_keys:
        assert f"try: file {made.executable}" in str(record["soft_errors"])
