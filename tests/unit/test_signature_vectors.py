# SPDX-License-Identifier: Apache-2.0
"""The normative vectors of gsig/2, and what holds for every signature."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from support.fake_target import FakeTarget

from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.find_fault import Fault
from gdb_epi.signature import keys as k
from gdb_epi.signature.categories.types import Category, CategoryInput, category_family
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.keys import hang_key_parts_of_record
from gdb_epi.signature.names_from_instructions import (
    link_independent_code,
    name_from_comparable_code,
)
from gdb_epi.signature.native_names import normalise_with_rules
from gdb_epi.signature.sign import _KeyMaker
from gdb_epi.target.api import NativeFrame, Region

HERE = Path(__file__).parent
FILE = json.loads((HERE / "data" / "signature_vectors.json").read_text())
VECTORS = FILE["vectors"]
SPEC = (HERE.parents[1] / "gdb_epi" / "signature" / "SPEC.md").read_text()
CODE = Region(0x400000, 0x500000, "r-xp", None, 0, 0)
NAME_RULES = re.compile(r"N(?:[1-9]|1\d|2[0-4])\Z")
Vector = dict[str, Any]


def native_frame(given: Mapping[str, Any]) -> NativeFrame:
    module = given["module"]
    return NativeFrame(
        pc=CODE.start + (given.get("offset") or 16) if given.get("code", True) else 16,
        sp=0x7000,
        function=given["function"],
        module=module,
        build_id=FILE["build_id"] if module else None,
        offset=given["offset"] if module else None,
        filename=None,
        lineno=None,
        inlined=given["kind"] == "inline",
        kind=given["kind"],
    )


def python_frame(given: Mapping[str, Any]) -> PyFrame:
    return PyFrame(
        1, 2, given["name"], given["qualname"], given["filename"], 1, given["module"],
        "thread", "chain", False, given.get("hole"),
    )  # fmt: skip


def frame(given: Mapping[str, Any]) -> MergedFrame:
    if "python" in given:
        return MergedFrame(None, python_frame(given["python"]))
    return MergedFrame(native_frame(given), None, given.get("evidence", ""))


class State:
    """As much of a ProcessState as a signature needs."""

    def __init__(self, target: FakeTarget, python_absent: Absent | None) -> None:
        self.target = target
        none = Absent(NOT_APPLICABLE, "no CPython")
        self.python = none if python_absent is None else python_absent
        self.region_at = target.region_at

    def thread(self, _tid: int) -> None:
        """No registers: the stack counts as dumped."""


def code_of(frames: list[dict[str, Any]]) -> Callable[[int], str | Absent]:
    """Return who knows the instructions: at a pc, and of a frame that called before it."""
    names = {}
    for number, given in enumerate(frames):
        if "function_code" in given:
            is_exact = not number or frames[number - 1].get("kind") == "signal"
            names[CODE.start + given["offset"] - (not is_exact)] = given["function_code"]
    return lambda pc: names.get(pc, Absent(NOT_AVAILABLE, "no instructions"))


def made(vector: Vector, *, without: str = "", python_absent: Absent | None = None) -> _KeyMaker:
    target = FakeTarget(regions=[CODE])
    frames = tuple(frame(given) for given in vector["frames"])
    absent = None
    if without == "native":
        frames = tuple(f for f in frames if f.python is not None)
        absent = Absent(NOT_AVAILABLE, "no GDB")
    if python_absent is not None:
        frames = tuple(f for f in frames if f.python is None)
    natives = [f.native for f in frames if f.native]
    none = Absent(NOT_APPLICABLE, "")
    scene = CategoryInput(target, none, natives if absent is None else absent, none)
    if vector.get("reraised"):
        scene.fault = Fault(1, 11, 1, 0, {}, "signal-frame", "kernel")
    function = vector.get("assertion", "")
    scene.abort_message = AbortMessage("assert", "", function) if function else None
    category = Category(vector["category"], category_family(vector["category"]), "given")
    state, words = State(target, python_absent), hang_key_parts_of_record(vector.get("hang"))
    code = code_of(vector["frames"])
    maker = _KeyMaker(state, scene, category, [], hang=words)
    with patch(
        "gdb_epi.signature.names_from_instructions.name_from_instructions", lambda _, pc: code(pc)
    ):
        return maker.make_keys(MergedStack(1, frames, absent))


def ids(vector: Vector) -> str:
    return vector["id"]


def test_there_are_at_least_250_and_each_has_its_own_id() -> None:
    assert len(VECTORS) >= 250
    assert len({vector["id"] for vector in VECTORS}) == len(VECTORS)


def test_vectors() -> None:
    """The lines, the hashes and what is absent, exactly. A test for each took longer to collect."""
    for vector in VECTORS:
        computed, name = made(vector), vector["id"]
        assert computed.category.name == vector.get("becomes", vector["category"]), name
        assert {key: line.text for key, line in computed.keys.items()} == {
            key: line["text"] for key, line in vector["keys"].items()
        }, name
        assert {key: line.value for key, line in computed.keys.items()} == {
            key: line["hash"] for key, line in vector["keys"].items()
        }, name
        assert sorted(computed.absent) == sorted(vector["absent"]), name
        assert all(computed.absent.values()), name


def test_the_rules_that_a_vector_names_are_those_that_changed_the_name() -> None:
    vectors = [vector for vector in VECTORS if vector["id"].startswith("name-")]
    assert len(vectors) > 200
    for vector in vectors:
        _, steps = normalise_with_rules(vector["frames"][0]["function"])
        used = {step.rule for step in steps}
        named = {rule for rule in vector["rules"] if NAME_RULES.match(rule)} - {"N1"}
        assert named <= used, vector["id"]
        assert bool(used) or vector["rules"][0] == "N1", vector["id"]


def test_every_rule_of_the_spec_has_a_vector_and_every_vector_a_rule() -> None:
    ruled = set(re.findall(r"^- \*\*(N\d+)\*\*", SPEC, re.MULTILINE))
    used = {rule for vector in [*VECTORS, *FILE["functions"]] for rule in vector["rules"]}
    assert len(ruled) > 50
    assert used == ruled


@pytest.mark.parametrize("vector", FILE["functions"], ids=ids)
def test_functions(vector: Vector) -> None:
    """What is compared of a function's instructions, and the name that it gives (N68, N69)."""
    low, high = (int(address, 16) for address in vector["addresses"])
    compared = link_independent_code(
        bytes.fromhex(vector["code"]), (low, high), whole=vector["whole"]
    )
    if vector["compared"] is None:
        assert compared is None
        return
    assert compared is not None
    assert (compared.hex(), name_from_comparable_code(compared)) == (
        vector["compared"],
        vector["name"],
    )


def test_the_file_is_what_its_generator_writes(tmp_path: Path) -> None:
    """The expected lines live in tests/tools/signature_*.py; nothing of gdb_epi made them."""
    script = (
        "import pathlib, sys, make_signature_vectors as made; made.OUT = pathlib.Path(sys.argv[1]);"
        "made.main(); assert not any(name.startswith('gdb_epi') for name in sys.modules)"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "made.json")]
    subprocess.run(words, cwd=HERE.parent / "tools", check=True)
    committed = (HERE / "data" / "signature_vectors.json").read_text()
    assert (tmp_path / "made.json").read_text() == committed


def test_partial_analyses_share_the_partial_keys_and_make_no_other() -> None:
    for vector in VECTORS:
        full = made(vector)
        partial = made(vector, without="native")
        for name in ("exact", "strict", "stable", "coarse", "native"):
            assert name not in partial.keys, vector["id"]
            assert partial.absent[name], vector["id"]
        assert partial.keys.get("python") == full.keys.get("python"), vector["id"]
        no_python = made(vector, python_absent=Absent(NOT_AVAILABLE, "unreadable"))
        if "becomes" not in vector:
            for name in ("strict", "stable", "coarse", "python"):
                assert name not in no_python.keys, vector["id"]
        assert no_python.keys.get("native") == full.keys.get("native"), vector["id"]


def test_a_hash_is_the_sha256_of_the_printed_line() -> None:
    for name, key in ((name, key) for vector in VECTORS for name, key in made(vector).keys.items()):
        assert key.value == hashlib.sha256(key.text.encode()).hexdigest()[: k.DIGITS[name]]
        assert unicodedata.normalize("NFC", key.text) == key.text
        assert key.text.isprintable()
        assert key.text.startswith(f"gsig/2 {name} ")


def test_a_stranger_can_check_a_hash_with_sha256sum() -> None:
    for vector in VECTORS[::40]:
        for key in vector["keys"].values():
            shell = subprocess.run(
                ["sh", "-c", 'printf %s "$1" | sha256sum', "sh", key["text"]],
                capture_output=True,
                text=True,
                check=True,
            )
            assert shell.stdout.split()[0].startswith(key["hash"])


def test_addresses_pids_and_paths_do_not_enter() -> None:
    vector = next(vector for vector in VECTORS if vector["id"] == "merged")
    moved = json.loads(json.dumps(vector))
    for given in moved["frames"]:
        if "module" in given:
            given["module"] = f"/elsewhere{given['module']}"
    assert made(moved).keys == made(vector).keys


def test_drop_sets_name_their_sources_and_what_they_hold_is_normalised() -> None:
    """An entry that normalisation would change could never match."""
    data = json.loads((HERE.parents[1] / "gdb_epi" / "signature" / "drops.json").read_text())
    for entries in data["sets"]:
        assert entries["about"]
        for entry in entries["entries"]:
            assert entry["source"]
            assert entry["names"] or entry["patterns"]
            for name in entry["names"]:
                assert normalise_with_rules(name)[0] == name
    assert all(entry["source"] for entry in data["python"])


def test_no_name_of_a_drop_set_is_in_two_classes() -> None:
    data = json.loads((HERE.parents[1] / "gdb_epi" / "signature" / "drops.json").read_text())
    names = [
        name for entries in data["sets"] for entry in entries["entries"] for name in entry["names"]
    ]
    assert len(names) == len(set(names))
    assert load_drop_sets().native_drop_class("ring_pop") is None
