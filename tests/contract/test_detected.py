# SPDX-License-Identifier: Apache-2.0
"""What malloc, CPython, C++ and Rust detect is told: in real processes that die of it, by GDB."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cores import PROGRAMS, find_core, why_no_core_dumps

ROOT = Path(__file__).resolve().parents[2]
SOURCES = PROGRAMS / "detected"
NO_CORES = why_no_core_dumps()
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed"),
    pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed"),
    pytest.mark.skipif(NO_CORES is not None, reason=NO_CORES or ""),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return detected.cc as a library."""
    made = tmp_path_factory.mktemp("detected") / "libdetected.so"
    command = ["g++", "-O1", "-w", "-shared", "-fPIC", "-pthread", str(SOURCES / "detected.cc")]
    subprocess.run([*command, "-o", str(made)], check=True, capture_output=True)
    return made


def _let_cores_be() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def record_of(
    mode: str, folder: Path, *libraries: Path, options: tuple[str, ...] = (), **environment: str
) -> dict[str, Any]:
    """Run a mode of detected.py until it dies, and return the record of its core."""
    program = SOURCES / "detected.py"
    subprocess.run(
        ["setarch", "-R", sys.executable, str(program), mode, *map(str, libraries)], cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": "1", **environment}, preexec_fn=_let_cores_be,
        timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    cores = find_core(folder)
    assert cores, f"{mode} left no core"
    command = [
        sys.executable,
        str(ROOT / "gdb_epi/cli/gdb-epi"),
        "triage",
        "--no-db",
        "--format",
        "json",
    ]
    done = subprocess.run(
        [*command, *options, str(cores[0])], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    cores[0].unlink()
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def facts_of(record: dict[str, Any], detector: str) -> dict[str, Any]:
    """Return the facts of the one finding of a detector."""
    facts = [f["facts"] for f in record["findings"] if f["detector"] == detector]
    assert len(facts) == 1, record["findings"]
    return dict(facts[0])


def test_an_overrun_names_the_block_before_the_damage(library: Path, tmp_path: Path) -> None:
    record = record_of("overrun", tmp_path, library)
    heap, abort = facts_of(record, "damaged_heap"), facts_of(record, "deliberate_abort")
    assert (heap["kind"], heap["before_size"]) == ("overrun", 40)
    assert heap["candidates"] == ["libdetected.so"]
    assert abort["text"].startswith("free(): ")
    assert abort["caller"] == "drop in libdetected.so"
    assert record["verdict"]["label"] == "software"
    damage = record["verdict"]["damage"]
    assert (damage["found"], damage["where"], damage["bits"]) == (True, heap["size_at"], [])
    assert record["flags"]["bitflip"] is False, "an overrun is no flipped bit"
    assert any(
        "perhaps libdetected.so or Python code by ctypes, probably wrote past" in text
        for text in record["verdict"]["reasons"]
    )


@pytest.mark.parametrize("mode", ["title", "title_by_rbp"])
def test_a_canary_is_found_overwritten_where_its_function_keeps_it(
    mode: str, library: Path, tmp_path: Path
) -> None:
    record = record_of(mode, tmp_path, library)
    damage, code = record["verdict"]["damage"], record["at_fault"]
    assert record["verdict"]["label"] == "software"
    assert damage["found"]
    assert damage["where"] == facts_of(record, "deliberate_abort")["overwritten_at"]
    assert record["flags"]["bitflip"] is False
    assert code["files"] == ["libdetected.so"], "its own array was overrun"


def test_a_copy_that_the_c_library_refused_has_overwritten_nothing(
    library: Path, tmp_path: Path
) -> None:
    record = record_of("copy_refused", tmp_path, library)
    assert record["signature"]["category"] == "abort-fortify"
    assert record["verdict"]["damage"]["found"] is False


def test_a_block_freed_twice_leaves_a_whole_heap(library: Path, tmp_path: Path) -> None:
    record = record_of("double_free", tmp_path, library)
    heap = facts_of(record, "damaged_heap")
    assert heap["kind"] == "info"
    assert heap["whole"] > 100
    assert "before" not in heap
    assert record["verdict"]["damage"] == {"found": False}


def test_the_top_of_a_full_stack_points_at_no_freed_block(library: Path, tmp_path: Path) -> None:
    record = record_of("generator_with_a_full_stack", tmp_path, library)
    assert record["signature"]["category"] == "segv-noncanonical"
    assert not any("free block" in reason for reason in record["verdict"]["reasons"])


def test_minus_one_in_a_field_that_was_never_set_is_a_hash(library: Path, tmp_path: Path) -> None:
    record = record_of("field_never_set", tmp_path, library)
    summaries = [sign["summary"] for sign in record["corruption"]["evidence"]]
    assert any("nobody asked for its hash" in summary for summary in summaries)
    assert "as functions return" not in json.dumps(record["corruption"])


def test_the_heap_of_a_forked_child_lies_in_two_mappings_and_is_whole(
    library: Path, tmp_path: Path
) -> None:
    record = record_of("forked_child_heap", tmp_path, library)
    heap = facts_of(record, "damaged_heap")
    assert heap["kind"] == "info"
    assert heap["whole"] > 800
    assert "R7" not in {skipped["check"] for skipped in record["corruption"]["skipped"]}
    assert not any("overrun" in reason for reason in record["verdict"]["reasons"])


@pytest.mark.parametrize(
    ("mode", "kind", "reason"),
    [
        ("no_thread_state", "without-gil", "GIL"),
        pytest.param("tracked_twice", "gc-state", "already tracked", marks=pytest.mark.heavy),
    ],
)
def test_fatal_errors_of_cpython_say_why(
    mode: str, kind: str, reason: str, library: Path, tmp_path: Path
) -> None:
    facts = facts_of(record_of(mode, tmp_path, library), "python_fatal_error")
    assert facts["kind"] == kind
    assert reason in (facts["reason"] or "")


def test_the_debug_allocator_names_its_block(library: Path, tmp_path: Path) -> None:
    record = record_of("debug_allocator", tmp_path, library, PYTHONMALLOC="debug")
    facts = facts_of(record, "debug_block")
    assert (facts["size"], facts["type"], facts["side"]) == (73, "bytes", "behind")
    assert facts["bytes"] == 8
    behind = int(facts["address"], 16) + facts["size"]
    assert int(record["verdict"]["damage"]["where"], 16) == behind
    assert record["flags"]["bitflip"] is False


@pytest.mark.parametrize(
    ("mode", "kind", "by"),
    [
        pytest.param("throw_custom", "PriceError", "deep_throw", marks=pytest.mark.heavy),
        ("throw_noexcept", "PriceError", "throw_noexcept"),
        pytest.param("throw_int", "int", "throw_int", marks=pytest.mark.heavy),
    ],
)
def test_cxx_exceptions(mode: str, kind: str, by: str, library: Path, tmp_path: Path) -> None:
    record = record_of(mode, tmp_path, library)
    facts = facts_of(record, "uncaught_exception")
    assert facts["type"] == kind
    assert by in facts["thrown_by"]
    assert record["signature"]["category"] == f"abort-terminate:{kind}"
    assert "no price" not in json.dumps(record)  # the text of the exception is data


def test_the_python_exception_behind_a_cxx_one(library: Path, tmp_path: Path) -> None:
    record = record_of("python_thrown", tmp_path, library)
    (finding,) = [f for f in record["findings"] if f["detector"] == "uncaught_exception"]
    assert "of type PythonError was not caught" in finding["summary"]
    assert "the Python exception ZeroDivisionError, raised at share_of (" in finding["summary"]


@pytest.mark.heavy
def test_the_text_of_a_cxx_exception_is_told_when_asked_for(library: Path, tmp_path: Path) -> None:
    record = record_of("throw_custom", tmp_path, library, options=("--messages",))
    assert "no price for instrument" in facts_of(record, "uncaught_exception")["message"]


@pytest.mark.heavy
def test_more_memory_than_a_process_can_have(library: Path, tmp_path: Path) -> None:
    record = record_of("throw_no_memory", tmp_path, library)
    assert facts_of(record, "uncaught_exception")["kind"] == "absurd-size"
    assert record["verdict"]["label"] == "software"


@pytest.mark.heavy
def test_terminate_without_an_exception(library: Path, tmp_path: Path) -> None:
    facts = facts_of(record_of("joinable", tmp_path, library), "uncaught_exception")
    assert (facts["kind"], facts["type"]) == ("terminate", None)


def test_python_used_without_the_gil(library: Path, tmp_path: Path) -> None:
    record = record_of("without_gil", tmp_path, library)
    assert facts_of(record, "without_gil")["gil_holder"] is None
    assert record["verdict"]["label"] == "software"
    assert not any("NULL pointer" in text for text in record["verdict"]["reasons"])


def test_a_callback_that_was_freed(library: Path, tmp_path: Path) -> None:
    record = record_of("freed_callback", tmp_path, library)
    assert facts_of(record, "freed_callback")
    assert record["verdict"]["label"] == "software"


@pytest.mark.parametrize(
    "mode", [pytest.param("memory_error", marks=pytest.mark.heavy), "null_without_memory"]
)
def test_allocations_that_failed(mode: str, library: Path, tmp_path: Path) -> None:
    record = record_of(mode, tmp_path, library)
    assert facts_of(record, "failed_allocation")
    assert record["verdict"]["label"] == "out-of-memory"


@pytest.mark.parametrize(
    ("mode", "who", "size"),
    [
        ("size_of_a_broken_header", "read_header", 4 * (16 + (1 << 48))),
        ("product_of_unchecked_counts", "malloc", 1 << 63),
        pytest.param("memory_error_of_the_program", "", 0, marks=pytest.mark.heavy),
    ],
)
def test_no_machine_could_give_it(
    mode: str, who: str, size: int, library: Path, tmp_path: Path
) -> None:
    """A size out of a header, and an error of the program's own, were "no more memory" (74 %)."""
    record = record_of(mode, tmp_path, library)
    assert record["verdict"]["label"] == "software"
    if who:
        finding = next(f for f in record["findings"] if f["detector"] == "impossible_request")
        assert finding["facts"]["size"] == f"{size:,}"
        assert who in finding["summary"]


@pytest.mark.heavy
@pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
def test_a_panic_of_rust(library: Path, tmp_path: Path) -> None:
    made = tmp_path / "libpanicking.so"
    flags = "--edition 2021 --crate-type cdylib -C panic=abort -O".split()
    subprocess.run(["rustc", *flags, str(SOURCES / "panicking.rs"), "-o", str(made)], check=True)
    facts = facts_of(record_of("rust_panic", tmp_path, library, made), "rust_panic")
    assert facts["place"].endswith("panicking.rs:4")
