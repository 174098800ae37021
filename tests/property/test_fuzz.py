# SPDX-License-Identifier: Apache-2.0
"""Seeded inputs, hundreds of them: no exception, none that hangs, bounded memory.

The same inputs as the first ones of tests/bench/fuzz.py; with `--heavy` 100,000 of them.
"""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
from support.fuzzing import (
    FILE_EVERY,
    HANG_SECONDS,
    SNAPSHOTS,
    Corpus,
    Outcome,
    run_input,
    unpacked_samples,
)

INPUTS = 600
PARTS = 8
HEAVY_INPUTS = 100_000
HEAVY_PARTS = 100
MAX_GROWTH_MB = 200


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The recordings in the tree, and the sample cores unpacked."""
    folder: Path = tmp_path_factory.mktemp("samples")
    return Corpus(sorted(SNAPSHOTS.glob("*.json.xz")), unpacked_samples(folder))


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("part", range(PARTS))
def test_damaged_inputs(corpus: Corpus, part: int) -> None:
    check(corpus, range(part, INPUTS, PARTS))


@pytest.mark.heavy
@pytest.mark.parametrize("part", range(HEAVY_PARTS))
def test_many_more_damaged_inputs(corpus: Corpus, part: int) -> None:
    check(corpus, numbers_of(part))


def numbers_of(part: int) -> range:
    """Return the numbers of a part: neighbours, as every fifth input is a file and no recording."""
    each = (HEAVY_INPUTS - INPUTS) // HEAVY_PARTS
    return range(INPUTS + part * each, INPUTS + (part + 1) * each)


def test_every_part_has_files_and_recordings() -> None:
    parts = [numbers_of(part) for part in range(HEAVY_PARTS)]
    parts += [range(part, INPUTS, PARTS) for part in range(PARTS)]
    for numbers in parts:
        assert {number % FILE_EVERY == 0 for number in numbers} == {True, False}
    assert sum(map(len, parts)) == HEAVY_INPUTS


def check(corpus: Corpus, numbers: range) -> None:
    """Run the inputs of these numbers: each gives an answer, in time and memory."""
    before = peak_mb()
    outcomes = [run_input(corpus, 1, number) for number in numbers]
    assert not [outcome for outcome in outcomes if outcome.failure]
    # Ten times: other machines, other load.
    assert not [outcome for outcome in outcomes if outcome.seconds > 10 * HANG_SECONDS]
    assert peak_mb() - before < MAX_GROWTH_MB
    assert {outcome.drive for outcome in outcomes} >= {"record", "stacks", "command"}


def test_an_input_is_the_same_twice(corpus: Corpus) -> None:
    def without_time(outcome: Outcome) -> Outcome:
        return outcome._replace(seconds=0.0)

    assert without_time(run_input(corpus, 1, 7)) == without_time(run_input(corpus, 1, 7))


def test_an_exception_would_be_seen(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("broken on purpose")

    for name in ("record", "stacks", "command"):
        monkeypatch.setitem(__import__("support.fuzzing").fuzzing.DRIVES, name, broken)
    failures = [run_input(corpus, 1, n).failure for n in (1, 2, 3)]
    assert all("KeyError: 'broken on purpose'" in failure for failure in failures)
