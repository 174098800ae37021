# SPDX-License-Identifier: Apache-2.0
"""The recipes of gdb_epi/RECIPES.md, followed to the letter in a scratch copy of the tree.

A recipe is a `###` section below "## Step by step". Its steps are fenced blocks, each introduced
by a line of these:

    New file `PATH`:                 the block is the whole file
    `PATH`, after `TEXT`:            the block goes behind the first line that holds TEXT
    Check:                           the block is shell commands that must succeed

so a recipe that lacks a step fails here, not at the desk of whoever follows it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "gdb_epi" / "RECIPES.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^(?:New file `(?P<new>[^`\n]+)`|`(?P<edited>[^`\n]+)`, after `(?P<anchor>[^\n]+)`"
    r"|(?P<check>Check)):\n"
    r"\n*```\w*\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Recipe(NamedTuple):
    title: str
    steps: list[re.Match[str]]


def recipes() -> list[Recipe]:
    text = PAGE.split("\n## Step by step\n")[1].split("\n## Other things that grow\n")[0]
    sections = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    return [Recipe(part.splitlines()[0].strip(), list(STEP.finditer(part))) for part in sections]


RECIPES = recipes()


def copy_of_the_tree(folder: Path) -> Path:
    """Copy the files that git tracks, as they are in the work tree; recordings are linked."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("not a git checkout: which files are the project's is not known")
    for name in listed.stdout.splitlines():
        source, copy = ROOT / name, folder / name
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    return folder


def follow(step: re.Match[str], tree: Path) -> None:
    if step["new"]:
        path = tree / step["new"]
        assert not path.exists(), f"{step['new']} is there already"
        path.write_text(step["body"], encoding="utf-8")
    elif step["edited"]:
        path = tree / step["edited"]
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        where = next((n for n, line in enumerate(lines, 1) if step["anchor"] in line), None)
        assert where is not None, f"{step['edited']} has no line with {step['anchor']!r}"
        lines[where:where] = step["body"].splitlines(keepends=True)
        path.write_text("".join(lines), encoding="utf-8")
    else:
        check(step["body"], tree)


def check(commands: str, tree: Path) -> None:
    path_of_tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euc", commands],
        cwd=tree, capture_output=True, text=True, check=False, timeout=600,
        env={**os.environ, "PYTHONPATH": str(tree), "PATH": path_of_tools},
    )  # fmt: skip
    assert done.returncode == 0, f"{commands}\n{done.stdout[-4000:]}{done.stderr[-2000:]}"


def test_every_recipe_ends_in_a_check() -> None:
    assert len(RECIPES) >= 8
    for recipe in RECIPES:
        assert recipe.steps and recipe.steps[-1]["check"], recipe.title


PYTEST = "python -m pytest -q "


def test_a_newcomer_follows_the_recipes(tmp_path: Path) -> None:
    """All in one copy, and each command of their checks once: the same tests end most of them."""
    tree = copy_of_the_tree(tmp_path / "gdb-epi")
    commands: dict[str, None] = {}
    tests: dict[str, None] = {}
    for step in (step for recipe in RECIPES for step in recipe.steps):
        if not step["check"]:
            follow(step, tree)
            continue
        for line in step["body"].splitlines():
            if line.startswith(PYTEST):
                tests |= dict.fromkeys(line.removeprefix(PYTEST).split())
            else:
                commands[line] = None
    assert len(tests) > len(RECIPES) and len(commands) > 3
    check("\n".join([*commands, PYTEST + " ".join(tests)]), tree)


@pytest.mark.heavy  # a quarter of a minute each; all of them in one copy are followed always
@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.title for recipe in RECIPES])
def test_a_newcomer_follows_the_recipe(recipe: Recipe, tmp_path: Path) -> None:
    tree = copy_of_the_tree(tmp_path / "gdb-epi")
    for step in recipe.steps:
        follow(step, tree)
