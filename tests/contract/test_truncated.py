# SPDX-License-Identifier: Apache-2.0
"""Cores cut off anywhere: no exception, what is left is decoded, what is missing is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cores import make_core, truncate
from support.interpreters import one_per_minor, own_interpreters
from support.opening import (
    interpreter_or_skip,
    made_or_skip,
    need_core_dumps,
    session_of,
    sysroot_of,
)

from gdb_epi.analysis import analyze
from gdb_epi.cli.main import main
from gdb_epi.errors import InputError
from gdb_epi.render.triage import Audience, render_triage
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

FRACTIONS = (0.0001, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999)


@pytest.mark.parametrize("identifier", [i.id for i in one_per_minor()])
def test_cut_at(identifier: str, tmp_path: Path) -> None:
    interpreter = interpreter_or_skip(identifier)
    made = made_or_skip(interpreter, "threads")
    whole = analyze(session_of(made))
    assert not whole["truncated"]["flag"]
    keys = set()
    for fraction in FRACTIONS:
        cut = truncate(made.core, fraction, tmp_path / f"cut-{fraction}")
        try:
            target = CoreFileTarget.open(cut, sysroot=sysroot_of(made))
        except InputError as error:
            assert cut.stat().st_size < 64, error
            continue
        record = analyze(Session(target))
        assert record["truncated"]["flag"] and record["truncated"]["missing_bytes"] > 0
        assert any(
            e["stage"] == "core" and "truncated" in e["message"] for e in record["soft_errors"]
        )
        assert record["verdict"]["label"]
        keys.add(record.get("core_key"))
    # The notes come first in a core: every cut that keeps them has the same key.
    assert keys - {None} == {whole["core_key"]}


def test_cut_bytes_are_never_taken_from_a_file(tmp_path: Path) -> None:
    """What the headers announce but the file lacks is absent where the mapping was writable."""
    need_core_dumps()
    interpreter = one_per_minor()[0]
    made = make_core(interpreter, "simple")
    cut = truncate(made.core, 0.3, tmp_path / "cut")
    target = CoreFileTarget.open(cut)
    whole = CoreFileTarget.open(made.core)
    lost = [
        region
        for region, full in zip(target.regions(), whole.regions(), strict=True)
        if region.dumped < full.dumped and "w" in region.perms
    ]
    assert lost
    for region in lost:
        assert target.provenance(region.start + region.dumped) == "absent"


def test_the_reason_blames_the_cut_and_not_a_file(tmp_path: Path) -> None:
    need_core_dumps()
    modern = [i for i in one_per_minor() if i.minor >= (3, 13)]
    if not modern:
        pytest.skip("no CPython 3.13 or later found")
    made = make_core(modern[0], "simple")
    cut = truncate(made.core, 0.01, tmp_path / "cut")
    record = analyze(Session(CoreFileTarget.open(cut, sysroot=sysroot_of(made))))
    messages = [e["message"] for e in record["soft_errors"] if e["stage"] == "python"]
    # Where the file tells the address (a static executable), the address was cut off.
    blame = ("what is left of the truncated core", "cut off")
    assert messages and all(any(word in message for word in blame) for message in messages)
    assert not any("before 3.13" in message for message in messages)


@pytest.mark.parametrize("identifier", [i.id for i in own_interpreters()[::2]])
def test_screens_of_a_cut_core_say_once_what_is_missing(
    identifier: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No addresses of gaps, one line for all threads of which nothing is left, and one screen."""
    made = made_or_skip(interpreter_or_skip(identifier), "threads")
    lost = ""
    for percent in (0, 5, 30, 60, 95):
        size = max(4096, made.core.stat().st_size * percent // 100)
        cut = tmp_path / f"cut{percent}.core"
        cut.write_bytes(made.core.read_bytes()[:size])
        main(["stacks", str(cut)])
        written = capsys.readouterr()
        shown = written.out + written.err
        lost += "".join(line for line in shown.splitlines() if "be read" in line)
        assert "cannot read" not in shown
        assert "(no Python frames)" not in shown
        assert shown.count(" of the core is missing: ") == 1
        lines = render_triage(analyze(Session(CoreFileTarget.open(cut))), Audience(core="cut.core"))
        screen = "\n".join(lines)
        assert screen.count(" of the core: ") == 1
        assert "cannot read" not in screen
        assert "is not a core dump" not in screen
        assert len(lines) <= 26
    assert "of them can be read, because" in lost or "threads cannot be read" in lost
