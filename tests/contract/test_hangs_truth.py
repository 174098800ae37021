# SPDX-License-Identifier: Apache-2.0
"""What is said of processes that hang, compute or wait for work, when somebody ends them."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path

import pytest
from support.cores import why_no_core_dumps
from support.hangs import TRUTHS, Truth, core_by_gdb, core_by_signal
from support.interpreters import Interpreter, discover, spread
from support.mutate import MutatedTarget

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.process_state import ProcessState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

HOSTILE = (0, 1, 2, 7, 0x1000, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1)
ROUNDS = 15
NOT_ON_MUSL = {
    "database_and_lock_crossed": "the interpreter on musl is built without sqlite3",
    "database_against_itself": "the interpreter on musl is built without sqlite3",
    "database_read_by_itself": "the interpreter on musl is built without sqlite3",
    "database_tried_again": "the interpreter on musl is built without sqlite3",
    "database_left_open_by_an_idle_thread": "the interpreter on musl is built without sqlite3",
    "join_of_a_thread_that_is_gone": "musl has no count of forks",
    "never_released": "musl's C locks are not judged, so an ended thread's lock has no holder",
    "c_semaphore_never_posted": "musl's C locks are not judged",
    "rwlock_of_readers": "musl's C locks are not judged",
}
# asyncio counts the calls of cancel()
OLDEST = {"cancel_ignored": (3, 11), "cancel_swallowed_below_its_loop": (3, 11)}


def runs_on(interpreter: Interpreter, name: str) -> bool:
    if interpreter.minor < OLDEST.get(name, (3, 8)):
        return False
    on_musl = interpreter.id.startswith("musl") and name in NOT_ON_MUSL
    return interpreter.root is None and not interpreter.free_threaded and not on_musl


EVERYDAY = 4  # every fourth program is in the ordinary run: each waits until it hangs
CELLS = [
    pytest.param(
        interpreter,
        name,
        id=f"{interpreter.id}-{name}",
        marks=pytest.mark.heavy if number % EVERYDAY else (),
    )
    for number, name in enumerate(TRUTHS)
    for interpreter in spread(
        name, lambda interpreter, name=name: runs_on(interpreter, name), every=99
    )
]


def check(core: Path, name: str, truth: Truth, sysroot: Path | None = None) -> None:
    parts = run_stages(
        Session(CoreFileTarget.open(core, sysroot=str(sysroot) if sysroot else None))
    )
    answer = parts.state.hang
    assert not isinstance(answer, Absent), answer
    assert answer.label == truth.label, answer
    assert answer.kind.removesuffix(" native") in truth.sort.split(" or "), answer
    assert all(word in answer.sentence for word in truth.words), answer.sentence
    assert answer.fix == truth.fix or not truth.fix
    assert answer.evidence
    errors = [error for error in parts.soft_errors if error.stage == "detector"]
    assert errors == []


@pytest.mark.parametrize(("interpreter", "name"), CELLS)
def test_answer(interpreter: Interpreter, name: str, tmp_path: Path) -> None:
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    signo = signal.SIGQUIT if len(name) % 2 else signal.SIGABRT
    take = core_while_asleep if name.startswith("database_") else core_by_signal
    check(take(interpreter, name, tmp_path, signo), name, TRUTHS[name])
    shutil.rmtree(tmp_path)


def core_while_asleep(
    interpreter: Interpreter, name: str, folder: Path, signo: int = signal.SIGABRT
) -> Path:
    """Return a core of a program whose thread waits in SQLite for a lock, at most the fourth.

    SQLite sleeps and looks again: on a busy machine the sleep may end before the signal comes.
    """
    for attempt in range(4):
        (folder / str(attempt)).mkdir()
        core = core_by_signal(interpreter, name, folder / str(attempt), signo)
        hang = run_stages(Session(CoreFileTarget.open(core))).state.hang
        if isinstance(hang, Absent) or hang.kind not in ("busy", "busy native"):
            break
    return core


@pytest.mark.parametrize(
    "name", ["order_with", "join_with_lock", "condition_with_lock", "queue_without_producer"]
)
def test_answer_without_any_file_of_the_process(name: str, tmp_path: Path) -> None:
    """A core that was copied to another machine: names of C types and methods are in no core."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    new = [each for each in discover() if runs_on(each, name) and each.version >= (3, 13)]
    if not new:
        pytest.skip("no CPython 3.13 or later here: older ones are not found without their files")
    empty = tmp_path / "empty"
    empty.mkdir()
    check(core_by_signal(new[0], name, tmp_path), name, TRUTHS[name], empty)
    shutil.rmtree(tmp_path)


def test_a_database_that_another_thread_reads_may_be_given_free(tmp_path: Path) -> None:
    """The healthy twin of database_read_by_itself: the reader goes on by itself."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    name = "database_read_by_another"
    interpreter = spread(
        name, lambda interpreter: interpreter.root is None and not interpreter.free_threaded
    )[0]
    parts = run_stages(Session(CoreFileTarget.open(core_while_asleep(interpreter, name, tmp_path))))
    assert not isinstance(parts.state.hang, Absent)
    assert "reads from that database, which reader has at hand" in parts.state.hang.sentence
    assert parts.state.hang.sure == INFO
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize(
    ("name", "sure", "words"),
    [
        ("join_under_a_process_lock", PROBABLE, "processes share (`lock`), and 1 thread of other"),
        ("join_beside_a_process_lock", INFO, "what that child does is not in this core"),
    ],
)
def test_a_lock_held_while_a_child_is_joined(
    name: str, sure: str, words: str, tmp_path: Path
) -> None:
    """How many wait for it stands in the semaphore: the second child does something else."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    interpreter = spread(
        "join", lambda interpreter: interpreter.root is None and not interpreter.free_threaded
    )[0]
    parts = run_stages(Session(CoreFileTarget.open(core_by_signal(interpreter, name, tmp_path))))
    assert not isinstance(parts.state.hang, Absent)
    assert words in parts.state.hang.sentence
    assert (parts.state.hang.kind, parts.state.hang.sure) == ("child", sure)
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize(
    ("name", "label", "sure", "outside"),
    [
        ("loop_fed_by_a_signal", "hang", INFO, True),
        ("loop_fed_by_a_handler", "hang", INFO, True),
        ("loop_fed_by_another_loop", "hang", INFO, False),
        ("loop_asked_to_end_by_a_signal", "hang", PROBABLE, True),
        ("loop_circle_with_a_handler", "deadlock", PROBABLE, True),
    ],
)
def test_what_a_signal_or_another_loop_may_end(
    name: str, label: str, sure: str, outside: bool, tmp_path: Path
) -> None:
    """Where a handler of the program may wake it, nothing is proven; a circle stays one.

    That code of another task names cancel(), as the main task does here, is a doubt there too.
    """
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    for interpreter in spread("signals", lambda interpreter: (
        interpreter.root is None and not interpreter.free_threaded and interpreter.minor >= (3, 10)
    )):  # fmt: skip
        folder = tmp_path / interpreter.id
        folder.mkdir()
        parts = run_stages(Session(CoreFileTarget.open(core_by_signal(interpreter, name, folder))))
        answer = parts.state.hang
        assert not isinstance(answer, Absent)
        assert (answer.label, answer.sure) == (label, sure), (interpreter.id, answer)
        assert bool(answer.outside) is outside, (interpreter.id, answer)
        assert "nothing can wake it" not in answer.sentence
        shutil.rmtree(folder)


@pytest.mark.heavy
def test_a_job_that_a_signal_ends(tmp_path: Path) -> None:
    """The handler sets the future that the job of a pool waits for."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    for interpreter in spread(
        "signals", lambda interpreter: interpreter.root is None and not interpreter.free_threaded
    ):
        folder = tmp_path / interpreter.id
        folder.mkdir()
        core = core_by_signal(interpreter, "job_ended_by_a_signal", folder)
        answer = run_stages(Session(CoreFileTarget.open(core))).state.hang
        assert not isinstance(answer, Absent)
        assert answer.label == "no-fault" or answer.sure == INFO, (interpreter.id, answer)
        shutil.rmtree(folder)


def keys_of(name: str, folder: Path, interpreter: Interpreter | None = None) -> dict[str, str]:
    by_default = spread(
        "keys", lambda interpreter: interpreter.root is None and not interpreter.free_threaded
    )[0]
    folder.mkdir()
    core = core_by_signal(interpreter or by_default, name, folder)
    signature = run_stages(Session(CoreFileTarget.open(core))).signed.signature
    shutil.rmtree(folder)
    return {key: made.text for key, made in signature.keys.items()}


@pytest.mark.heavy
def test_keys_hold_the_cause(tmp_path: Path) -> None:
    """Deadlocks that differ have keys that differ; one that comes again has the same."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    names = ("order_by_hand", "order_of_objects", "three_by_hand", "join_with_lock")
    made = {name: keys_of(name, tmp_path / name)["python"] for name in names}
    assert len(set(made.values())) == len(names)
    assert "threading.Lock:__main__.A" in made["order_by_hand"]
    assert keys_of(names[0], tmp_path / "again")["python"] == made[names[0]]


@pytest.mark.heavy
def test_one_busy_loop_has_one_key(tmp_path: Path) -> None:
    """Which of its functions was running is chance; a `with` block before it is no loop."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    expected = "gsig/2 python killed-external busy py:__main__.busy_parts <- py:__main__.<module>"
    for interpreter in spread(
        "keys", lambda interpreter: interpreter.root is None and not interpreter.free_threaded
    ):
        made = keys_of("busy_parts", tmp_path / interpreter.id, interpreter)["python"]
        assert made == expected, interpreter.id


@pytest.mark.parametrize("name", ["order_of_objects", "loop_circle"])
@pytest.mark.heavy
def test_damaged_words_give_an_answer_or_a_reason(name: str, tmp_path: Path) -> None:
    """Words of frames, code, variables and locks become hostile ones."""
    if (reason := why_no_core_dumps()) is not None:
        pytest.skip(f"no core dumps here: {reason}")
    interpreter = next(
        o
        for o in spread(
            "keys", lambda interpreter: interpreter.root is None and not interpreter.free_threaded
        )
    )
    target = CoreFileTarget.open(core_by_signal(interpreter, name, tmp_path))
    state = ProcessState(target)
    places = [place for wait in state.locks.waits for place in (wait.address, wait.object or 0)]
    for thread in state.python_threads():
        places += [place for frame in thread.frames for place in (frame.address, frame.code)]
    places = [place & ~7 for place in places if place]
    chosen = random.Random(7)
    for _ in range(ROUNDS):
        damaged = MutatedTarget(target)
        for _ in range(3):
            at = chosen.choice(places) + 8 * chosen.randrange(16)
            damaged.put_word(at, chosen.choice(HOSTILE))
        hang = ProcessState(damaged).hang  # type: ignore[arg-type]
        assert hang.reason if isinstance(hang, Absent) else hang.sentence
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize("name", ["order_by_hand", "idle_workers"])
def test_answer_of_a_living_process(name: str, tmp_path: Path) -> None:
    """A debugger wrote the core: there is no signal at all."""
    if shutil.which("gdb") is None:
        pytest.skip("gdb is not on PATH")
    interpreter = next(
        o
        for o in spread(
            name, lambda interpreter: interpreter.root is None and not interpreter.free_threaded
        )
    )
    check(core_by_gdb(interpreter, name, tmp_path), name, TRUTHS[name])
    shutil.rmtree(tmp_path)
