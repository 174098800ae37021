# SPDX-License-Identifier: Apache-2.0
"""In a locale without Unicode everything is ASCII, readable, and no error; JSON stays JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from driver import ROOT, Done, Gdb, run_gdb, with_epi
from support.cores import Made
from support.opening import made_or_skip, newest_or_skip

from gdb_epi.render.escape import replace_missing_characters

CLI = (sys.executable, "-m", "gdb_epi.cli.main")
COMMANDS = (
    "epi triage", "epi bt", "epi frame 1", "epi locals", "epi tasks", "epi list",
    "set epi frames on", "bt -full", "print $epi_func()",
)  # fmt: skip


@pytest.fixture(scope="module")
def spoken() -> Made:
    """A core whose functions, variables, tasks and texts are not ASCII."""
    return made_or_skip(newest_or_skip(), "not_ascii")


def typed(gdb: Gdb, made: Made, locale: str) -> Done:
    """Run the commands; what is typed is ASCII, for GDB itself reads nothing else in a C locale."""
    env = {"LC_ALL": locale}
    return run_gdb(gdb, *with_epi(*COMMANDS), exe=made.executable, core=made.core, env=env)


def test_gdb_without_unicode(gdb: Gdb, spoken: Made) -> None:
    plain = typed(gdb, spoken, "C")
    assert plain.stdout.isascii() and plain.stderr.isascii(), plain.text
    assert "internal error" not in plain.stderr and "Traceback" not in plain.stderr
    assert "Unicode" not in plain.stderr, plain.text
    assert "gr\\xfc\\xdfe = 'caf\\xe9 \\u2192'" in plain.stdout
    assert "\\udc" not in plain.stdout  # not UTF-8 taken for something else
    rich = typed(gdb, spoken, "C.UTF-8")
    assert "grüße = 'café →'" in rich.stdout, rich.text


def test_trees_are_drawn_and_values_escaped() -> None:
    assert replace_missing_characters("├── é\n└── →", "ANSI_X3.4-1968") == "|-- \\xe9\n`-- \\u2192"
    assert replace_missing_characters("é\udc80\U0001f600", "latin-1") == "é\\udc80\\U0001f600"
    assert (
        replace_missing_characters("é", "no such set") == "\\xe9"
        and replace_missing_characters("é", "utf-8") == "é"
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_the_shell_command(spoken: Made, locale: str) -> None:
    def run(*words: object) -> str:
        env = {"PATH": "/usr/bin", "LC_ALL": locale, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([*CLI, *map(str, words)], capture_output=True, env=env, check=True)
        return done.stdout.decode("utf-8")

    text = run("stacks", spoken.core)
    assert ("tür" in text) if "UTF" in locale else ("t\\xfcr" in text and text.isascii())
    assert json.loads(run("stacks", "--json", spoken.core))["threads"]


def test_a_file_is_always_utf_8(one_gdb: Gdb, spoken: Made, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_gdb(
        one_gdb, *with_epi(f"epi bt --output {out}"), exe=spoken.executable, core=spoken.core,
        env={"LC_ALL": "C"},
    )  # fmt: skip
    assert "tür" in out.read_text(encoding="utf-8")
