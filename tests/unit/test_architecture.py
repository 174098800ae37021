# SPDX-License-Identifier: Apache-2.0
"""The rules that keep the tree a house (ARCHITECTURE.md, "Rules")."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    p for top in ("gdb_epi", "commands") for p in (ROOT / top).rglob("*.py") if p.is_file()
)
IDS = [str(p.relative_to(ROOT)) for p in SOURCES]
MAX_LINES = 700
OWNER_TOP_LEVEL = {
    "setup.py", "gdb_epi", "commands", "tests", "sample_cores", "README.md",
    "LICENSE", "CHANGELOG.md", "ARCHITECTURE.md",
}  # fmt: skip

# Each part may import the parts to its left, and itself. A name is the first folder or file below
# gdb_epi; files that are not named are values and errors, at the bottom.
LAYERS = (
    ("typing_lite", "util", "errors", "registry", "report", "loader", "x86"),
    ("target",),
    ("cpython",),
    ("fault",),
    ("locks",),
    ("process_state",),
    ("session",),
    ("detectors",),
    ("corruption",),
    ("judgement",),
    ("signature",),
    ("record", "textstacks"),
    ("analysis",),
    ("render",),
    ("fleet", "sidecars"),
    ("repro", "resign"),
    ("commands",),
    ("gdbhost", "cli"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    if relative.parts[0] == "commands":
        return "commands"
    return relative.parts[1].removesuffix(".py")


def imports(path: Path, *, typing_too: bool = False) -> set[str]:
    """Return the dotted names that a file imports; TYPE_CHECKING blocks are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            skipped |= {id(inner) for inner in ast.walk(node)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in skipped and not typing_too:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_only_gdbhost_imports_gdb(path: Path) -> None:
    if part_of(path) in ("gdbhost", "gdb_epi_bootstrap"):
        return
    assert not {n for n in imports(path, typing_too=True) if n == "gdb" or n.startswith("gdb.")}


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_imports_go_downward(path: Path) -> None:
    part = part_of(path)
    if part in ("__init__", "gdb_epi_bootstrap"):
        return
    assert part in RANK, f"{part} has no place in the layer table of this test"
    for name in imports(path):
        if not name.startswith("gdb_epi."):
            continue
        other = name.split(".")[1]
        if other in RANK:
            assert RANK[other] <= RANK[part], f"{part} imports {name}, which lies above it"


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_nobody_imports_commands(path: Path) -> None:
    if part_of(path) == "loader":
        return
    assert not {n for n in imports(path) if n.startswith(("commands", "gdb_epi.commands"))}


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_shape_of_files(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# SPDX-License-Identifier: Apache-2.0\n")
    assert ast.get_docstring(ast.parse(text)), "a module says what lives in it"
    assert text.count("\n") <= MAX_LINES


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_broad_excepts_only_at_boundaries(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.search(r"except\s*(?:\(?\s*(?:Base)?Exception\b|:)", line):
            assert "boundary" in line, f"{path.name}:{number}: {line.strip()}"


@pytest.mark.parametrize("path", SOURCES, ids=IDS)
def test_public_functions_say_what_they_do(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for item in inner:
            if not isinstance(item, ast.FunctionDef) or item.name.startswith("_"):
                continue
            if all(isinstance(s, ast.Expr) for s in item.body) and len(item.body) == 1:
                continue  # a protocol's method of one `...`
            doc = ast.get_docstring(item)
            assert doc, f"{path.name}: {item.name} has no docstring"
            assert doc.splitlines()[0].endswith((".", ":")), f"{path.name}: {item.name}"


def test_decoders_compare_no_versions() -> None:
    """Decoders ask a layout for a field; only finding the layout looks at versions."""
    for path in (ROOT / "gdb_epi" / "cpython").rglob("*.py"):
        if path.stem in ("find_runtime", "layout", "emit", "spec"):
            continue
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"version(?:_info|_hex)?\s*(?:[<>]=?|==)", text), path.name


def test_top_level_is_what_the_owner_fixed() -> None:
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    tops = {line.split("/")[0] for line in done.stdout.splitlines()}
    assert {top for top in tops if not top.startswith(".")} <= OWNER_TOP_LEVEL


def test_each_command_has_a_file_of_its_name() -> None:
    from gdb_epi.loader import load_commands
    from gdb_epi.registry import COMMANDS

    assert not load_commands()
    for name, command in COMMANDS.items():
        assert Path(command.run.__code__.co_filename).stem == name.replace("-", "_")
        assert command.summary.endswith(".")
