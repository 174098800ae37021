# SPDX-License-Identifier: Apache-2.0
"""Each finding has a page, and `epi explain` shows it."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

import gdb_epi.detectors
from commands.signature import KEYS
from gdb_epi.cli.support.open_core import open_core
from gdb_epi.corruption import score
from gdb_epi.corruption.explanation_pages import items_with_pages, read_corruption_page
from gdb_epi.detectors.finding_pages import SECTIONS, finding_page, label_page, page_names
from gdb_epi.detectors.registry import DETECTORS
from gdb_epi.errors import Absent, UsageError
from gdb_epi.judgement.labels import LABELS
from gdb_epi.loader import import_all_modules, load_commands
from gdb_epi.locks import types
from gdb_epi.registry import COMMANDS
from gdb_epi.session import Session
from gdb_epi.signature.keys import DIGITS


def run(finding: str | None, *, whole: bool = True) -> list[str]:
    assert not load_commands()
    report = COMMANDS["explain"].run(Session(None), Namespace(finding=finding, all=whole))
    return [str(line) for line in report.lines] + [str(row) for row in report.rows]


def test_every_finding_has_a_page_and_every_page_a_finding() -> None:
    assert not import_all_modules(gdb_epi.detectors)
    assert set(page_names()) == set(DETECTORS)
    for name in page_names():
        page = finding_page(name)
        assert isinstance(page, str)
        assert page.startswith(f"# {name}: ")
        places = [page.find(f"\n{section}\n") for section in SECTIONS]
        assert -1 not in places and places == sorted(places), name


@pytest.mark.parametrize("label", LABELS)
def test_every_label_of_a_verdict_has_a_page(label: str) -> None:
    """Who read "damaged-memory" on a screen and asked for it was told: no such page."""
    page = label_page(label)
    assert isinstance(page, str) and page.startswith(f"# {label}: ")
    places = [page.find(f"\n## {part}\n") for part in ("What it says", "What to do next")]
    assert -1 < places[0] < places[1]
    assert run(label)[0].endswith(f" ({label})") and run(label.replace("-", "_")) == run(label)


def test_the_page_on_inherited_locks_names_each_verdict() -> None:
    page = finding_page("forked_child_lock")
    assert isinstance(page, str)
    for verdict in (
        types.INHERITED_OWNER_VANISHED,
        types.INHERITED_HOLDER_FRAME_VANISHED,
        types.OWN_LOCK_UNDER_OLD_TID,
        types.GIL_INHERITED,
        types.INHERITED_INTERNAL_LOCK,
        types.PROBABLE_INHERITED,
    ):
        assert f"| {verdict} |" in page


def test_explain_lists_and_shows() -> None:
    assert any("lost_wakeup" in line for line in run(None))
    page = run("lost-wakeup")
    assert page[0].endswith(" (lost_wakeup)") and page[0][0].isupper()
    assert "What to do next" in page and not any(line.startswith(("#", "|")) for line in page)
    (row,) = [line for line in run("forked_child_lock") if line.startswith("- own-lock-under")]
    assert ": " in row, "a row of a table is an entry of a list"


def test_without_a_core_the_short_list_says_where_all_pages_are() -> None:
    """A list of 197 pages answered who asked without a name."""
    first, rest = run(None, whole=False)
    assert first == "No core is loaded." and rest.endswith("epi explain --all")


def test_without_a_name_the_findings_of_the_core_are_listed() -> None:
    """Each with the line to type; the graded signs, whose titles name other signs, are left out."""
    core = Path(__file__).resolve().parents[2] / "sample_cores" / "flipped-pointer-bit" / "core.xz"
    assert not load_commands()
    with open_core(str(core), None, None) as target:
        report = COMMANDS["explain"].run(Session(target), Namespace(finding=None, all=False))
    lines = list(map(str, report.lines))
    at = lines.index("      epi explain R15")
    assert lines[at - 1].startswith("- A container names no object, and one bit away")
    assert "      epi explain pointer_one_bit_off" in lines
    assert len(lines) < 12 and not any("- As P" in line for line in lines)


def test_each_weight_is_shown_with_its_origin() -> None:
    table = score.load_weights().items
    for item in table.values():
        page = read_corruption_page(item.id)
        assert isinstance(page, str) and f"Weight: {item.llr:+g}: " in page, item.id
        assert f"Where the weight comes from: {item.origin}" in page, item.id
    null = table["S:null_dereference"]
    assert f"- {null.id} ({null.llr:+g}): {null.origin}" in run("null_dereference")
    (line,) = (text for text in run("trap_instruction") if text.startswith("- trap_instruction: "))
    assert "speaks for software" in line and " programs: " in line
    for name in page_names():
        lines = run(name)
        assert (
            len(lines)
            > lines.index("What it counts in the verdict, and where the number comes from") + 2
        ), name


def test_a_page_that_is_asked_for_first_has_the_weights_of_its_finding() -> None:
    """In a new GDB `epi explain stuck_waiting` said that it has no weight."""
    asked = (
        "from argparse import Namespace; from gdb_epi.loader import load_commands\n"
        "from gdb_epi.registry import COMMANDS; from gdb_epi.session import Session\n"
        "load_commands(); words = Namespace(finding='stuck_waiting', all=True)\n"
        "print(*COMMANDS['explain'].run(Session(None), words).lines)"
    )
    shown = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout
    assert "stuck_waiting:peer: speaks for hang" in shown and "measured on 1 program:" in shown


def test_a_page_ends_with_how_to_see_its_weights() -> None:
    *page, last = run("stuck_waiting", whole=False)
    assert last == "How much it counts in the verdict: epi explain stuck_waiting --all"
    assert not any("measured on" in line or "log10" in line for line in page)
    *page, last = run("R15", whole=False)
    assert last == "How much it counts in the verdict: epi explain R15 --all"
    assert not any("log10" in line for line in page)


@pytest.mark.parametrize("name", ["no_such_finding", "../../errors", "docs/lost_wakeup", ""])
def test_other_names_are_refused(name: str) -> None:
    assert isinstance(finding_page(name), Absent)
    if name:
        with pytest.raises(UsageError):
            run(name)


def test_every_item_and_word_of_corruption_has_a_page() -> None:
    words = (score.PROVEN, score.STRONG, score.WEAK, score.AMBIGUOUS, score.NONE)
    for name in (*items_with_pages(), *words, score.SOFTWARE_LIKE):
        page = read_corruption_page(name)
        assert isinstance(page, str), name
        places = [page.find(f"\n{section}\n") for section in SECTIONS]
        assert page.startswith("# ") and -1 not in places and places == sorted(places), name
    assert any("R1" in line for line in run(None))
    assert "Weight: " in "\n".join(run("r1")) and "Weight: " in "\n".join(run("S:poison"))
    assert run("proven-corruption")[0].endswith(" (proven-corruption)")
    for name in ("R99", "docs/R1", "", "../pages"):
        assert isinstance(read_corruption_page(name), Absent)


def test_the_signature_begins_with_the_key_to_use_and_says_what_each_has_in_common() -> None:
    assert not load_commands()
    core = Path(__file__).resolve().parents[2] / "sample_cores" / "flipped-pointer-bit" / "core.xz"
    with open_core(str(core), None, None) as target:
        report = COMMANDS["signature"].run(Session(target), Namespace(explain=False))
    lines, signed = list(map(str, report.lines)), report.data
    assert signed is not None
    assert lines[0] == f"The same crash has the same key: {signed['group']['value']}"
    assert lines[1].endswith(f"gdb-epi fleet seen {signed['group']['value']}")
    for name, text in signed["text"].items():
        at = lines.index(f"  {text}")
        assert lines[at - 1].split()[:2] == [name, signed["keys"][name]]
        assert len(lines[at - 1].split()) > 4, "what crashes with the same key have in common"
    assert set(KEYS) == set(DIGITS)
