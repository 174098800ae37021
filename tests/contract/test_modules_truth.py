# SPDX-License-Identifier: Apache-2.0
"""Imported modules of real cores, against what sys.modules was before each process died."""

from __future__ import annotations

import json
import random
from argparse import Namespace
from typing import Any

import pytest
from support.cores import Made, truncate
from support.interpreters import Interpreter, discover, spread
from support.mutate import MutatedTarget
from support.opening import open_session

from commands.modules import show_imported_packages as modules_command
from gdb_epi.analysis import analyze
from gdb_epi.cpython.runtime.modules import (
    ImportedModules,
    parse_metadata_folder_name,
    read_imported_modules,
    top_level_packages,
)
from gdb_epi.cpython.runtime.package_versions import read_package_versions
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.render.report_text import render_report
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.util import version_or_none

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("modules")]
HOSTILE = (0, 1, 7, 0x1000, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1)
ROUNDS = 10
KINDS = {
    "SourceFileLoader": "source",
    "ExtensionFileLoader": "extension",
    "BuiltinImporter": "built-in",
    "FrozenImporter": "frozen",
    "zipimporter": "zip",
    "NamespaceLoader": "namespace",
    "_NamespaceLoader": "namespace",
}


def decode(target: Any, python: PythonState | None = None) -> ImportedModules:
    state = python or ProcessState(target).python
    assert isinstance(state, PythonState), state
    imported_modules = read_imported_modules(target, state, state.interpreters[0])
    assert isinstance(imported_modules, ImportedModules), imported_modules
    return imported_modules


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_module_is_what_it_was(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "source_modules")
    modules = decode(session.target)
    assert modules.soft_errors == ()
    assert [module.name for module in modules.modules] == made.truth["names"]
    kinds = set()
    for decoded_module in modules.modules:
        truth = made.truth["modules"][decoded_module.name]
        if not truth["module"]:
            assert "not a module" in decoded_module.problem
            continue
        assert decoded_module.problem == ""
        if truth["loader"] in KINDS:
            assert decoded_module.kind == KINDS[truth["loader"]], decoded_module
            kinds.add(decoded_module.kind)
        assert decoded_module.file == truth["file"] or (
            decoded_module.kind == "extension" and truth["file"] is None
        )
        assert decoded_module.package == truth["package"]
        assert decoded_module.initializing == truth["initializing"]
        assert decoded_module.version == version_or_none(truth["version"])
    assert kinds >= {"source", "built-in", "frozen", "zip", "extension"} or not extensions(made)
    assert [module.name for module in modules.modules if module.initializing] == [
        "unended",
        "unended.dying",
    ]


def extensions(made: Made) -> bool:
    return any(
        module["loader"] == "ExtensionFileLoader" for module in made.truth["modules"].values()
    )


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_packages_have_the_versions_that_the_core_knows(interpreter: Interpreter) -> None:
    _, session = open_session(interpreter, "source_modules")
    modules = decode(session.target)
    listed = {
        top_level_package.name: (top_level_package.version, top_level_package.source)
        for top_level_package in top_level_packages(modules)
    }
    assert (
        listed.items()
        >= {
            "by_metadata": ("4.5.6", "metadata"),
            "deathbed": (None, ""),
            "nothing": (None, ""),
            "numeric": (None, ""),
            "other_name": (None, ""),
            "secretive": (None, ""),
            "single": ("0.9", "metadata"),
            "spaced": (None, ""),
            "unended": ("0.1", "__version__"),
            "versioned": ("1.2.3rc1", "__version__"),
            "zipped": ("5.5", "__version__"),
        }.items()
    )  # site.py may import more
    state = session.state.python
    assert isinstance(state, PythonState)
    for_record = read_package_versions(session.target, state)
    assert not isinstance(for_record, Absent)
    versions = {name: version for name, version in listed.items() if version[0]}
    assert {package.name: tuple(package[1:]) for package in for_record.packages} == versions
    assert for_record.lost == 0
    record = analyze(session)
    assert record["python"]["packages"] == [package._asdict() for package in for_record.packages]
    assert "hunter2" not in json.dumps(record)
    assert ("never_imported", "99") in {
        (distribution.name, distribution.version) for distribution in modules.distributions
    }


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_command(interpreter: Interpreter) -> None:
    made, session = open_session(interpreter, "source_modules")
    report = modules_command(session, Namespace(name="", all=False, limit=500))
    text = render_report(report)
    assert "unended.dying" in text and "importing" in text
    assert "hunter2" not in text + json.dumps(report.data)
    # What is installed under another name is told by metadata files of this machine.
    rows = {row[0]: row for row in report.rows}
    assert rows["other_name"][1] == "3.2.1"
    everything = modules_command(session, Namespace(name="", all=True, limit=10_000))
    assert [row[0] for row in everything.rows] == made.truth["names"]
    built = {row[0]: row[4] for row in everything.rows if row[2] == "extension"}
    build_ids = {module.build_id for module in session.target.modules()}
    assert all(build_id in build_ids for build_id in built.values())
    none = modules_command(session, Namespace(name="versionde", all=False, limit=500))
    assert not none.rows and "no imported module is called versionde" in none.lines[0]
    only = modules_command(session, Namespace(name="versioned", all=False, limit=500))
    assert not only.lines
    assert [row[0] for row in only.rows] == ["versioned.part", "versioned"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_damage_never_raises(interpreter: Interpreter) -> None:
    _, session = open_session(interpreter, "source_modules")
    python = session.state.python
    assert isinstance(python, PythonState)
    addresses = [module.address for module in decode(session.target).modules]
    chance = random.Random(len(addresses))
    compared = 0
    for _ in range(ROUNDS):
        target = MutatedTarget(session.target)
        for _ in range(10):
            address = chance.choice(addresses) + 8 * chance.randrange(6)
            target.put_word(address, chance.choice(HOSTILE))
        modules = decode(target, python)
        problems = [module.problem for module in modules.modules]
        compared += any("damaged" in problem or "unreadable" in problem for problem in problems)
    assert compared, "no mutation was noticed"


def test_a_truncated_core_says_what_is_missing(tmp_path: Any) -> None:
    interpreter = next(interpreter for interpreter in discover() if interpreter.minor >= (3, 11))
    made, _ = open_session(interpreter, "source_modules")
    for percent in (5, 20, 40, 60, 80):
        target = CoreFileTarget.open(truncate(made.core, percent / 100, tmp_path / f"{percent}"))
        python = ProcessState(target).python
        if isinstance(python, Absent):
            continue
        for interpreter in python.interpreters:
            imported_modules = read_imported_modules(target, python, interpreter)
            if isinstance(imported_modules, Absent):
                assert imported_modules.detail
            else:
                names = {module.name for module in imported_modules.modules}
                lost = names != set(made.truth["names"])
                problems = [module for module in imported_modules.modules if module.problem]
                assert not lost or imported_modules.soft_errors or problems or not names


def test_names_of_metadata_folders() -> None:
    assert parse_metadata_folder_name("numpy-1.26.4.dist-info", "/x") == ("numpy", "1.26.4", "/x")
    assert parse_metadata_folder_name("a_b-1!2.0+local.1-py3.8.egg-info", "/x") == (
        "a_b",
        "1!2.0+local.1",
        "/x",
    )
    for other in ("numpy", "numpy.dist-info", "x-secret words1.dist-info", "-.egg-info"):
        assert parse_metadata_folder_name(other, "/x") is None
    assert version_or_none("1" * 65) is None and version_or_none("abc") is None
