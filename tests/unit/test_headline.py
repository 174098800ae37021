# SPDX-License-Identifier: Apache-2.0
"""The place that the first sentences name: the code that is meant, not what reports or sleeps."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from gdb_epi.fault.address_place import OR_A_NUMBER
from gdb_epi.record.record_parts import explaining_thread_name
from gdb_epi.render.frame_lines import (
    ABORTING,
    HANDLER,
    NATIVE,
    PYTHON,
    REMARK,
    StackCall,
    failure_place_words,
)
from gdb_epi.render.opening_sentences import opening_sentences
from gdb_epi.render.triage_wait_lines import next_steps_of_hang

TICK = StackCall(PYTHON, "tick", filename="/home/me/clock.py", lineno=7)


def native(name: str, module: str = "libpython3.13.so.1.0", aside: str = "") -> StackCall:
    return StackCall(NATIVE, name, module=module, aside=aside)


GIVES_UP = (
    native("raise, abort", "libc.so.6", ABORTING),
    native("fatal_error_exit"),
    native("_Py_FatalErrorFunc"),
    native("PyGILState_Release"),
)


def test_of_python_that_gives_up_the_function_is_named_that_was_misused() -> None:
    sender = native("sender", "uplink.so")
    assert (
        failure_place_words([*GIVES_UP, sender])
        == "in PyGILState_Release, called from sender (uplink.so)"
    )
    assert (
        failure_place_words([*GIVES_UP, TICK])
        == "in PyGILState_Release, called from tick (clock.py:7)"
    )
    assert (
        failure_place_words([*GIVES_UP[:2], TICK])
        == "in fatal_error_exit, called from tick (clock.py:7)"
    )


def test_code_of_the_program_is_not_asked_who_called_it() -> None:
    mine = native("sender", "uplink.so"), native("start_thread", "libc.so.6")
    assert failure_place_words(mine) == "in sender"


def test_a_computation_names_the_c_function() -> None:
    reason = "MainThread was computing at tick (clock.py:7)"
    record: dict[str, Any] = {
        "verdict": {"label": "no-fault", "confidence": 0.7, "reasons": [reason]},
        "threads": {"count": 1},
        "signal": {"name": "SIGABRT", "sender": "other"},
        "findings": [{"detector": "going_on", "summary": reason, "facts": {"sort": "busy"}}],
    }
    inner = (
        native("PyErr_CheckSignals"),
        native("sre_match"),
    )  # the inner one is chance
    (_, plain), (_, in_c) = (
        opening_sentences(record, [TICK]),
        opening_sentences(record, [*inner, TICK]),
    )
    assert plain.startswith(f"{reason}. ")
    assert in_c.startswith("MainThread was computing in sre_match, called from tick (clock.py:7). ")


def test_a_live_process_that_collects_garbage_is_said_to_do_so() -> None:
    reason = "MainThread was computing at tick (clock.py:7)"
    record: dict[str, Any] = {
        "verdict": {"label": "no-fault", "confidence": 0.7, "reasons": [reason]},
        "threads": {"count": 1, "crashed": {"name": "MainThread"}},
        "process": {"live": True},
        "findings": [{"detector": "going_on", "summary": reason, "facts": {"sort": "busy"}}],
    }
    collects = native("list_traverse"), native("gc_collect_main"), TICK
    assert opening_sentences(record, [TICK])[0].endswith("MainThread computes at tick (clock.py:7)")
    first = opening_sentences(record, collects)[0]
    assert first.endswith("MainThread collects garbage at tick (clock.py:7)")


def test_of_several_threads_it_is_not_said_that_they_waited_for_nothing() -> None:
    reason = "MainThread was computing at tick (clock.py:7)"
    record: dict[str, Any] = {
        "verdict": {"label": "no-fault", "confidence": 0.7, "reasons": [reason]},
        "threads": {"count": 5},
        "signal": {"name": "SIGABRT", "sender": "other"},
        "findings": [{"detector": "going_on", "summary": reason, "facts": {"sort": "busy"}}],
    }
    first, _ = opening_sentences(record, [TICK])
    assert first.endswith("ended it: it computed")
    record["threads"]["count"] = 1
    assert opening_sentences(record, [TICK])[0].endswith("ended it: it waited for nothing")


HANDLED = (native("name not known", "libffi.so.8"), StackCall("remark", HANDLER),
           native("kill", "libc.so.6"), TICK)  # fmt: skip


@pytest.mark.parametrize(("behind", "inside"), [({}, True), ({"fault_address": "0x8"}, False)])
def test_what_fails_in_a_signal_handler_did_not_fail_in_what_it_interrupted(
    behind: dict[str, str], inside: bool
) -> None:
    """A ctypes callback that was freed, called for SIGUSR1, "crashed in kill"."""
    record = {"signal": {"name": "SIGSEGV", "sender": "kernel", "behind_handler": behind},
              "signature": {"category": "segv-other"}}  # fmt: skip
    first, _ = opening_sentences(record, HANDLED)
    assert ("in a signal handler that ran in tick (clock.py:7)" in first) == inside
    assert ("in kill" in first) == (not inside)


def test_a_full_stack_names_the_c_function_that_called_itself() -> None:
    """The Python function that the last of 40,000 calls had led to was named."""
    record = {"signature": {"category": "segv-stack-overflow"}, "verdict": {"label": "software"}}
    leaf = StackCall(PYTHON, "resolve", filename="/home/me/resolver.py", lineno=3)
    deep = [native("dict_lookup"), leaf, *[native("cy:yaml.compose", "_yaml.so")] * 30, TICK]
    assert (
        "deep in yaml.compose, called from tick (clock.py:7)" in opening_sentences(record, deep)[0]
    )
    assert "deep in calls of tick" in opening_sentences(record, [TICK] * 30)[0]


def test_the_name_of_a_thread_stays_as_it_is_written() -> None:
    """A sentence began with "Worker-3 waits"; no thread has that name."""
    for name, begins in (("worker-3", "Thread worker-3 waits"), ("MainThread", "MainThread waits")):
        record: dict[str, Any] = {
            "verdict": {"label": "no-fault", "reasons": [f"{name} waits for clients"]},
            "threads": {"stacks": [{"tid": 7, "name": name}]},
        }
        assert opening_sentences(record, [TICK])[1].startswith(begins)


def test_a_sleep_in_a_loop_is_not_said_to_look_at_something() -> None:
    reason = "MainThread was asleep between two turns of a loop at tick (clock.py:7)"
    record: dict[str, Any] = {
        "verdict": {"label": "no-fault", "confidence": 0.7, "reasons": [reason]},
        "threads": {"count": 1},
        "signal": {"name": "SIGABRT", "sender": "other"},
        "findings": [{"detector": "going_on", "summary": reason, "facts": {"sort": "sleeps"}}],
    }
    first, _ = opening_sentences(record, [TICK])
    assert first.endswith("ended it: nothing wrong is seen")


def test_one_large_frame_is_no_recursion() -> None:
    finding: dict[str, Any] = {"detector": "stack_overflow", "facts": {"large": True}}
    record: dict[str, Any] = {
        "verdict": {"label": "software", "confidence": 0.9, "reasons": []},
        "signature": {"category": "segv-stack-overflow"},
        "signal": {"name": "SIGSEGV"},
        "threads": {"count": 1},
        "findings": [finding],
    }
    first, _ = opening_sentences(record, [native("smooth", "smooth.so"), TICK])
    assert "a call needed more of the C stack than was left, in smooth" in first
    finding["facts"] = {}
    first, _ = opening_sentences(record, [native("smooth", "smooth.so"), TICK])
    assert "the C stack was full, deep in calls of tick" in first


def software(category: str, *reasons: str) -> dict[str, Any]:
    return {
        "verdict": {"label": "software", "confidence": 0.79, "reasons": [*reasons],
                    "cause": [{"hypothesis": "null-pointer", "probability": 0.79}]},
        "signature": {"category": category},
        "signal": {"name": "SIGSEGV", "fault_address": "0x120"},
        "threads": {"count": 1},
    }  # fmt: skip


def test_a_low_address_is_no_null_pointer_for_sure() -> None:
    seen = "access at address 0x120 through register rsi: a NULL pointer and an offset of 288"
    for reason, how in ((seen, "on a NULL pointer"), (f"{seen}, {OR_A_NUMBER}", "in tick")):
        first, _ = opening_sentences(software("segv-null", reason), [TICK])
        assert f"crashed {how}" in first


@pytest.mark.parametrize(("address", "how"), [(0x120, "at the low address 0x120 "), (1 << 31, "")])
def test_only_a_low_address_is_called_low(address: int, how: str) -> None:
    """A register with 0 and an offset of 2 GB was; no row below has the address."""
    record = software("segv-near-null", f"an access, {OR_A_NUMBER}")
    record["signal"] = {"name": "SIGABRT", "behind_handler": {"fault_address": f"{address:#x}"}}
    first, _ = opening_sentences(record, [TICK])
    assert first == f"a process crashed {how}in tick (clock.py:7)"
    record["signal"] = {"name": "SIGSEGV", "fault_address": f"{address:#x}"}
    assert opening_sentences(record, [TICK])[0] == "a process crashed in tick (clock.py:7)"


def test_the_reason_that_decided_is_told_also_where_it_is_long() -> None:
    long, short = f"the block was given back: {'nothing is there, ' * 12}", "past a mapping's end"
    assert long.strip(", ") in opening_sentences(software("segv-null", long, short), [TICK])[1]
    record = software("segv-null", "at 0x120", short)
    assert short not in opening_sentences(record, [TICK])[1], "a sign decides by its rank alone"
    record["findings"] = [{"detector": "past_end", "summary": short, "facts": {}}]
    assert short in opening_sentences(record, [TICK])[1]


def test_an_abort_is_no_crash_on_a_damaged_value() -> None:
    record = software("abort-other", "the str and its hash disagree")
    damage = {"found": True, "confidence": 0.96, "where": "0x7f", "bits": [4]}
    record["verdict"].update(label="damaged-memory", damage={**damage, "should_be": "0x1"})
    assert (
        "aborted over a value with one wrong bit, in tick" in opening_sentences(record, [TICK])[0]
    )


def test_a_function_that_serves_any_object_is_named_with_whom_it_serves() -> None:
    """Not the loop of the interpreter; a function of an extension has its module."""
    inlined = native("Py_TYPE")._replace(filename="/src/Include/object.h")
    compared = native("PyObject_RichCompare")._replace(filename="Objects/object.c")
    odict = native("_odict_keys_equal")._replace(filename="Objects/odictobject.c")
    loop = native("_PyEval_EvalFrameDefault")._replace(filename="Python/ceval.c")
    served = "in Py_TYPE, called from _odict_keys_equal, called from tick (clock.py:7)"
    assert failure_place_words([inlined, compared, odict, loop, TICK]) == served
    assert failure_place_words([inlined, loop, TICK]) == "in Py_TYPE, called from tick (clock.py:7)"
    setitem = native("d_setitem", "array.cpython-311-x86_64-linux-gnu.so")
    assert (
        failure_place_words([setitem, TICK])
        == "in d_setitem (array), called from tick (clock.py:7)"
    )
    named = native("array_item", "array.cpython-311-x86_64-linux-gnu.so")
    assert failure_place_words([named, TICK]) == "in array_item, called from tick (clock.py:7)"


def hung(
    label: str, reason: str, place: str = "take (clock.py:7)", outside: str = "", **facts: bool
) -> str:
    """Return the opening of the answer for a thread that waits."""
    member = {"tid": 7, "name": "MainThread", "doing": "event", "frames": [place]}
    of_finding = {"members": [member], "outside": outside, **facts}
    finding = {"detector": "stuck_waiting", "summary": reason, "facts": of_finding}
    record: dict[str, Any] = {
        "verdict": {"label": label, "confidence": 0.8, "reasons": [reason]},
        "threads": {"count": 1, "crashed": {"tid": 7, "name": "MainThread"}},
        "signal": {"name": "SIGABRT", "sender": "other"},
        "findings": [finding],
    }
    return "\n".join(opening_sentences(record, [TICK]))


@pytest.mark.parametrize(
    ("label", "reason", "opening"),
    [
        ("hang", "MainThread waits at take (clock.py:7) for data",
         "take (clock.py:7) for data\nIt hangs (80% sure)"),
        ("hang", "MainThread waits at take (clock.py:7) for a file: a pipe; it is old",
         "for a file\nThis does not end by itself (80% sure): a pipe."),
        ("hang", "MainThread waits at take (clock.py:7) for the end of child 9; what that child "
         "does is not in this core; one possibility: a pipe",
         "It hangs (80% sure), but why that child does not end is not in this core."),
        ("no-fault", "MainThread waits for events at take (clock.py:7)",
         "take (clock.py:7). Nothing was found that waits for what cannot come."),
        ("hang", "the event loop of MainThread sleeps; task a waits",
         "hung: the event loop of MainThread sleeps\nIt hangs (80% sure)"),
        ("deadlock", "2 tasks of trio wait for each other: task a waits",
         "tasks of trio wait for each other\nThis does not end by itself (80% sure): task a"),
        ("cannot-tell", "MainThread waits at take (clock.py:7) for data",
         "may have hung when SIGABRT ended it: this core cannot tell\nMainThread waits at take"),
    ],
)  # fmt: skip
def test_the_first_line_of_a_hang_says_what_is_waited_for(
    label: str, reason: str, opening: str
) -> None:
    assert opening in hung(label, reason)


def test_a_name_with_a_semicolon_is_one_name() -> None:
    """Threads may be called as they like; in a sentence such a name stands in quotes."""
    reason = '"load; save: all" waits at take (clock.py:7) for data: a pipe; it is old'
    opening = hung("hang", reason)
    assert opening.startswith(
        'a process hung: "load; save: all" waits at take (clock.py:7) for data'
    )
    assert opening.endswith("(80% sure): a pipe.")


def test_who_waits_for_itself_is_told_by_a_fact_not_by_a_word() -> None:
    """Names of the program's own may hold any word."""
    words = "hung: MainThread waits for itself\nThis does not end by itself (80% sure): MainThread"
    held = "MainThread waits at take (clock.py:7) for A, which it holds itself"
    assert words in hung("deadlock", held, by_itself=True)
    assert words not in hung("deadlock", "MainThread waits at sign_itself (clock.py:7) for A")


@pytest.mark.parametrize(
    ("reason", "opening"),
    [
        ("MainThread waits at take (clock.py:7) for data",
         "seems to hang: MainThread waits at take (clock.py:7) for data\n80% sure: a slow peer "
         "looks the same in one core. If it has waited for minutes, look at the other side."),
        ("MainThread waits at take (clock.py:7) for the end of child 9; what that child does is "
         "not in this core", "for the end of child 9\n80% sure: a slow peer looks the same"),
        ("MainThread waits at take (clock.py:7) for its output: nothing has come yet",
         "for its output\nNothing has come yet. 80% sure: a slow peer looks the same"),
    ],
)  # fmt: skip
def test_who_may_only_be_slow_is_named(reason: str, opening: str) -> None:
    text = hung("hang", reason, outside="a slow peer")
    assert opening in text
    assert "just slow" not in text
    assert "end by itself" not in text


def test_of_a_circle_that_somebody_may_end_it_is_not_said_that_it_does_not_end() -> None:
    reason = "2 tasks of trio wait for each other: task a waits"
    text = hung("deadlock", reason, outside="a task that cancels one of them later")
    assert "It hangs, unless a task that cancels one of them later ends it (80% sure): task" in text
    assert "not end by itself" not in text


def test_of_what_ends_after_some_time_it_is_not_said_that_it_does_not_end() -> None:
    reason = "the event loop of MainThread is blocked: take (clock.py:7) sleeps until that ends"
    text = hung("hang", reason, ends="that sleep ends, after 3 s at most")
    assert "hung: the event loop of MainThread is blocked\nIt blocks all others (80% sure)" in text
    assert "end by itself" not in text


def test_the_first_line_names_who_is_stuck_not_who_waits_for_its_end() -> None:
    joined = {"tid": 8, "name": "mill", "doing": "event", "frames": ["grind (mill.py:3)"]}
    joins = {"tid": 7, "name": "MainThread", "doing": "join", "frames": ["<module> (mill.py:9)"]}
    reason = (
        "MainThread waits at <module> (mill.py:9) for the end of mill; mill waits at grind "
        "(mill.py:3) for an item in a queue (corn); nobody gives it"
    )
    text = hung("hang", reason, members=[joins, joined])
    assert "hung: mill waits at grind (mill.py:3) for an item in a queue (corn)\n" in text
    assert "(80% sure): nobody gives it." in text


def test_a_forked_child_is_not_told_by_the_name_of_its_parents_thread() -> None:
    stacks = {"count": 1, "crashed": {"tid": 7, "name": "Thread-1 (serve)", "frames": [{}]}}
    record = {"process": {"pid": 7}, "threads": stacks, "fork": {"forked": True}}
    assert explaining_thread_name(record) == "the main thread"
    assert explaining_thread_name({**record, "fork": {}}) == '"Thread-1 (serve)"'


def test_what_one_core_does_not_know_of_a_hang_is_said() -> None:
    member = {"tid": 7, "name": "MainThread", "frames": ["take (clock.py:7)"]}
    facts = {"members": [member], "open": ["what the other side does is not in this core"]}
    reason = "MainThread waits at take (clock.py:7) for data on a socket"
    record = {
        "verdict": {"label": "hang", "confidence": 0.8, "reasons": [reason]},
        "findings": [{"detector": "stuck_waiting", "summary": reason, "facts": facts}],
    }
    _, second = opening_sentences(record, [TICK])
    assert second == "It hangs (80% sure), but what the other side does is not in this core."


@pytest.mark.parametrize(("name", "words"), [
    ("os_abort", "ended itself by os.abort() in tick (clock.py:7)"),
    ("check", "aborted in the interpreter (check), called from tick"),
])  # fmt: skip
def test_a_call_of_os_abort_is_no_abort_of_the_interpreter(name: str, words: str) -> None:
    record = {
        "verdict": {"label": "software", "confidence": 0.7},
        "signature": {"category": "abort-other"},
        "signal": {"name": "SIGABRT", "sender": "self"},
    }
    first, _ = opening_sentences(record, [native(name, "python3.11"), TICK])
    assert words in first


def test_the_lack_of_memory_comes_before_the_way_a_program_gave_up() -> None:
    record = {
        "verdict": {"label": "out-of-memory", "confidence": 0.7},
        "signature": {"category": "abort-other"},
        "signal": {"name": "SIGABRT", "sender": "self"},
        "exception": {"type": "MemoryError", "state": "handled"},
    }
    first, _ = opening_sentences(record, [native("os_abort", "python3.11"), TICK])
    assert "got no more memory (MemoryError) and ended itself by os.abort() in tick" in first


def test_what_another_process_does_is_a_command_to_paste() -> None:
    """Behind the command stood "(while it lives)": the shell took it for a syntax error."""
    record = {"findings": [{"facts": {"look_at": 4711}}], "process": {"pid": 1}}
    ((what, command),) = next_steps_of_hang(record, "CORE", in_gdb=False)
    assert subprocess.run(["bash", "-n", "-c", command], check=False).returncode == 0
    assert command == "gdb-epi triage 4711" and "still lives" in what
    ((_, in_gdb),) = next_steps_of_hang(record, "CORE", in_gdb=True)
    assert in_gdb == f"shell {command}"
    record = {"findings": [{"facts": {"sort": "process pool"}}]}
    assert ("the pool's workers", "gdb-epi pools 7") in [
        *next_steps_of_hang(record, "7", in_gdb=False)
    ]


@pytest.mark.parametrize(
    ("category", "signal", "function", "sentence"),
    [
        ("abort-other", "SIGABRT", "os_abort", "ended itself by os.abort() in tick (clock.py:7)"),
        ("abort-other", "SIGABRT", "os_kill",
         "ended itself by os.kill() with SIGABRT in tick (clock.py:7)"),
        ("raised:SIGSEGV", "SIGSEGV", "signal_raise_signal",
         "ended itself by signal.raise_signal() with SIGSEGV in tick (clock.py:7)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("handled", [False, True])
def test_one_sentence_for_a_process_that_ends_itself(
    category: str, signal: str, function: str, sentence: str, handled: bool
) -> None:
    """Behind the handler of faulthandler the same act had another sentence."""
    record = {
        "verdict": {"label": "software", "confidence": 0.7},
        "signature": {"category": category},
        "signal": {"name": signal, "sender": "self"},
    }
    again = (native("raise", "libc.so.6", ABORTING), StackCall(REMARK, HANDLER)) * handled
    calls = [*again, native("raise, abort", "libc.so.6", ABORTING), native(function), TICK]
    assert opening_sentences(record, calls)[0].endswith(sentence)
    assert "itself by" not in opening_sentences(record, [native("on_usr1", "a.so"), *calls])[0]


def test_greenlets_are_offered_where_they_run_and_not_where_their_library_is_only_loaded() -> None:
    """The answer for a service of gevent did not name the command that knows all."""
    step = ("what each greenlet does", "gdb-epi greenlets core.7")
    loaded = {"libs": {"modules": [{"soname": "_greenlet.cpython-312-x86_64-linux-gnu.so"}]}}
    inside = {"language": "native", "module": "_greenlet.cpython-312-x86_64-linux-gnu.so"}
    gevent = {"libs": {"modules": [{"soname": "_gevent_cqueue.cpython-312.so"}]}}
    stack = {"threads": {"crashed": {"tid": 7, "frames": [inside]}}}
    for record in (gevent, stack, {"tasks": {"greenlets": 3}}):
        assert step in list(next_steps_of_hang(record, "core.7", in_gdb=False))
    assert step not in list(next_steps_of_hang(loaded, "core.7", in_gdb=False))
