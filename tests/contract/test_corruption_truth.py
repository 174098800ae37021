# SPDX-License-Identifier: Apache-2.0
"""Damage like that of hardware is told from software bugs, on cores whose cause is known.

`GDB_EPI_CORRUPTION_CORES=1500` (and `--heavy`) looks at so many software cores, and a third as many
of hardware, instead of what an ordinary run can afford, and then at random addresses: an ordinary
run has the same ones each time (corruption.kept). Where addresses are random (there, and in
containers that allow no others) the tests judge by a rate: RATE of the cores, but for one run in a
thousand.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter

import pytest
from corruption.cpu_kinds import instruction
from corruption.examine import Row, examine
from corruption.generate import chosen_kinds, jobs_of, known_kinds
from corruption.kept import kept_cores
from corruption.labels import AMBIGUOUS, HW, SW
from corruption.outcome import address_named, is_strong, path_right, symptom_right
from corruption.table import tables
from support import layout
from support.cores import why_no_core_dumps

SEED = 9001  # weights were never fitted on it
ORDINARY = 140
SOFTWARE = int(os.environ.get("GDB_EPI_CORRUPTION_CORES") or ORDINARY)
PARTS = 4
HARDWARE = max(76, SOFTWARE // 3)
# Safely reached by some 60 cores; what is measured on many is in tests/bench/README.md.
MIN_RECALL = 0.42
MIN_NAMED, MIN_PATH, MIN_SYMPTOM = 0.8, 0.85, 0.85
# Of software bugs 2 of 3 leave a sign of what they are. What damage was missed in looks like
# software now and then: never with a probability that a reader takes for certain.
MIN_JUDGED, SURE, SURE_AND_WRONG = 0.4, 0.9, 0.02
STEADY = SOFTWARE <= ORDINARY
# Of software cores at random addresses; 0 of 1,170 were seen, and 0 of 115 ambiguous ones.
RATE = 0.002

needs_cores = pytest.mark.skipif(why_no_core_dumps() is not None, reason=str(why_no_core_dumps()))
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def rows_of(kinds: str, attempts: int, start: int = 0) -> list[Row]:
    made, _ = kept_cores(SEED, kinds, attempts, start=start, steady=STEADY)
    return [examine(core) for core in made]


def rate(rows: list[Row], test: object) -> float:
    answers = [answer for answer in map(test, rows) if answer is not None]  # type: ignore[call-overload]
    return sum(answers) / max(1, len(answers))


def is_called_software(row: Row) -> bool:
    return row["verdict"][0] == "software"


# A reference too many is given back: that may lower a link of the allocator's free list by one.
WRITES_FREED = ("py_over_decref", "py_over_decref_list")


def tolerated(rows: list[Row]) -> int:
    """Return how many false positives chance may leave: none at fixed addresses."""
    return 0 if STEADY and layout.is_fixed() else layout.most_of(len(rows), RATE)


def told(rows: list[Row]) -> str:
    return tables(rows, misses=True)


@needs_cores
@needs_gcc
@pytest.mark.parametrize(
    "part", [pytest.param(n, marks=pytest.mark.heavy if n else ()) for n in range(PARTS)]
)
def test_no_software_bug_is_strong_evidence(part: int) -> None:
    size = SOFTWARE // PARTS
    rows = rows_of(SW, size, part * size)
    assert len(rows) >= size * 0.8, "most bugs leave a core"
    assert len([row for row in rows if is_strong(row)]) <= tolerated(rows), told(rows)
    assert rate(rows, symptom_right) >= MIN_SYMPTOM, told(rows)
    of_damage = [
        row for row in rows if row["verdict"][0] in ("damaged-memory", "hardware-suspect")
        and not (row["label"]["kind"] in WRITES_FREED and row["verdict"][0] == "damaged-memory")
    ]  # fmt: skip
    assert len(of_damage) <= tolerated(rows), told(rows)
    assert MIN_JUDGED <= rate(rows, is_called_software), "a cause is known of most bugs"


@needs_cores
@needs_gcc
def test_what_one_core_cannot_decide_is_called_ambiguous_at_most() -> None:
    rows = rows_of(AMBIGUOUS, 24)
    assert len(rows) >= 16
    flagged = [row for row in rows if row["word"] in ("weak", "strong")]
    assert len(flagged) <= tolerated(rows), told(rows)


@needs_cores
@needs_gcc
def test_damage_is_found_and_named() -> None:
    rows = rows_of(HW, HARDWARE)
    flagged = [row for row in rows if is_strong(row)]
    assert len(rows) >= HARDWARE * 0.6
    assert len(flagged) >= MIN_RECALL * len(rows), told(rows)
    assert rate(flagged, address_named) >= MIN_NAMED, told(rows)
    assert rate(flagged, path_right) >= MIN_PATH, told(rows)
    assert all(row["verdict"][0] != "software" for row in flagged), told(rows)
    sure = [row for row in rows if is_called_software(row) and row["verdict"][1] >= SURE]
    assert len(sure) <= SURE_AND_WRONG * len(rows), told(rows)


@needs_cores
@needs_gcc
def test_the_labels_are_true() -> None:
    """The wrong word is in the core where the label says, and one bit off when it says one."""
    made, answers = kept_cores(SEED, HW, HARDWARE, steady=STEADY)
    assert Counter(answer["outcome"] for answer in answers)["core"] == len(made)
    seen = 0
    for core in made:
        if core.label["visible"] and core.label["address"] and core.label["path"] == "memory":
            wrong, right = int(core.label["found"], 16), int(core.label["original"], 16)
            assert core.label["bits"] == [n for n in range(64) if (wrong ^ right) >> n & 1]
            assert core.core.stat().st_size > 100_000
            seen += 1
    assert seen > 20


def test_there_are_enough_kinds() -> None:
    assert len(known_kinds(HW)) >= 25
    assert len(known_kinds(SW)) >= 45
    everything = [name for group in (HW, SW, AMBIGUOUS) for name in known_kinds(group)]
    assert len(everything) == len(set(everything))


def test_attempts_hang_on_seed_and_number_alone(tmp_path: object) -> None:
    kinds = chosen_kinds("hw,sw")
    whole = jobs_of(5, 40, kinds, tmp_path, ["x"])  # type: ignore[arg-type]
    rest = jobs_of(5, 10, kinds, tmp_path, ["x"], start=30)  # type: ignore[arg-type]
    assert whole[30:] == rest
    other = jobs_of(6, 40, kinds, tmp_path, ["x"])  # type: ignore[arg-type]
    assert [damage.kind for damage in whole] != [damage.kind for damage in other]


@pytest.mark.parametrize(
    ("code", "sort", "register", "base"),
    [
        ("488b4708", "load", "rax", "rdi"),
        ("4c8b26", "load", "r12", "rsi"),
        ("488d0483", "lea", "rax", None),
        ("49894500", "store", "rax", "r13"),
        ("415c", "pop", "r12", "rsp"),
        ("5b", "pop", "rbx", "rsp"),
        ("c3", "ret", None, None),
        ("4889c7", "other", None, None),
        ("8b07", "other", None, "rdi"),
    ],
)
def test_what_the_imitations_step_on(
    code: str, sort: str, register: str | None, base: str | None
) -> None:
    decoded = instruction(bytes.fromhex(code) + bytes(8))
    assert decoded.sort == sort
    assert decoded.register == register
    if sort not in ("pop", "ret"):
        assert decoded.base == base
