# SPDX-License-Identifier: Apache-2.0
"""Cores of tests/programs/hanging.py, ended from outside, and what must be said of each."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gdb_epi.target.corefile import CoreFileTarget
from support.cores import PROGRAMS
from support.interpreters import Interpreter
from support.waiting import (
    NeverAsleep,
    NeverHappened,
    state_of,
    until_asleep,
    until_busy,
    wait_until,
    wait_until_gone,
)

PROGRAM = PROGRAMS / "hanging.py"
START = 'ulimit -c unlimited || exit 97; exec "$@"'
NANOSLEEP = ("35", "230")


class Truth(NamedTuple):
    """What holds for a program: the verdict's label, its sort ("a or b"), words of its sentence."""

    label: str
    sort: str
    words: tuple[str, ...] = ()
    fix: str = ""  # what mends it, where the finding says so


DEADLOCK, HANG, FINE = "deadlock", "hang", "no-fault"
TRUTHS = {
    "order_with": Truth(DEADLOCK, "lock order", ("take_with", "A", "B")),
    "order_by_hand": Truth(DEADLOCK, "lock order", ("take_by_hand", "__main__.A", "__main__.B")),
    "order_of_objects": Truth(DEADLOCK, "lock order", ("credit", "Account.lock")),
    "three_by_hand": Truth(DEADLOCK, "lock order", ("3 threads",)),
    "itself_by_hand": Truth(DEADLOCK, "self", ("flush", "holds itself")),
    "join_with_lock": Truth(DEADLOCK, "join", ("join_with_lock", "take_later")),
    "pool_waits_for_itself": Truth(DEADLOCK, "pool", ("outer_job",)),
    "condition_with_lock": Truth(DEADLOCK, "event and lock", ("notify_later", "condition_with")),
    "process_lock_twice": Truth(DEADLOCK, "self", ("process_lock_twice", "took itself")),
    "loop_circle": Truth(DEADLOCK, "tasks", ("Task-2", "Task-3")),
    "prefork_takes_lock_itself": Truth(HANG, "lock of its own", ("which it took itself",)),
    "database_against_itself": Truth(
        HANG,
        "database lock",
        ("database_against_itself", "`one` of this very process has"),
        "end the other connection's transaction",
    ),
    "database_and_lock_crossed": Truth(
        DEADLOCK,
        "lock order",
        ("which booking has at hand;", "; booking waits", "__main__.A, and so for"),
    ),
    "datagrams_shown": Truth(FINE, "idle", ("waits for datagrams", "show (hanging.py")),
    "datagram_never_answered": Truth(HANG, "peer", ("its descriptor is ready", "answer_of")),
    "database_read_by_itself": Truth(
        HANG, "database lock", ("of this very process reads from that database, and goes on only",)
    ),
    "database_tried_again": Truth(
        HANG, "database lock", ("insert_until_it_works", "database is locked", "`connection`")
    ),
    "callback_waits_for_its_pool": Truth(
        DEADLOCK, "pool callback", ("callback_waits_for_its_pool", "waits for itself")
    ),
    "never_released": Truth(HANG, "lock never released", ("__main__.A",)),
    "queue_without_producer": Truth(HANG, "nobody left", ("an item in a queue",)),
    "owner_ended_before_a_namesake": Truth(
        HANG, "lock never released", ("or by a thread that has ended", "is at take_a_job")
    ),
    "lock_replaced_by_a_reload": Truth(
        HANG, "lock never released", ("unless another lock had that name", "work_by_lock (hang")
    ),
    "lock_made_once": Truth(DEADLOCK, "event and lock", ("work_by_gate", "lock_made_once")),
    "simple_queue_without_producer": Truth(HANG, "nobody left", ("SimpleQueue",)),
    "queue_join_with_workers": Truth(HANG, "nobody gives it", ("all jobs", "task_done()")),
    "event_never_set": Truth(HANG, "nobody gives it", ("event_never_set",)),
    "attempt_that_failed": Truth(
        HANG, "lock never released", ("__main__.A", "no Python code that runs now holds it")
    ),
    "semaphore_without_release": Truth(HANG, "nobody left", ("semaphore",)),
    "condition_not_notified": Truth(
        HANG, "missed notification", ("first_letter", "is there already", "for the end of")
    ),
    "barrier_lacks_one": Truth(HANG, "nobody gives it", ("barrier",)),
    "exit_waits_for_thread": Truth(HANG, "nobody gives it", ("forgetful_worker",)),
    "child_waits_for_stdin": Truth(HANG, "open stdin", ("cat", "stdin")),
    "child_fills_pipe": Truth(
        HANG, "full pipe", ("not in this core; one possibility: its stdout",)
    ),
    "child_sleeps": Truth(HANG, "child", ("sleep", "not in this core")),
    "reply_never_comes": Truth(HANG, "peer", ("Unix socket",)),
    "makefile_never_ends": Truth(HANG, "peer", ("Unix socket",)),
    "lines_of_a_quiet_child": Truth(
        HANG, "peer", ("the stdout pipe of child", "in a loop", "no more has come yet")
    ),
    "pipe_never_written": Truth(HANG, "peer", ("pipe_never_written", "a pipe or a")),
    "peer_never_reads": Truth(HANG, "peer does not read", ("Unix socket",)),
    "fifo_nobody_opens": Truth(HANG, "open", ("FIFO",)),
    "file_lock_flock": Truth(HANG, "file lock", ("file_lock_flock", "that one is alive")),
    "file_lock_fcntl": Truth(HANG, "file lock", ("file_lock_fcntl", "that one is alive")),
    "file_lock_of_two_threads": Truth(DEADLOCK, "lock order", ("held by backwards; backwards",)),
    "busy_under_a_file_lock": Truth(FINE, "busy", ("counting",)),
    "file_lock_left_to_a_child": Truth(HANG, "file lock", ("by closing the file alone",)),
    "child_runs_this_very_script": Truth(
        HANG, "file lock", ("runs this program's own take_locked_file(), which takes it",)
    ),
    "children_reaped_one_by_one": Truth(
        HANG, "children reaped one by one", ("takes one child each time",)
    ),
    "idle_fifo_of_commands": Truth(FINE, "may be idle", ("a FIFO to be opened by a writer",)),
    "child_wants_a_managed_lock": Truth(
        HANG, "file lock", ("taken by flock() in locked_file", "was started to take one")
    ),
    "child_wants_a_lock_of_a_class": Truth(
        HANG, "file lock", ("flock() in child_wants_a_lock_of_a_class",)
    ),
    "child_has_a_lock_that_was_given_back": Truth(HANG, "child", ("not in this core",)),
    "process_lock_elsewhere": Truth(HANG, "lock of another process", ("processes share",)),
    "process_queue_without_producer": Truth(HANG, "queue of processes", ("between processes",)),
    "pool_worker_killed": Truth(
        HANG, "process pool", ("lost with the process that ran it", "none takes jobs")
    ),
    "feeder_never_drained": Truth(HANG, "unread queue", ("the queue `results`",)),
    "loop_blocked_sleep": Truth(HANG, "blocked event loop", ("sleeping_handler",)),
    "loop_blocked_socket": Truth(HANG, "blocked event loop", ("reading_handler", "socket")),
    "loop_future_never_set": Truth(HANG, "nothing wakes the loop", ("main",)),
    "loop_lock_twice": Truth(DEADLOCK, "tasks", ("main", "lock")),
    "loop_queue_without_producer": Truth(HANG, "nothing wakes the loop", ("main",)),
    "gil_held_asleep": Truth(HANG, "GIL held", ("holds the GIL", "native code (", "nanosleep)")),
    "busy_python": Truth(FINE, "busy", ("counting",)),
    "busy_in_a_ring": Truth(
        HANG, "endless walk", ("depth_of", "`node = node.parent`", "ring, 3 objects of type Node")
    ),
    "busy_halving": Truth(HANG, "endless loop", ("busy_halving", "and so for ever")),
    "busy_past_the_limit": Truth(HANG, "endless loop", ("busy_past_the_limit", "after one turn")),
    "busy_counting_down": Truth(HANG, "may be endless", ("in a `while` loop; nothing shows",)),
    "busy_python_thread": Truth(FINE, "busy", ("counting",)),
    "busy_parts": Truth(FINE, "busy", ("hanging.py",)),
    "busy_huge_power": Truth(HANG, "long computation", ("busy_huge_power", "9 ** 3874")),
    "busy_regex": Truth(HANG, "endless match", ("busy_regex", "all ways")),
    "busy_sum": Truth(FINE, "busy", ("busy_sum",)),
    "busy_pow": Truth(FINE, "busy", ("busy_pow",)),
    "busy_pool": Truth(FINE, "busy", ("counting",)),
    "idle_accept": Truth(FINE, "idle", ("clients",)),
    "idle_socketserver": Truth(FINE, "idle", ("serve_forever",)),
    "idle_workers": Truth(FINE, "idle", ("clients",)),
    "idle_executor": Truth(FINE, "idle", ("clients",)),
    "idle_asyncio": Truth(FINE, "idle", ("clients",)),
    "idle_sleep_loop": Truth(FINE, "sleeps", ("idle_sleep_loop",)),
    "idle_pause": Truth(FINE, "idle", ("signal",)),
    "idle_sigwait": Truth(FINE, "idle", ("signal",)),
    "idle_select": Truth(FINE, "idle", ("events",)),
    "idle_selectors": Truth(FINE, "idle", ("events",)),
    "idle_event_loop_timer": Truth(FINE, "timer", ("timer",)),
    "idle_consumers": Truth(FINE, "idle", ("stop",)),
    "prefork_worker": Truth(FINE, "idle", ("clients",)),
    "prefork_worker_threads": Truth(FINE, "idle", ("events",)),
    "pools_wait_for_each_other": Truth(
        DEADLOCK,
        "pool",
        ("2 workers of 2 thread pools", "asks_the_second", "runs; ", "for a queued job"),
    ),
    "pool_waits_for_a_busy_one": Truth(FINE, "may be idle", ("signal",)),
    "file_lock_twice": Truth(DEADLOCK, "file lock", ("holds itself by another descriptor",)),
    "idle_retry": Truth(HANG, "retries", ("in a loop that tries again", "FileNotFoundError")),
    "future_asked_again": Truth(HANG, "polls in vain or nobody gives it", ("future_asked_again",)),
    "future_awaited_in_turns": Truth(
        HANG, "nobody gives it", ("which could come from", "it waits in turns with a timeout")
    ),
    "file_never_made": Truth(HANG, "polls", ("until exists() says otherwise", "a file")),
    "peer_tried_again": Truth(HANG, "retries", ("because of ConnectionRefusedError",)),
    "one_of_two_workers_calls": Truth(HANG, "one client", ("a fixed number of times",)),
    "prompt_of_other_words": Truth(HANG, "peer", ("without a timeout",)),
    "answers_of_three": Truth(HANG, "peer", ("a fixed number of times",)),
    "served_one_at_a_time": Truth(HANG, "one client", ("serves one client at a time",)),
    "lock_kept_by_a_server": Truth(HANG, "idle holder", ("serve_forever", "keeps what it holds")),
    "idle_datagrams": Truth(FINE, "idle", ("which could come from", "whoever sends one")),
    "loop_not_woken": Truth(
        HANG,
        "nothing wakes the loop",
        ("1 callback is ready", "call_soon_threadsafe", "Task-1 waits for is done already"),
    ),
    "executor_waits_for_its_stop": Truth(
        DEADLOCK,
        "event and join",
        ("__main__.STOP", "MainThread, which could end this wait, waits"),
    ),
    "loop_waits_for_its_executor": Truth(HANG, "nobody gives it", ("its executor's thread",)),
    "queues_in_a_circle": Truth(
        DEADLOCK,
        "queues",
        ("2 threads wait", "for room in a queue (answers), which is to come from "),
    ),
    "workers_without_work_in_a_circle": Truth(FINE, "idle", ("serve_forever",)),
    "loop_queues_in_a_circle": Truth(DEADLOCK, "tasks", ("2 tasks", "room in a queue (answers")),
    "loop_job_not_done": Truth(
        HANG,
        "nothing wakes the loop",
        ("loop's own; task Task-1 waits in join()", "task_done() was not called for 1 job of it"),
    ),
    "exit_waits_for_timer": Truth(FINE, "timer", ("the program is over", "timer is due")),
    "exit_waits_for_timers": Truth(HANG, "timer", ("the program is over", "starts another one")),
    "busy_reading_after_the_end": Truth(
        HANG, "reads past the end", ("`received` is empty, which recv() gives at the end",)
    ),
    "busy_reading_blocks": Truth(
        HANG, "reads past the end", ("`block` is empty", "ends only at a value of type str")
    ),
    "busy_skipping_lines": Truth(
        HANG, "reads past the end", ("skip_empty", "the stream that readline() reads has ended")
    ),
    "busy_with_the_last_block": Truth(HANG, "may be endless", ("busy_with_the_last_block",)),
    "busy_with_an_empty_file": Truth(FINE, "busy", ("busy_with_an_empty_file",)),
    "jobs_of_a_pool_await_their_end": Truth(
        DEADLOCK, "event and join", ("results of a pool", "which could end this wait")
    ),
    "lock_wanted_by_the_action_of_a_barrier": Truth(
        DEADLOCK, "event and lock", ("MainThread", "act", "__main__.A")
    ),
    "connection_of_a_pool_and_lock": Truth(
        DEADLOCK, "event and lock", ("waits for MainThread", "after 3,600 s (1 h)")
    ),
    "permit_and_lock": Truth(
        DEADLOCK, "event and lock", ("a semaphore", "waits for MainThread", "after 1,800 s")
    ),
    "lock_that_a_try_did_not_get": Truth(
        HANG, "lock never released", ("no Python code that runs now holds it",)
    ),
    "copy_kept_open_by_its_file": Truth(HANG, "socket kept open", ("take_copy", "makefile()")),
    "workers_that_take_turns": Truth(FINE, "timed wait", ("with a timeout",)),
    "idle_console_of_a_loop": Truth(FINE, "idle", ("its loop gets from", "standard input")),
    "answer_of_a_console": Truth(FINE, "idle", ("standard input",)),
    "idle_until_it_is_due": Truth(FINE, "timer", ("computed by the clock",)),
    "timed_wait_beside_a_clock": Truth(HANG, "timed wait", ("in a loop; no other thread",)),
    "idle_supervisor": Truth(FINE, "may be idle", ("sleep", "runs again and again")),
    "child_of_a_job": Truth(HANG, "child", ("sleep", "not in this core")),
    "busy_until_a_flag": Truth(HANG, "polls", ("spins", "`counter.done` changes")),
    "busy_asking_an_event": Truth(HANG, "nobody gives it", ("(done)", "no frame of another")),
    "busy_while_another_works": Truth(FINE, "busy", ("computing",)),
    "busy_search_beyond": Truth(HANG, "endless search", ("seeks 7", "in steps of 5")),
    "busy_search_ahead": Truth(FINE, "busy", ("busy_search_ahead",)),
    "output_of_a_grandchild": Truth(
        HANG, "child", ("for the output of child", "it, or a process that it started")
    ),
    "c_semaphore_never_posted": Truth(HANG, "nobody left", ("whose count is 0",)),
    "rwlock_of_readers": Truth(
        HANG, "lock never released", ("which readers hold", "so it holds it itself")
    ),
    "timed_wait_in_a_loop": Truth(HANG, "timed wait", ("in a loop; no other thread is left",)),
    "event_of_processes": Truth(
        HANG, "lock of another process", ("a notification of another process",)
    ),
    "question_not_sent": Truth(HANG, "not sent", ("18 bytes", "the child's stdin")),
    "question_to_a_socket_not_sent": Truth(HANG, "not sent", ("18 bytes", "of that descriptor")),
    "lines_read_ahead": Truth(HANG, "read ahead", ("lines_read_ahead", "was read ahead")),
    "own_writing_end": Truth(
        HANG, "pipe of its own", ("count_until_the_end", "`counter` of own_w")
    ),
    "idle_keeper_of_a_child": Truth(FINE, "may be idle", ("keep_child", "which it runs again")),
    "peer_polled": Truth(HANG, "retries", ("peer_polled", "by create_connection()")),
    "idle_between_three_tries": Truth(FINE, "sleeps", ("idle_between_three_tries",)),
    "busy_at_the_end_of_a_socket": Truth(HANG, "reads past the end", ("`line`", "recv()")),
    "busy_at_the_end_of_a_connection": Truth(HANG, "reads past the end", ("`self.rest`",)),
    "busy_reading_up_to_a_number": Truth(HANG, "reads past the end", ("`data`", "recv()")),
    "busy_over_a_growing_list": Truth(HANG, "may be endless", ("a list that grows meanwhile",)),
    "idle_until_a_signal_comes": Truth(FINE, "idle", ("handler of SIGTERM ends",)),
    "thread_until_a_signal_comes": Truth(FINE, "until a signal", ("signal",)),
    "event_that_a_base_class_sets": Truth(HANG, "nobody gives it", ("may end that",)),
    "main_thread_failed": Truth(HANG, "failed main", ("ValueError",)),
    "cancel_ignored": Truth(HANG, "ignored cancel", ("look_for_ever", "asked to end by cancel()")),
    "cancel_swallowed_below_its_loop": Truth(HANG, "ignored cancel", ("at follow_quotes",)),
    "idle_while_a_cancelled_task_closes": Truth(FINE, "timer", ("close_slowly",)),
    "database_left_open_by_an_idle_thread": Truth(
        HANG, "database lock", ("goes on only when this call has returned",)
    ),
    "idle_at_the_end_of_a_pipeline": Truth(FINE, "timed wait", ("gather", "look_now_and_then")),
    "join_of_a_thread_that_is_gone": Truth(HANG, "join", ("Python was not told",)),
    "output_of_a_shell_that_leaves_a_service": Truth(
        HANG, "child", ("leaves sleep in the background",)
    ),
    "busy_with_comprehensions": Truth(HANG, "endless loop", ("without end",)),
    "busy_with_a_plan_in_decimals": Truth(HANG, "endless loop", ("without end",)),
    "handshake_never_answered": Truth(HANG, "peer", ("part of the handshake",)),
    "event_of_a_failed_link": Truth(HANG, "nobody wakes it", ("feed.linked", "ConnectionError")),
    "parked_beside_a_heartbeat": Truth(FINE, "timer"),
    "tasks_linked_by_a_failed_one": Truth(HANG, "polls in vain", ("until_linked", "self.state")),
    "loop_blocked_in_turns": Truth(
        HANG, "blocked event loop", ("ask_until_there", "no task can run until that loop ends")
    ),
    "idle_while_a_task_works_off": Truth(FINE, "timer"),
    "idle_while_a_thread_works_off": Truth(FINE, "sleeps"),
    "output_that_a_sleeper_takes": Truth(HANG, "peer does not read", ("print_much",)),
    "ticker_until_it_is_closed": Truth(FINE, "timed wait", ("tick (", "closing")),
    "ticker_that_nobody_approves": Truth(HANG, "polls in vain", ("tick_until_approved",)),
}


MOST_RUNS = 20  # of a program that is to be asleep when its core is written
# They sleep, look, and sleep again (SQLite: for 0.1 s), or a thread beside them wakes all the time.
DOZING = (
    "gil_held_asleep", "database_against_itself", "database_read_by_itself",
    "database_read_by_another", "database_and_lock_crossed",
    "database_left_open_by_an_idle_thread",
)  # fmt: skip


@contextlib.contextmanager
def hanging(
    interpreter: Interpreter, name: str, folder: Path, program: Path = PROGRAM, packages: str = ""
) -> Iterator[int]:
    """Run a program of hanging.py until it hangs, computes or waits; yield the process to end.

    `program` may be another one, and `packages` a folder that it finds its libraries in.

    Raises NeverAsleep.
    """
    words = ["sh", "-c", START, "sh", str(interpreter.host_executable), str(program), name]
    environment = {**os.environ, "PYTHONPATH": packages} if packages else None
    with open(folder / "output", "wb") as output:
        process = subprocess.Popen(
            words, cwd=folder, stdin=subprocess.PIPE, stdout=output, stderr=output,
            start_new_session=True, env=environment,
        )  # fmt: skip
    try:
        try:
            wait_until((folder / "ready").exists, during=process)
            if name.startswith("busy"):
                until_busy(process.pid, during=process)
            elif name in DOZING:
                wait_until(lambda: _call(process.pid) in NANOSLEEP, during=process)
            else:
                until_asleep(process.pid)
        except NeverHappened as reason:
            raise NeverAsleep(str(reason)) from None
        pid = process.pid
        if name.startswith("prefork"):
            child = folder / "child"  # written by the child, which may be slower than its parent
            pid = int(wait_until(lambda: child.exists() and child.read_text(), during=process))
            until_asleep(pid)
        yield pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdin.close()


def core_by_signal(
    interpreter: Interpreter, name: str, folder: Path, signo: int = signal.SIGABRT,
    program: Path = PROGRAM, packages: str = "",
) -> Path:  # fmt: skip
    """Return the core of a program that a signal from outside ended; raises NeverAsleep."""
    for _ in range(MOST_RUNS):
        with hanging(interpreter, name, folder, program, packages) as pid:
            if name in DOZING:
                stop_in_a_sleep(pid, short=name.startswith("database"))
            os.kill(pid, signo)
            if name in DOZING:
                os.kill(pid, signal.SIGCONT)  # the other signal comes first: no code runs between
            wait_until_gone(pid)
        cores = sorted(folder.glob("core*"))
        assert cores, (folder / "output").read_text(errors="replace")
        if name not in DOZING or is_in_a_sleep(cores[0]):
            return cores[0]
        folder = folder / "again"
        folder.mkdir()
    raise NeverAsleep(f"of {MOST_RUNS} cores of {name} none is of a sleep")


def is_in_a_sleep(core: Path) -> bool:
    """Tell whether the signal interrupted a sleep of a core's first thread: -ERESTART...

    From outside a sleep that had ended looks the same, where the process did not run since.
    """
    return CoreFileTarget.open(core).threads()[0].registers["rax"] >> 63 == 1


def core_by_gdb(interpreter: Interpreter, name: str, folder: Path) -> Path:
    """Return a core that GDB wrote of the living program."""
    core = folder / "snapshot"
    with hanging(interpreter, name, folder) as pid:
        words = ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", f"generate-core-file {core}"]
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL)
    assert core.exists(), done.stderr
    return core


def stop_in_a_sleep(pid: int, *, short: bool = False) -> None:
    """Stop a process between falling asleep and waking: what is seen of a running one is past.

    Of `short` sleeps it is a new one: one that is about to end looks the same from outside.
    """

    def stopped() -> bool:
        before = _sleeps(pid)
        if short:
            wait_until(lambda: _sleeps(pid) != before)
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: state_of(pid) == "T")
        if _call(pid) in NANOSLEEP:
            return True
        os.kill(pid, signal.SIGCONT)
        return False

    wait_until(stopped)


def _sleeps(pid: int) -> str:
    """Return how often the main thread has gone to sleep, as /proc says it."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line for line in lines if line.startswith("voluntary_ctxt_switches"))


def _call(pid: int) -> str:
    return Path(f"/proc/{pid}/syscall").read_text().split()[0]
