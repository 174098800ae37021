# SPDX-License-Identifier: Apache-2.0
"""Objects of other people's libraries out of real cores, against what repr() said in each process.

tests/programs/libraries has a program a family. All of them on each minor version for which the
libraries have wheels with `--heavy`; a few in the ordinary run, on one interpreter each.
"""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest
from support.cores import CORPUS, CoreFailed, Program, make_core
from support.interpreters import Interpreter, one_per_minor, spread
from support.judge import EXACT, MARKED, WRONG, Judged, judge, opened
from support.mutate import MutatedTarget
from support.opening import made_or_skip

from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import UnreadableMemory

PROGRAMS = [entry for entry in CORPUS if entry.file.startswith("libraries/")]
# What costs little: no packages, or numpy, which the tests install anyway.
CHEAP = ("numpy_arrays", "enums", "dataclass_objects", "templates", "sentinels")
ORDINARY = [
    pytest.param(interpreter, program, id=f"{interpreter.id}-{program.name}")
    for program in PROGRAMS
    if program.name in CHEAP
    for interpreter in spread(program.name, program.supports, every=9)
]
LEAST_PROGRAMS, LEAST_SHARE = 30, 0.95
HOSTILE = (0, 1, 3, 64, 0x1000, 1 << 40, 1 << 63, (1 << 64) - 1, 0xDDDDDDDDDDDDDDDD)
ROUNDS = 150
MAX_SECONDS = 5.0  # of processor time for one damaged value; far above what was seen


def check(judgements: list[Judged]) -> Counter[str]:
    """Assert that no value is wrong; return how many there are of each verdict."""
    wrong = [judgement for judgement in judgements if judgement.verdict == WRONG]
    assert not wrong, [
        (judgement.name, judgement.expected, judgement.decoded and judgement.decoded.text)
        for judgement in wrong
    ]
    return Counter(judgement.verdict for judgement in judgements)


@pytest.mark.parametrize(("interpreter", "one"), ORDINARY)
def test_values_are_what_repr_said(interpreter: Interpreter, one: Program) -> None:
    made = made_or_skip(interpreter, one)
    counts = check(list(judge(made, opened(made))))
    assert set(counts) <= {EXACT, MARKED}
    assert counts[EXACT] / counts.total() >= LEAST_SHARE, counts


@pytest.mark.heavy
def test_all_libraries_on_all_versions() -> None:
    """Over all programs and interpreters; the table is printed, as `pytest -s` shows."""
    totals: Counter[str] = Counter()
    by_program: dict[str, Counter[str]] = {}
    none: list[str] = []
    wrong: list[Judged] = []
    for interpreter in one_per_minor():
        for program in PROGRAMS:
            if not program.supports(interpreter):
                continue
            try:
                made = make_core(interpreter, program)
            except CoreFailed as error:  # no wheels for it
                none.append(str(error).splitlines()[0])
                continue
            judgements = list(judge(made, opened(made)))
            (made.core.parent / "truth.json").unlink()
            made.core.unlink()
            for judged in judgements:
                if judged.verdict != EXACT:
                    got = judged.decoded.text[:200] if judged.decoded else None
                    where = f"{interpreter.id} {program.name}.{judged.name}"
                    print(f"{judged.verdict} {where}: {judged.expected[:200]!r} {got!r}")
            wrong += [judged for judged in judgements if judged.verdict == WRONG]
            counts = Counter(judged.verdict for judged in judgements)
            by_program.setdefault(program.name, Counter()).update(counts)
            totals.update(counts)
    for name, counts in sorted(by_program.items()):
        print(f"{name:28} {dict(counts)}")
    print(f"{dict(totals)}; no cores: {len(none)}")
    assert not wrong
    assert len(by_program) >= LEAST_PROGRAMS, none
    assert totals[EXACT] / totals.total() >= LEAST_SHARE, totals


@pytest.mark.heavy
def test_frames_of_pandas_are_printed_where_they_are_small_and_plain() -> None:
    """What is not printed is not said to be: shape, columns and lengths are told beside it."""
    program = next(entry for entry in PROGRAMS if entry.name == "pandas_frames")
    interpreter = spread(program.name, lambda interpreter: interpreter.minor >= (3, 11), every=1)[0]
    made = made_or_skip(interpreter, program)
    state = opened(made)
    shown = {judged.name: judged for judged in judge(made, state)}
    check(list(shown.values()))
    for name in ("table", "mixed", "tiny", "objects", "many", "several", "series", "floats"):
        assert shown[name].verdict == EXACT
    parts = {}
    for name in ("too_many", "named", "kinds", "wide", "index", "priced"):
        assert shown[name].verdict == MARKED
        assert shown[name].decoded is not None
        parts[name] = dict(shown[name].decoded.attributes)
    assert parts["too_many"]["shape"] == "(61, 1)" and parts["too_many"]["columns"] == "['n']"
    assert parts["named"]["shape"] == "(1, 1)" and parts["wide"]["shape"] == "(1, 12)"
    assert parts["index"]["length"] == "2" and parts["priced"]["length"] == "61"
    secrets = {"accounts": "columns=['user', 'password']", "account": "length=2",
               "rows_of_account": "shape=(2, 1)"}  # fmt: skip
    for name in secrets:
        assert "hunter2" in shown[name].decoded.text  # asked for secrets
    assert isinstance(state.python, PythonState)
    values = get_process_values(state.target, state.python)
    reader = FrameVariables(values)
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    variables = [pair for frame in thread.frames for pair in reader.variable_addresses(frame)]
    masked = {
        name: values.value_of(at).text_with_attributes()
        for name, at in variables
        if name in secrets
    }
    for name, secret in secrets.items():
        assert secret in masked[name] and "hunter2" not in masked[name], masked


@pytest.mark.heavy
@pytest.mark.parametrize(
    "name",
    ["numpy_records", "pyarrow_nested_scalars", "pyarrow_nested_arrays", "sqlalchemy_rows"],
)
def test_what_lies_under_the_name_of_a_secret_is_not_shown(name: str) -> None:
    program = next(entry for entry in PROGRAMS if entry.name == name)
    interpreter = spread(program.name, lambda interpreter: interpreter.minor >= (3, 11), every=1)[0]
    made = made_or_skip(interpreter, program)
    state = opened(made)
    judged = list(judge(made, state))
    check(judged)
    secret = {each.name for each in judged if "hunter2" in each.expected}
    assert "account" in secret
    assert isinstance(state.python, PythonState)
    values = get_process_values(state.target, state.python)
    reader = FrameVariables(values)
    frames = [frame for thread in state.python.threads() for frame in thread.frames]
    shown = {
        variable: values.value_of(at).text_with_attributes()
        for frame in frames
        for variable, at in reader.variable_addresses(frame)
        if variable in secret
    }
    assert shown.keys() == secret
    assert not [text for text in shown.values() if "hunter2" in text]


@pytest.mark.parametrize(
    "name",
    [
        "numpy_arrays",
        *(
            pytest.param(name, marks=pytest.mark.heavy)
            for name in (
                "numpy_records", "pandas_timestamps", "pandas_periods", "pandas_categoricals",
                "pandas_frames", "pyarrow_nested_scalars", "pyarrow_nested_arrays", "pyarrow_types",
                "sqlalchemy_rows",
            )
        ),
    ],
)  # fmt: skip
def test_damage_is_survived(name: str) -> None:
    """Overwrite words of objects, and of what they point to; nothing raises, nothing hangs."""
    program = next(entry for entry in PROGRAMS if entry.name == name)
    interpreter = [*spread(name, lambda each: each.minor == (3, 11)), *spread(name)][0]
    chance = random.Random(name)
    state = opened(made_or_skip(interpreter, program))
    assert isinstance(state.python, PythonState)
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    reader = FrameVariables(get_process_values(state.target, state.python))
    places = [at for frame in thread.frames for _, at in reader.variable_addresses(frame)]
    for _ in range(ROUNDS):
        address = where = chance.choice(places)
        target = MutatedTarget(state.target)
        for _ in range(chance.randrange(5)):
            try:
                word = int.from_bytes(target.read(where + 8 * chance.randrange(12), 8), "little")
                if word and not word % 8 and target.read(word, 64):
                    where = word
            except UnreadableMemory:
                continue
        for _ in range(chance.choice((1, 1, 3))):
            word = chance.choice((*HOSTILE, address, where, chance.choice(places)))
            target.put_word(where + 8 * chance.randrange(12), word)
        started = time.process_time()
        assert (
            get_process_values(target, state.python).value_of(address).text_with_attributes()
            is not None
        )
        assert time.process_time() - started < MAX_SECONDS
