# SPDX-License-Identifier: Apache-2.0
"""A small cut of the crash zoo: categories, drift, ASLR. tests/bench/drift.py has all of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from support.cores import find_core, why_no_core_dumps
from support.interpreters import Interpreter, one_per_minor
from support.zoo import Build, Case, Libraries, adjusted_rand_index, keys_of, signed

from gdb_epi.cli.support.native_gdb import find_gdb
from gdb_epi.signature.explain import explain_frames, explanation_lines
from gdb_epi.signature.sign import SignedProcess

RUNS = int(os.environ.get("GDB_EPI_ASLR_RUNS", "2"))
CATEGORIES = {
    ("c", "null"): "segv-null", ("c", "guard"): "segv-guard", ("c", "smash"): "abort-fortify",
    ("c", "free"): "abort-malloc:free-double-free-detected-in-tcache-2", ("c", "divide"): "fpe",
    ("c", "trap"): "ill", ("c", "assert_static"): "abort-assert",
    ("c++", "throw"): "abort-terminate:zoo::LoadError",
    ("c++", "out_of_range"): "abort-terminate:std::out_of_range",
    ("c++", "pure_virtual"): "abort-terminate:pure-virtual",
}  # fmt: skip
DRIFT = (("c", "null"), ("c", "assert_static"), ("c++", "lambda"), ("c++", "throw"))
OPTIONS = ("O0", "O2")


class Zoo:
    """Builds libraries and signs crashes, each once."""

    def __init__(self, folder: Path) -> None:
        self.gdb = find_gdb(None) or ""
        self._libraries = Libraries(folder)
        self._signed: dict[str, SignedProcess] = {}

    def signed(self, case: Case, run: int = 0) -> SignedProcess:
        name = f"{case.build} {case.mode} {case.interpreter and case.interpreter.id} {run}"
        if name not in self._signed:
            place = f"zoo-test-{os.getpid()}-{run}"
            self._signed[name] = self._libraries.sign(case, place, self.gdb, run)
        return self._signed[name]


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Zoo:
    reason = why_no_core_dumps()
    if reason:
        pytest.skip(f"no core dumps here: {reason}")
    for program in ("gcc", "g++"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program}")
    if find_gdb(None) is None:
        pytest.skip("no gdb")
    return Zoo(tmp_path_factory.mktemp("zoo"))


@pytest.mark.parametrize(("language", "mode"), CATEGORIES)
def test_the_category_of_a_real_core(zoo: Zoo, language: str, mode: str) -> None:
    process = zoo.signed(Case(Build(language, "O2"), mode))
    assert process.signature.category.name == CATEGORIES[language, mode]
    assert set(process.signature.keys) >= {"exact", "strict", "stable", "coarse", "native"}


def test_an_abort_of_a_watchdog_carries_the_main_thread(zoo: Zoo) -> None:
    signature = zoo.signed(Case(Build("c", "O2"), "watchdog")).signature
    assert signature.category.name == "abort-other"
    assert signature.keys["coarse"].text == "gsig/2 coarse abort-other zoo_expire"
    assert signature.secondary is not None and signature.secondary.tid != signature.tid
    main = signature.secondary.keys["stable"].text
    assert main.endswith("zoo_wait_for_peers <- zoo_watchdog <- run_mode")


RUST = 'fn main() { let v: Vec<u8> = Vec::with_capacity(1 << 46); println!("{}", v.len()); }'


@pytest.mark.heavy
def test_a_failed_allocation_of_rust(tmp_path: Path) -> None:
    rustc, gdb = shutil.which("rustc"), find_gdb(None)
    if rustc is None or gdb is None or why_no_core_dumps():
        pytest.skip("no rustc, no gdb or no core dumps")
    (tmp_path / "full.rs").write_text(RUST)
    subprocess.run([rustc, "-g", "full.rs"], cwd=tmp_path, check=True, capture_output=True)
    words = ["sh", "-c", "ulimit -c unlimited; ulimit -v 4000000; exec ./full"]
    subprocess.run(words, cwd=tmp_path, check=False, capture_output=True)
    (core,) = find_core(tmp_path)
    for _ in range(2):  # the second time with the index that GDB cached
        assert signed(core, gdb).signature.category.name == "oom-suspect"


@pytest.mark.heavy
def test_coarse_holds_over_builds(zoo: Zoo) -> None:
    labels, groups = [], []
    for language, mode in DRIFT:
        for options in OPTIONS:
            case = Case(Build(language, options), mode)
            labels.append(case.bug)
            groups.append(keys_of(zoo.signed(case)).get("coarse", f"absent {options}"))
    assert adjusted_rand_index(labels, groups) == 1.0, list(zip(labels, groups, strict=True))


@pytest.mark.heavy
def test_coarse_survives_strip_where_the_function_is_exported_or_asserts(zoo: Zoo) -> None:
    """Elsewhere the module stands for it: what nobody can name is not guessed."""
    for language, mode in (("c", "null"), ("c", "assert_static")):
        named = keys_of(zoo.signed(Case(Build(language, "O2"), mode)))["coarse"]
        assert keys_of(zoo.signed(Case(Build(language, "stripped"), mode)))["coarse"] == named
    lost = keys_of(zoo.signed(Case(Build("c", "stripped"), "inlined")))["coarse"]
    assert lost == "gsig/2 coarse segv-null libzoo.so!?"


@pytest.mark.heavy
def test_a_function_without_a_name_is_told_by_the_function_of_its_file_that_calls_it(
    zoo: Zoo,
) -> None:
    """A closure has no name in a stripped file; what called it is exported (N66)."""
    coarse = keys_of(zoo.signed(Case(Build("c++", "stripped"), "lambda")))["coarse"]
    assert coarse == "gsig/2 coarse segv-null libzoo.so!? <- zoo::apply_all"


@pytest.mark.parametrize("origin", ["reordered", "extracted"])
def test_refactorings_that_must_not_matter(zoo: Zoo, origin: str) -> None:
    for mode in ("null",):
        before = keys_of(zoo.signed(Case(Build("c", "O2"), mode)))
        after = keys_of(zoo.signed(Case(Build("c", "O2", origin), mode)))
        for name in ("category", "coarse", "stable", "strict"):
            assert before[name] == after[name]
        assert before["exact"] != after["exact"]


@pytest.mark.parametrize("mode", ["overflow"])
def test_equal_over_runs(zoo: Zoo, mode: str) -> None:
    """A larger environment moves the stack, and a stack overflow ends elsewhere.

    `GDB_EPI_LAYOUT=random GDB_EPI_ASLR_RUNS=20` lets the kernel move everything.
    """
    case = Case(Build("c", "O2"), mode)
    runs = [zoo.signed(case, run) for run in range(RUNS)]
    assert len({tuple(sorted(keys_of(run).items())) for run in runs}) == 1
    assert len({run.signature.core_key for run in runs}) == RUNS


def interpreters() -> list[Interpreter]:
    """The oldest and the newest that has GDB's files on this machine's own root, and 3.11."""
    suited = [
        interpreter
        for interpreter in one_per_minor()
        if interpreter.minor >= (3, 9) and interpreter.root is None
    ]
    return [
        interpreter for interpreter in suited if interpreter.minor in ((3, 9), (3, 11))
    ] or suited[:1]


@pytest.mark.heavy
def test_an_extension_over_versions(zoo: Zoo) -> None:
    """Methods and comprehensions have other names before 3.11 and 3.12; coarse has not."""
    if not interpreters():
        pytest.skip("no interpreter of 3.9 or later on this machine's own root")
    keys_by_mode = defaultdict(set)
    for interpreter in interpreters():
        for mode in ("direct", "callback"):
            keys = keys_of(zoo.signed(Case(Build("extension", "O2"), mode, interpreter)))
            keys_by_mode[mode].add((keys["category"], keys["coarse"]))
    assert keys_by_mode == {
        "direct": {("segv-null", "gsig/2 coarse segv-null direct <-- py:__main__.direct")},
        "callback": {("segv-null", "gsig/2 coarse segv-null ring_push <-- py:__main__.inner")},
    }


def test_explain_says_what_happened_to_each_frame(zoo: Zoo) -> None:
    process = zoo.signed(Case(Build("c++", "O2"), "throw"))
    explained = explain_frames(process)
    text = "\n".join(explanation_lines(explained))
    assert len(explained) == len(process.stack.frames if process.stack else ())
    load = next(frame for frame in explained if "load" in frame["frame"])
    assert "N8 zoo::load" in load["rules"]
    assert set(load["keys"]) >= {"stable", "coarse", "strict", "native", "exact"}
    thrown = next(frame for frame in explained if "__cxa_throw" in frame["frame"])
    assert any("class terminate" in rule for rule in thrown["rules"])
    assert thrown["keys"] == ["exact", "strict"]
    assert "       = abort\n" in text  # where glibc has names of its own, __GI_abort by N5
