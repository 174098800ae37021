# SPDX-License-Identifier: Apache-2.0
"""The corpus must be worth trusting: what the kernel says of each core agrees with its truth."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest
from support import interpreters
from support.cores import (
    CORPUS,
    FOLDERS,
    PROGRAMS,
    Made,
    NoCoreDumps,
    copy_sparse,
    corpus_programs,
    make_core,
    require_core_dumps,
    truncate,
    why_no_core_dumps,
)
from support.interpreters import Interpreter, discover, one_per_minor

PT_NOTE, NT_PRSTATUS = 4, 1
PROGRAM_NAMES = ["simple-memmove", "threads", "worker", "forked_child", "finalization"]

needs_cores = pytest.mark.skipif(why_no_core_dumps() is not None, reason=str(why_no_core_dumps()))


def statuses(core: Path) -> list[bytes]:
    """Return the NT_PRSTATUS descriptors in the order the kernel wrote them."""
    with core.open("rb") as handle:
        header = handle.read(64)
        offset, size, count = (
            *struct.unpack_from("<Q", header, 32),
            *struct.unpack("<HH", header[54:58]),
        )
        handle.seek(offset)
        table = [struct.unpack("<IIQQQQQQ", handle.read(size)) for _ in range(count)]
        note = next(entry for entry in table if entry[0] == PT_NOTE)
        handle.seek(note[2])
        data = handle.read(note[5])
    notes, at = [], 0
    while at + 12 <= len(data):
        name_size, size, kind = struct.unpack_from("<III", data, at)
        start = at + 12 + (name_size + 3) // 4 * 4
        if kind == NT_PRSTATUS:
            notes.append(data[start : start + size])
        at = start + (size + 3) // 4 * 4
    return notes


def tid(status: bytes) -> int:
    return int(struct.unpack_from("<i", status, 32)[0])


@needs_cores
@pytest.mark.parametrize("program", PROGRAM_NAMES)
@pytest.mark.parametrize("interpreter", one_per_minor(), ids=lambda interpreter: interpreter.id)
def test_kernel_agrees_with_the_truth(interpreter: Interpreter, program: str) -> None:
    made = make_core(interpreter, program)
    written = statuses(made.core)
    assert tid(written[0]) == made.truth["crashed"]
    assert {tid(path) for path in written} == {
        thread["native_id"] for thread in made.truth["threads"]
    }
    assert struct.unpack_from("<h", written[0], 12)[0] == made.truth["signal"]


@needs_cores
def test_true_lines_are_lines_of_the_source_that_ran() -> None:
    for interpreter in one_per_minor():
        made = make_core(interpreter, "lines")
        checked = [where(made, frame) for frame in made.truth["threads"][0]["frames"]]
        assert sum(1 for text in checked if text and "follow" in text) > 10


def where(made: Made, frame: list) -> str | None:
    """Return the source line of a frame of the program itself."""
    path = made.interpreter.outside(frame[2])
    if made.folder not in path.parents:
        return None
    return path.read_text(encoding="utf-8").splitlines()[frame[3] - 1]


@needs_cores
def test_a_core_is_made_once() -> None:
    interpreter = one_per_minor()[-1]
    first = make_core(interpreter, "simple")
    made_at = first.core.stat().st_mtime_ns
    assert make_core(interpreter, "simple").core.stat().st_mtime_ns == made_at
    filtered = make_core(interpreter, "simple", coredump_filter=0)
    assert filtered.core.stat().st_size < first.core.stat().st_size / 4


def test_every_program_is_in_the_corpus() -> None:
    # What programs import is named *bed.py, or library_values.py.
    # tools/fetch_aarch64.py, support/forks.py, hangs.py and others, and single tests list these.
    apart = (
        "aarch64_",
        "fork_",
        "hanging",
        "locks_",
        "real_",
        "shared_",
        "surroundings",
        "task_circles",
    )
    helpers = ("bed", "library_values")
    programs = [path for folder in FOLDERS for path in (PROGRAMS / folder).glob("*.py")]
    programs = [path for path in programs if not path.stem.endswith(helpers)]
    programs = [path for path in programs if not path.name.startswith(apart)]
    files = {str(path.relative_to(PROGRAMS)) for path in programs}
    assert files == {entry.file for entry in CORPUS}
    assert len({entry.name for entry in CORPUS}) == len(CORPUS)
    assert len(corpus_programs()) < len(corpus_programs(bench=True))


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("|/usr/lib/systemd/systemd-coredump %P", "pipe"), ("/var/crash/%e", "plain"), ("", "plain")],
)
def test_says_why_there_are_no_cores(tmp_path: Path, pattern: str, reason: str) -> None:
    (tmp_path / "pattern").write_text(pattern + "\n")
    with pytest.raises(NoCoreDumps, match=reason):
        require_core_dumps(tmp_path / "pattern")


def test_truncate_keeps_the_first_part_and_the_holes(tmp_path: Path) -> None:
    whole = tmp_path / "core"
    with whole.open("wb") as handle:
        handle.write(b"\x7fELF" + b"a" * 4092)
        handle.seek(64 << 20)
        handle.write(b"z" * 4096)
    part = truncate(whole, 0.5)
    assert part.stat().st_size == whole.stat().st_size // 2
    assert part.read_bytes()[:4096] == whole.read_bytes()[:4096]
    copy_sparse(whole, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == whole.read_bytes()
    assert (tmp_path / "copy").stat().st_blocks * 512 < 1 << 20


def test_discover_survives_a_damaged_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "interpreters"
    (broken / "probes").mkdir(parents=True)
    (broken / "probes" / "probe.json").write_text("[not json")
    (broken / "sid.json").write_text("{}")
    fake = broken / "sid" / "usr" / "bin" / "python3.14"
    fake.parent.mkdir(parents=True)
    fake.write_bytes(b"\x7fELF but nothing else")
    fake.chmod(0o755)
    monkeypatch.setenv("GDB_EPI_CACHE", str(tmp_path))
    monkeypatch.setattr(interpreters, "of_pyenv", lambda: iter(()))
    monkeypatch.setattr(interpreters, "of_system", lambda: iter(()))
    assert discover() == []


def test_a_script_on_path_is_no_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / "python3.12"
    shim.write_text("#!/bin/sh\nexit 1\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    paths = {candidate.path for candidate in interpreters.of_system()}
    assert shim not in paths


def test_paths_translate_both_ways(tmp_path: Path) -> None:
    installed = discover()
    if not installed:
        pytest.skip("no interpreter of CPython 3.8 to 3.15 is on this machine")
    below = installed[0]._replace(root=tmp_path)
    assert below.outside("/usr/bin/python3") == tmp_path / "usr/bin/python3"
    assert below.inside(tmp_path / "epi" / "x") == "/epi/x"
    own = installed[0]._replace(root=None)
    assert own.outside(sys.executable) == Path(sys.executable)
