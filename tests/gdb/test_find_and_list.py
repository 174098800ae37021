# SPDX-License-Identifier: Apache-2.0
"""`epi list`, `modules`, `find` and `refs` in every GDB, on cores of a Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from driver import Gdb, read_json, run_gdb, with_epi
from support.cores import CoreFailed, Made, make_core
from support.interpreters import discover
from support.opening import need_core_dumps


def made_of(program: str) -> Made:
    need_core_dumps()
    for interpreter in reversed(discover()):
        if interpreter.root is None and interpreter.minor >= (3, 11) and interpreter.gil:
            try:
                return make_core(interpreter, program)
            except CoreFailed:
                continue
    pytest.skip("no CPython of this machine's own root left a core")


def test_list_and_source_lines_of_bt(gdb: Gdb, tmp_path: Path) -> None:
    made = made_of("source_places")
    frames = [frame[2] for frame in made.truth["threads"][0]["frames"]]
    number = next(n for n, name in enumerate(frames) if name.endswith("/timed.py"))
    out = tmp_path / "list.json"
    done = run_gdb(
        gdb,
        *with_epi(
            f"epi list {number}", f"epi list {number} --json --output {out}", "epi bt --source"
        ),
        exe=made.executable,
        core=made.core,
    )
    assert "-> 3      return follow(value, len(value)) or value\n" in done.stdout, done.text
    assert "\n" + " " * 17 + "^" * 25 + "\n" in done.stdout
    assert read_json(out)["source"]["trust"] == "verified"
    assert "         return follow(value, len(value)) or value\n" in done.stdout


def test_modules_find_and_refs(gdb: Gdb, tmp_path: Path) -> None:
    made = made_of("heap_objects")
    names = ("modules", "find", "refs", "quoted")
    out = {name: tmp_path / f"{name}.json" for name in names}
    target = made.truth["target"]
    done = run_gdb(
        gdb,
        *with_epi(
            f"epi modules --all --json --output {out['modules']}",
            f"epi find __main__.Plain --limit 1000 --json --output {out['find']}",
            f"epi refs {target:#x} --json --output {out['refs']}",
            "epi find 'needle-in-a-haystack'",
            f"epi find 'Plain' --limit 5 --json --output {out['quoted']}",
        ),
        exe=made.executable,
        core=made.core,
    )
    modules = read_json(out["modules"])["interpreters"][0]["modules"]
    assert {"sys", "__main__", "deathbed"} <= {module["name"] for module in modules}, done.text
    objects = {int(entry["address"], 16) for entry in read_json(out["find"])["objects"]}
    assert objects == set(made.truth["ids"]["Plain"])
    assert read_json(out["quoted"])["kind"] == "text"  # what is quoted is no type
    holders = {reference["holder"] for reference in read_json(out["refs"])["references"]}
    assert f"0x{made.truth['holders']['a list']:016x}" in holders
    assert "str at" in done.stdout
