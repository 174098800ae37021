# SPDX-License-Identifier: Apache-2.0
"""The rules that keep the tree a house (ARCHITECTURE.md, "Rules")."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    p for top in ("gdb_epi", "commands") for p in (ROOT / top).rglob("*.py") if p.is_file()
)
MAX_LINES = 700
MAX_FILES = 25  # of a folder
ONE_FILE_EACH = (  # a file for a command or a check, by rule 10
    ROOT / "commands",
    ROOT / "gdb_epi/corruption/checks",
)
OWNER_TOP_LEVEL = {
    "setup.py", "gdb_epi", "commands", "tests", "sample_cores", "README.md",
    "LICENSE", "CHANGELOG.md", "ARCHITECTURE.md",
}  # fmt: skip

# Each part may import the parts to its left, and itself. A name is the first folder or file below
# gdb_epi; files that are not named are values and errors, at the bottom.
LAYERS = (
    (
        "typing_lite",
        "json_lite",
        "util",
        "errors",
        "sizes",
        "argument_types",
        "suggestions",
        "private_files",
        "registry",
        "report",
        "loader",
        "lazy_pattern",
        "machine",
        "x86",
        "demangle",
    ),
    ("target",),
    ("cpython",),
    ("fault",),
    ("locks",),
    ("hangs",),
    ("process_state",),
    ("session", "expressions", "breakpoints"),
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
    ("pytest_plugin",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    if relative.parts[0] == "commands":
        return "commands"
    return relative.parts[1].removesuffix(".py")


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


class Facts(NamedTuple):
    """What the rules ask of a file."""

    imported: frozenset[str]  # dotted names
    imported_at_run_time: frozenset[str]  # without those of TYPE_CHECKING blocks
    names: frozenset[str]  # that stand in it: what can be imported from it is one of them
    undocumented: tuple[str, ...]  # the offences


@cache
def facts_of(path: Path) -> Facts:
    """Parse a file once. Trees are not kept: a thousand of them slow down whatever runs later."""
    tree = ast.parse(text_of(path))
    imported, typing, names = {}, set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported[id(node)] = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            full = (f"{node.module}.{alias.name}" for alias in node.names)
            imported[id(node)] = {node.module, *full}
        elif isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            typing |= {id(inner) for inner in ast.walk(node)}
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(each.asname or each.name).split(".")[0] for each in node.names}
    at_run_time = [some for key, some in imported.items() if key not in typing]
    return Facts(
        frozenset().union(*imported.values()), frozenset().union(*at_run_time),
        frozenset(names), tuple(undocumented(tree)),
    )  # fmt: skip


def undocumented(tree: ast.Module) -> Iterator[str]:
    """Yield what does not say what it is for."""
    if not ast.get_docstring(tree):
        yield "has no docstring that says what lives in it"
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in inner:
            if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
                continue
            if len(function.body) == 1 and isinstance(function.body[0], ast.Expr):
                continue  # a protocol's method of one `...`
            doc = ast.get_docstring(function)
            if not doc:
                yield f"{function.name} has no docstring"
            elif not doc.splitlines()[0].endswith((".", ":")):
                yield f"the docstring of {function.name} does not begin with a sentence"


def imports(path: Path, *, typing_too: bool = False) -> frozenset[str]:
    """Return the dotted names that a file imports; TYPE_CHECKING blocks are left out."""
    return facts_of(path).imported if typing_too else facts_of(path).imported_at_run_time


def check(offences: Callable[[Path], Iterable[str]], *, exempt: tuple[str, ...] = ()) -> None:
    """Hold every file against one rule; fail with all offenders, a line each.

    A rule is one test for all files: a test for each file made a quarter of the whole suite.
    """
    assert len(SOURCES) > 400
    offenders = [
        f"{path.relative_to(ROOT)}: {offence}"
        for path in SOURCES
        if part_of(path) not in exempt
        for offence in offences(path)
    ]
    assert not offenders, "\n" + "\n".join(offenders)


def test_only_gdbhost_imports_gdb() -> None:
    def offences(path: Path) -> Iterator[str]:
        for name in sorted(imports(path, typing_too=True)):
            if name == "gdb" or name.startswith("gdb."):
                yield f"imports {name}"

    check(offences, exempt=("gdbhost", "gdb_epi_bootstrap"))


def test_imports_go_downward() -> None:
    def offences(path: Path) -> Iterator[str]:
        part = part_of(path)
        if part not in RANK:
            yield f"{part} has no place in the layer table of this test"
            return
        for name in sorted(imports(path)):
            if name.startswith("gdb_epi."):
                other = name.split(".")[1]
                if RANK.get(other, 0) > RANK[part]:
                    yield f"{part} imports {name}, which lies above it"

    check(offences, exempt=("__init__", "gdb_epi_bootstrap"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == "gdb_epi" else ("gdb_epi", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("typing_too", [False, True], ids=["as it runs", "types too"])
def test_no_import_goes_in_a_circle(typing_too: bool) -> None:
    """Take away what imports nothing that is left, and what nothing left imports: circles stay.

    Imports inside functions count: a circle that only runs late is a circle.
    """
    modules = {module_name(path): path for path in SOURCES}
    left: dict[str, set[str]] = {}
    for name, path in modules.items():
        names = imports(path, typing_too=typing_too) & set(modules)
        # `from package import module` needs the module; that the package is named says nothing.
        left[name] = {n for n in names if not any(m.startswith(f"{n}.") for m in names)} - {name}
    size = 0
    while size != len(left):
        size = len(left)
        imported = set().union(*left.values()) if left else set()
        left = {name: needed & set(left) for name, needed in left.items() if name in imported}
        left = {name: needed for name, needed in left.items() if needed}
    assert not left, "\n".join(f"{name} -> {sorted(needed)}" for name, needed in left.items())


def test_a_folder_is_one_room() -> None:
    files = Counter(path.parent for path in SOURCES if path.parent not in ONE_FILE_EACH)
    assert {folder: n for folder, n in files.items() if n > MAX_FILES} == {}


def test_nobody_imports_commands() -> None:
    def offences(path: Path) -> Iterator[str]:
        for name in sorted(imports(path)):
            if name.startswith(("commands", "gdb_epi.commands")):
                yield f"imports {name}"

    check(offences, exempt=("loader",))


def test_shape_of_files() -> None:
    def offences(path: Path) -> Iterator[str]:
        if not text_of(path).startswith("# SPDX-License-Identifier: Apache-2.0\n"):
            yield "does not begin with its license"
        if text_of(path).count("\n") > MAX_LINES:
            yield f"has more than {MAX_LINES} lines"

    check(offences)


def test_broad_excepts_only_at_boundaries() -> None:
    def offences(path: Path) -> Iterator[str]:
        for number, line in enumerate(text_of(path).splitlines(), 1):
            broad = re.search(r"except\s*(?:\(?\s*(?:Base)?Exception\b|:)", line)
            if broad and "boundary" not in line:
                yield f"line {number}: {line.strip()}"

    check(offences)


def test_files_and_public_functions_say_what_they_do() -> None:
    check(lambda path: facts_of(path).undocumented)


# What looks at versions, by its task: it finds the layout, or gives a process the names it knows.
_FINDS_THE_LAYOUT = ("find_runtime", "layout", "emit", "spec")
_VERSION_COMPARED = re.compile(
    r"\bversion(?:_info|_hex)?(?:\[\S+\])?\s*(?:[<>]=?|[=!]=|\bin\b|\bnot in\b)"
    r"|(?:[<>]=?|[=!]=)\s*[\w.]*\blayout\.version\b"
)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("if self.decoder.layout.version < (3, 13):", True),
        ("if layout.version[1] >= 12:", True),
        ("new = (3, 11) <= reader.layout.version", True),
        ("if layout.version in OLD:", True),
        ("opcodes = opcodes_of_version(layout.version)", False),
        ("major, minor = layout.version", False),
    ],
)
def test_a_comparison_of_versions_would_be_seen(line: str, seen: bool) -> None:
    assert bool(_VERSION_COMPARED.search(line)) is seen


def test_decoders_compare_no_versions() -> None:
    """They ask a layout for a field, or the opcodes for an instruction (rule 5).

    That holds for every part that reads a process, up to the record.
    """

    def offences(path: Path) -> Iterator[str]:
        part = part_of(path)
        decoder = RANK["cpython"] <= RANK.get(part, 0) <= RANK["record"]
        if decoder and path.stem not in _FINDS_THE_LAYOUT:
            for number, line in enumerate(text_of(path).splitlines(), 1):
                if _VERSION_COMPARED.search(line):
                    yield f"line {number} compares versions: {line.strip()}"

    check(offences)


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


# --- the tests themselves -------------------------------------------------------------------------

# What is run by the tests or measures, and is no test: programs whose sleep is the point of them.
NO_TESTS = ("bench", "corruption", "gallery", "judgement", "programs", "readers", "tools")
WAITING = Path("support/waiting.py")
SLEEPS = {
    WAITING: "every wait goes through it",
    Path("unit/test_fleet_kills.py"): "writers are killed at any moment, whichever that is",
}
PATIENCE = 60  # seconds; on a busy machine what takes one takes many
CLOCKS = ("time.monotonic", "time.time", "time.perf_counter")
# Parsing all takes five seconds, and a file without any of these cannot offend.
HASTE = re.compile(rf"sleep\(|timeout=|\bwait\(|readline|{'|'.join(CLOCKS)}")


def test_no_test_hangs_on_the_speed_of_the_machine() -> None:
    """They wait for events, with a deadline that is far away (ARCHITECTURE.md, "Tests")."""
    offenders = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        place = path.relative_to(ROOT / "tests")
        text = path.read_text()
        if place.parts[0] not in NO_TESTS and HASTE.search(text):
            offenders += [f"tests/{place}:{what}" for what in hopes(ast.parse(text), place)]
    assert not offenders, "\n" + "\n".join(offenders)


def hopes(tree: ast.Module, place: Path) -> Iterator[str]:
    """Yield line and offence of what hangs on how fast a machine is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            if called in ("time.sleep", "sleep") and place not in SLEEPS:
                yield f"{node.lineno}: sleeps and hopes; take wait_until() of support.waiting"
            if (limit := limit_of(node, called)) is not None and limit < PATIENCE:
                yield f"{node.lineno}: gives up after {limit:g} s; a busy machine needs {PATIENCE}"
        if isinstance(node, ast.Assert) and place != WAITING:
            read = {dotted(n.func) for n in ast.walk(node.test) if isinstance(n, ast.Call)}
            if read.intersection(CLOCKS):
                yield f"{node.lineno}: asserts a time; that of the process is process_time()"
        if isinstance(node, ast.FunctionDef):
            for name in read_twice(node):
                yield f"{node.lineno}: {name}: communicate() does not give what readline() has read"


def dotted(node: ast.expr) -> str:
    """Return the source of an expression: ast.unparse() takes ten times as long for such names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ast.unparse(node)


def limit_of(call: ast.Call, called: str) -> float | None:
    """Return the seconds after which a wait for a process gives up, where they stand there."""
    method = called.rpartition(".")[2]
    if method not in ("run", "wait", "communicate", "check_output", "check_call", "call"):
        return None
    given = [keyword.value for keyword in call.keywords if keyword.arg == "timeout"]
    given += call.args[:1] if method == "wait" else []
    numbers = [node.value for node in given if isinstance(node, ast.Constant)]
    return next((float(n) for n in numbers if isinstance(n, int | float)), None)


def read_twice(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the buffered processes of which a function reads a line and then the rest."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    names = [dotted(node.func) for node in calls]
    buffers = [k.value for node in calls for k in node.keywords if k.arg == "bufsize"]
    if any(isinstance(size, ast.Constant) and size.value == 0 for size in buffers):
        return
    for name in names:
        owner, _, method = name.rpartition(".")
        process, _, stream = owner.rpartition(".")
        if method == "readline" and stream in ("stdout", "stderr"):
            if f"{process}.communicate" in names:
                yield process


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("time.sleep(0.3)", 1),
        ("process.communicate(timeout=30)", 1),
        ("process.wait(5)", 1),
        ("subprocess.run(words, timeout=59.5)", 1),
        ("assert time.monotonic() - begun < 20", 1),
        ("process.stdout.readline()\n    process.communicate(timeout=60)", 1),
        ("process.communicate(timeout=60)", 0),
        ("Popen(words, bufsize=0)\n    process.stdout.readline()\n    process.communicate()", 0),
        ("process.stdout.readline()\n    process.wait(60)", 0),
        ("assert time.process_time() - begun < 20", 0),
    ],
)
def test_such_a_test_would_be_seen(line: str, seen: int) -> None:
    tree = ast.parse(f"def test():\n    {line}\n")
    assert len(list(hopes(tree, Path("cli/test_made_up.py")))) == seen
    assert HASTE.search(line) or not seen


_IMPORT = re.compile(r"from (gdb_epi(?:\.\w+)*) import (\w+(?:, \w+)*)")
# Scripts that GDB or a shell runs, programs of tests in strings: no checker of types reads them.
_SCRIPTS = (".py", ".gdb", ".sh", "gdb-epi")


def test_imports_in_texts_name_what_is_there() -> None:
    """On 2026-11-28 renames broke the shell command, two scripts of GDB's and eleven tests."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout
    for name in filter(lambda name: name.endswith(_SCRIPTS), files.split("\n")):
        path = ROOT / name
        text = path.read_text(errors="replace") if path.is_file() else ""
        for module, imported in _IMPORT.findall(text):
            missing = sorted({*imported.split(", ")} - _names_in(module))
            assert not missing, f"{name}: from {module} import {', '.join(missing)}"


@cache
def _names_in(module: str) -> frozenset[str]:
    folder = ROOT.joinpath(*module.split("."))
    names = {path.stem for path in folder.glob("*")} | {"__file__"}
    for path in (folder / "__init__.py", folder.with_suffix(".py")):
        names |= facts_of(path).names if path.is_file() else set()
    return frozenset(names)
