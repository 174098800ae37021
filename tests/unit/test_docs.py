# SPDX-License-Identifier: Apache-2.0
"""The documents say what is there: commands, verbs, samples, the layer table, CI."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import gdb_epi.cli
from gdb_epi.cli.main import commands_of_gdb
from gdb_epi.cli.support.verb_tree import verb_tree
from gdb_epi.loader import load_commands
from gdb_epi.registry import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "commands" / "README.md").read_text(encoding="utf-8")
DOCUMENTS = ("README.md", "commands/README.md", "sample_cores/README.md", "ARCHITECTURE.md")
MAX_README = 200  # lines: a newcomer reads it whole; what is looked up stands in REFERENCE
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
RECIPES = (ROOT / "gdb_epi" / "RECIPES.md").read_text(encoding="utf-8")
MAX_ARCHITECTURE = 300  # lines


def test_every_command_is_in_the_reference() -> None:
    assert not load_commands()
    documented = set(re.findall(r"^\| `epi ([a-z-]+)", REFERENCE, re.MULTILINE))
    assert documented == set(COMMANDS)


def verbs() -> list[str]:
    return [" ".join(verb.words) for verb in verb_tree() if not verb.inner]


def test_every_verb_is_in_the_reference() -> None:
    assert len(verbs()) >= 6
    for verb in set(verbs()) - set(commands_of_gdb("gdb_epi.cli")):  # in the table of commands
        assert f"gdb-epi {verb}" in REFERENCE, verb


def test_the_readme_has_the_two_commands_and_ci_runs_the_second() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    assert blocks[0].count("\n") == 1, "the first command is one line"
    for part in ("pip install", "gdb-epi triage sample_cores/", "gdbinit --install"):
        assert part in blocks[0]
    assert blocks[1] == "bash tests/run\n"
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    calls = [
        line for line in script.splitlines() if line and not line.startswith(("#", "set", "cd"))
    ]
    assert calls == ["bash tests/run"]
    sample = re.search(r"sample_cores/\S+\.xz", blocks[0])
    assert sample is not None and (ROOT / sample[0]).is_file()


def test_the_readme_is_read_in_one_go() -> None:
    assert len(README.splitlines()) <= MAX_README
    for command in re.findall(r"`gdb-epi ([a-z][a-z-]*)", README):
        assert command in {verb.split()[0] for verb in verbs()} | set(COMMANDS), command


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_to_files_and_headings(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert links
    for link in links:
        path, _, heading = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), link
        headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE) if heading else []
        anchors = {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in headings}
        assert not heading or heading in anchors, link


def test_every_sample_is_described() -> None:
    table = (ROOT / "sample_cores" / "README.md").read_text(encoding="utf-8")
    folders = [p for p in (ROOT / "sample_cores").iterdir() if (p / "expected.json").is_file()]
    assert len(folders) >= 6
    for folder in folders:
        assert folder.name in table
        for name in ("README.md", "core.xz"):
            assert (folder / name).is_file(), f"{folder.name} has no {name}"
    assert sum(p.stat().st_size for p in (ROOT / "sample_cores").rglob("core.xz")) < 25 << 20


def test_the_schema_document_names_every_group() -> None:
    schema = json.loads((ROOT / "gdb_epi" / "record" / "schema" / "record-1.json").read_text())
    document = (ROOT / "gdb_epi" / "record" / "schema" / "SCHEMA.md").read_text(encoding="utf-8")
    for name in schema["properties"]:
        assert re.search(rf"\b{name}\b", document), name


MAX_UNRELEASED = 170  # lines: a page is read, an archive is not


def test_the_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.split(r"^## ", text, flags=re.MULTILINE)[1]
    assert newest.startswith(f"{gdb_epi.__version__}\n")
    # What is not released yet is read from top to bottom: by subject, what was wrong at the end.
    subjects = re.findall(r"^### (.*)$", newest, re.MULTILINE)
    assert len(subjects) > 4 and subjects[-1] == "No longer wrong"
    assert len(newest.splitlines()) <= MAX_UNRELEASED


def test_the_changelog_names_only_commands_that_are_there() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert not load_commands()
    named = set(re.findall(r"`epi ([a-z-]+)", text))
    assert named <= set(COMMANDS), named - set(COMMANDS)
    known_verbs = {verb.split()[0] for verb in verbs()}
    named = set(re.findall(r"`gdb-epi ([a-z][a-z-]*)", text))
    assert named <= known_verbs | set(COMMANDS), named - known_verbs  # GDB runs these


def test_the_layers_in_the_architecture_are_those_that_are_held() -> None:
    from test_architecture import LAYERS

    section = ARCHITECTURE.split("## Layers")[1].split("## Rules")[0]
    text = " ".join(section.split("\n\n")[2].split())
    written = [tuple(part.strip() for part in layer.split(",")) for layer in text.split("<-")]
    assert written == [tuple(layer) for layer in LAYERS]


def test_the_architecture_is_read_at_one_sitting() -> None:
    assert len(ARCHITECTURE.splitlines()) <= MAX_ARCHITECTURE


def test_every_module_that_the_architecture_names_is_there() -> None:
    """Recipes make files of their own; test_recipes.py follows them."""
    text = ARCHITECTURE + RECIPES.split("\n## Other things that grow")[1]
    named = set(re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:py|json|md))`", text))
    assert len(named) > 30
    folders = (ROOT, ROOT / "gdb_epi")
    assert sorted(n for n in named if not any((folder / n).is_file() for folder in folders)) == []
