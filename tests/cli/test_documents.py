# SPDX-License-Identifier: Apache-2.0
"""What README and CASES show is what the commands print."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from support.console import ROOT, agrees, run, steps

from gdb_epi.target.corefile import CoreFileTarget

DOCUMENTS = ("README.md", "sample_cores/CASES.md")


@pytest.fixture(scope="module")
def missing_libc(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The C library that the samples were made with, where this machine has another one."""
    core = tmp_path_factory.mktemp("libc") / "core"
    packed = ROOT / "sample_cores" / "forked-child-inherited-lock" / "core.xz"
    core.write_bytes(lzma.decompress(packed.read_bytes()))
    modules = CoreFileTarget.open(str(core)).modules()
    return next(
        (m.path for m in modules if "libc.so" in m.path and not isinstance(m.file, str)), ""
    )


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_outputs_are_those_of_today(name: str, missing_libc: str, tmp_path: Path) -> None:
    if missing_libc:
        pytest.skip(f"the samples were made with another build of {missing_libc} (Debian 12's)")
    document = (ROOT / name).read_text(encoding="utf-8")
    shown = list(steps(document))
    assert len(shown) >= 3
    for step in shown:
        assert step.shown.strip(" .\n"), f"nothing is shown of {step.command}"
        printed = run(step.command, tmp_path)
        assert agrees(step.shown, printed), f"$ {step.command}\n{printed}"


def test_other_output_does_not_agree() -> None:
    assert agrees("a...c\n...\nz\n", "abc\nx\ny\nz\n")
    assert agrees("a\n...\n", "a\n")
    assert not agrees("a\nz\n", "a\nb\nz\n")
    assert not agrees("a...c\n", "abd\n")
    (step,) = steps("```console\n$ echo 'a\n> b'\na\nb\n```\n")
    assert step == ("echo 'a\nb'", "a\nb\n")
