# SPDX-License-Identifier: Apache-2.0
"""The normative vectors of gsig/1."""

from __future__ import annotations

import hashlib
import json
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.cpython.types import MergedStack, PyFrame, StackFrame
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent
from gdb_epi.signature import keys as k
from gdb_epi.signature.category import Category, Scene, family_of
from gdb_epi.signature.mangled import function_name
from gdb_epi.signature.names import module_name, module_of_file
from gdb_epi.signature.native_names import native_name
from gdb_epi.signature.sign import _Maker
from gdb_epi.target.api import NativeFrame, Region
from gdb_epi.target.fake import FakeTarget

VECTORS = json.loads((Path(__file__).parent / "data" / "signature_vectors.json").read_text())
CODE = Region(0x400000, 0x500000, "r-xp", None, 0, 0)
BUILD_ID = "ab" * 20


def native(function: str | None, module: str | None, inlined: bool = False) -> NativeFrame:
    kind = "signal" if function == "!" else "inline" if inlined else "normal"
    plain = None if function in ("@", "!") else function
    offset = 0x10 if module else None
    build_id = BUILD_ID if module else None
    return NativeFrame(0x400010, 0x7000, plain, module, build_id, offset, None, None, inlined, kind)


def python(text: str) -> PyFrame:
    name, _, filename = text.removeprefix("py:").partition("@")
    module, _, qualname = name.partition(".")
    if name.startswith("importlib."):
        module, _, qualname = name.rpartition(".")
    return PyFrame(1, 2, qualname, qualname, filename, 1, module, "thread", "chain", False)


def frame(entry: Any) -> StackFrame:
    if isinstance(entry, str):
        return StackFrame(None, python(entry))
    return StackFrame(native(*entry), None)


class State:
    """As much of a ProcessState as a signature needs."""

    def __init__(self, target: FakeTarget, python_absent: Absent | None) -> None:
        self.target = target
        none = Absent(NOT_APPLICABLE, "no CPython")
        self.python = none if python_absent is None else python_absent
        self.region_at = target.region_at

    def thread(self, _tid: int) -> None:
        """No registers: the stack counts as dumped."""


def made(vector: dict[str, Any], *, without: str = "", python_absent: Absent | None = None):
    target = FakeTarget(regions=[CODE])
    frames = tuple(frame(entry) for entry in vector["frames"])
    absent = None
    if without == "native":
        frames = tuple(f for f in frames if f.python is not None)
        absent = Absent(NOT_AVAILABLE, "no GDB")
    if python_absent is not None:
        frames = tuple(f for f in frames if f.python is None)
    natives = [f.native for f in frames if f.native]
    scene = Scene(target, Absent(NOT_APPLICABLE, ""), natives if absent is None else absent)
    category = Category(vector["category"], family_of(vector["category"]), "given")
    maker = _Maker(State(target, python_absent), scene, category, [])
    return maker.make(MergedStack(1, frames, absent))


@pytest.mark.parametrize(("raw", "expected"), VECTORS["names"], ids=lambda v: v[:40])
def test_native_names(raw: str, expected: str) -> None:
    assert native_name(raw)[0] == expected


@pytest.mark.parametrize(("raw", "expected"), VECTORS["modules"])
def test_module_names(raw: str, expected: str) -> None:
    assert module_name(raw) == expected


@pytest.mark.parametrize(("raw", "expected"), VECTORS["files"])
def test_modules_of_files(raw: str, expected: str) -> None:
    assert module_of_file(raw) == expected


@pytest.mark.parametrize("vector", VECTORS["stacks"], ids=lambda v: v["name"])
def test_lines(vector: dict[str, Any]) -> None:
    found = made(vector)
    for name, text in vector["text"].items():
        assert found.keys[name].text == text
    for name in vector.get("absent", ()):
        assert name not in found.keys
        assert found.absent[name]


@pytest.mark.parametrize("vector", VECTORS["stacks"], ids=lambda v: v["name"])
def test_partial_analyses_share_the_partial_keys_and_make_no_other(vector: dict[str, Any]) -> None:
    full = made(vector)
    partial = made(vector, without="native")
    for name in ("exact", "strict", "stable", "coarse", "native"):
        assert name not in partial.keys
        assert partial.absent[name]
    assert partial.keys.get("python") == full.keys.get("python")
    no_python = made(vector, python_absent=Absent(NOT_AVAILABLE, "unreadable"))
    for name in ("strict", "stable", "coarse", "python"):
        assert name not in no_python.keys
    assert no_python.keys.get("native") == full.keys.get("native")


@pytest.mark.parametrize("vector", VECTORS["stacks"], ids=lambda v: v["name"])
def test_a_hash_is_the_sha256_of_the_printed_line(vector: dict[str, Any]) -> None:
    for name, key in made(vector).keys.items():
        assert key.value == hashlib.sha256(key.text.encode()).hexdigest()[: k.DIGITS[name]]
        assert unicodedata.normalize("NFC", key.text) == key.text
        assert key.text.isprintable()
        assert key.text.startswith(f"gsig/1 {name} ")


def test_a_stranger_can_check_a_hash_with_sha256sum() -> None:
    for name, content in VECTORS["hashes"]:
        key = k.make_key(name, content)
        shell = subprocess.run(
            ["sh", "-c", 'printf %s "$1" | sha256sum', "sh", key.text],
            capture_output=True,
            text=True,
            check=True,
        )
        assert shell.stdout.split()[0].startswith(key.value)


def test_addresses_pids_and_paths_do_not_enter() -> None:
    vector = VECTORS["stacks"][0]
    moved = dict(vector)
    moved["frames"] = [
        e if isinstance(e, str) else [e[0], f"/elsewhere/{e[1]}", *e[2:]] for e in vector["frames"]
    ]
    assert made(moved).keys == made(vector).keys


def test_exact_stops_at_the_first_frame_without_a_build_id() -> None:
    frames = [native("a", "x"), native("i", "x", True), native("b", "x"), native("c", None)]
    key = k.exact_key([*frames, native("d", "x")])
    assert isinstance(key, k.Key)
    assert key.text == "gsig/1 exact " + " <- ".join(["abababababababab+0x10"] * 2)
    assert isinstance(k.exact_key([native("c", None)]), str)


def test_a_lost_unwinder_makes_a_corrupt_stack() -> None:
    vector = {"category": "segv-wild", "frames": [["f", "x"]]}
    found = made(vector)
    assert found.category.name == "corrupt-stack"
    assert found.keys["stable"].text == "gsig/1 stable corrupt-stack r-x -"
    assert "strict" not in found.keys


def test_an_unwinder_without_files_makes_no_corrupt_stack() -> None:
    """GDB without the binaries gets one nameless frame of a sound stack."""
    found = made({"category": "segv-wild", "frames": [[None, "/lib/x.so"]]})
    assert found.category.name == "segv-wild"
    for name in ("stable", "coarse", "strict", "native", "exact"):
        assert name not in found.keys
        assert "lacks the files" in found.absent[name]


def test_mangled_names_outside_the_grammar_are_left_alone() -> None:
    for name in ("_Z", "_ZN", "_ZN3foo", "_Z99999x", "plain", "_ZNE", "_ZSt", "_Z3fooI", "_ZZ1fvE"):
        assert function_name(name) is None, name


def test_deeply_nested_mangled_names_end() -> None:
    assert function_name("_Z1f" + "I" * 1000 + "E" * 1000) is None
    assert function_name("_ZN" + "1a" * 5000 + "E") is None
