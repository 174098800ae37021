# SPDX-License-Identifier: Apache-2.0
"""What the one-screen answer says of what is missing, and what it tells to do next."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from gdb_epi import signature
from gdb_epi.record.record_parts import hypothesis_probabilities
from gdb_epi.render.category_words import (
    DEATH_SENTENCES,
    TABLE_WORDS,
    category_words,
    death_sentence,
)
from gdb_epi.render.escape import wrap_text
from gdb_epi.render.signature_words import (
    evidence_lines,
    where_and_what,
    where_and_what_of_record,
)
from gdb_epi.render.triage import GDB, SHELL, Audience, own_call_named_in_sentences, render_triage
from gdb_epi.signature.categories.rules import ENDS
from gdb_epi.signature.categories.types import CATEGORIES
from gdb_epi.signature.types import CODE_NOT_HERE, LACKS_FILES

NATIVE = {"language": "native", "pc": "0x1000", "function": "g", "module": "/bin/prog"}
PYTHON = {"language": "python", "name": "f", "filename": "/srv/f.py", "lineno": 3}


def shown(label: str = "software", *frames: dict[str, Any], **groups: Any) -> list[str]:
    record = {
        "schema": "gdb-epi/record/1",
        "verdict": {"label": label, "confidence": 0.9, "word": "high", "reasons": []},
        "threads": {"count": 1, "crashed": {"tid": 7, "frames": list(frames)}},
        **groups,
    }
    return render_triage(record, Audience(core="core.7"))


@pytest.mark.parametrize("python", [False, True])
def test_variables_are_offered_where_there_are_python_frames(python: bool) -> None:
    lines = shown("software", NATIVE, *[PYTHON] * python)
    command = "gdb-epi stacks --locals core.7"
    assert any(line.endswith(command) for line in lines) == python


@pytest.mark.parametrize(("kind", "offered"), [("RuntimeError", True), ("MemoryError", False)])
def test_what_an_error_said_is_offered_where_there_is_one(kind: str, offered: bool) -> None:
    """The message was what a reader wanted, and nothing told how to see it."""
    lines = shown("software", PYTHON, exception={"type": kind, "state": "handled"})
    assert any(line.endswith("gdb-epi exceptions core.7 --messages") for line in lines) == offered
    assert not any("exceptions" in line for line in shown("software", PYTHON))


def test_the_source_line_is_that_of_the_programs_own_call() -> None:
    """`epi list` alone showed the line of ctypes."""
    library = {**PYTHON, "filename": "/usr/lib/python3.12/ctypes/__init__.py"}
    for frames, command in (([PYTHON], "epi list"), ([library, PYTHON], "epi list 1")):
        record = {"threads": {"count": 1, "crashed": {"tid": 7, "frames": frames}}}
        text = "\n".join(render_triage(record, Audience(GDB, line="f.py:3  f()")))
        assert text.endswith(f"source line:      {command}")
    assert "epi list" not in "\n".join(render_triage(record, Audience(GDB)))


def test_a_narrow_terminal_gets_narrow_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = {"label": "software", "confidence": 0.9, "reasons": ["many words " * 12]}
    wide = shown("software", PYTHON, verdict=verdict)
    monkeypatch.setattr(os, "get_terminal_size", lambda fd: os.terminal_size((60, 24)))
    narrow = shown("software", PYTHON, verdict=verdict)
    assert max(map(len, narrow[:-2])) <= 60 < max(map(len, wide)) <= 100
    assert narrow[-1] == wide[-1], "a command to paste is not broken"
    assert " ".join(narrow).split() == " ".join(wide).split()
    monkeypatch.setattr(os, "get_terminal_size", lambda fd: os.terminal_size((0, 0)))
    assert shown("software", PYTHON, verdict=verdict) == wide


def test_commands_to_paste_repeat_the_options_they_were_given() -> None:
    """Without --exe the next command read less; without --db `seen` asked another database."""
    record = {"threads": {"count": 1, "crashed": {"tid": 7, "frames": [PYTHON]}}}
    record["signature"] = {"group": {"key": "stable", "value": "ab" * 8}}
    reader = Audience(core="core.7", files=" --exe 'my python'", database=" --db f.sqlite3")
    text = "\n".join(render_triage(record, reader))
    assert "gdb-epi stacks --locals core.7 --exe 'my python'\n" in text
    assert text.endswith(f"gdb-epi fleet seen {'ab' * 8} --db f.sqlite3")
    text = "\n".join(render_triage(record, reader._replace(database=" --no-db")))
    assert "fleet seen" not in text, "nothing was stored"
    healthy = record | {"verdict": {"label": "no-fault", "confidence": 0.8}}
    assert "fleet seen" not in "\n".join(render_triage(healthy, reader)), "nothing failed"


def test_text_in_place_of_a_return_address_is_a_sign_of_damage() -> None:
    def told(address: int) -> str:
        message = f"the native stack ends early: no code at {address:#x}"
        error = {"stage": "native", "subject": "thread 7", "message": message}
        return " ".join(" ".join(shown("software", PYTHON, soft_errors=[error])).split())

    assert "calls; this alone is no sign of damage" in told(1)
    text = told(int.from_bytes(b"42605868", "little"))
    assert '(in place of a return address stands text, "42605868")' in text
    assert "no sign" not in text


def test_a_stack_that_ends_in_a_file_without_names_asks_for_that_file() -> None:
    """In a container's core the answer said that C calls are missing, and not what to fetch."""
    message = "the native stack ends early: no code at 0x1"
    groups: dict[str, Any] = {"soft_errors": [{"stage": "native", "message": message}]}
    nameless = {k: v for k, v in NATIVE.items() if k != "function"} | {"build_id": "ab12"}
    lines = shown("software", NATIVE, nameless, PYTHON, **groups)
    text = " ".join(" ".join(lines).split())
    assert "the stack ends in /bin/prog, build-id ab12, and that file may not be here" in text
    assert "gdb-epi triage --sysroot DIR" in text
    for frames in ((nameless, NATIVE, PYTHON), (nameless | {"module": None}, PYTHON)):
        other = " ".join(shown("software", *frames, **groups))
        assert "may not be here" not in other and "--sysroot" not in other


@pytest.mark.parametrize("place", [GDB, SHELL])
def test_where_the_executable_is_not_here_it_is_asked_for(place: str) -> None:
    """A process whose executable is gone was "not CPython"."""
    why = "cannot tell whether CPython ran: the executable is /srv/app, which is not here"
    error = {"stage": "python", "subject": "runtime", "message": why}
    lines = render_triage(
        {
            "process": {"pid": 7, "comm": "app"},
            "threads": {"count": 1, "crashed": {"tid": 7, "frames": [NATIVE]}},
            "soft_errors": [error],
        },
        Audience(place, core="core.7"),
    )
    text = "\n".join(lines)
    assert "app, CPython or not: cannot tell" in text and "not CPython" not in text
    assert "CPython: cannot tell whether CPython ran" in text and "runtime:" not in text
    command = "file FILE" if place == GDB else "gdb-epi triage --exe FILE core.7"
    assert f"more, by its executable:  {command}" in text


def test_only_gdb_is_told_what_to_type_in_gdb() -> None:
    why = "GDB has loaded neither the executable nor libraries; try: file /p, then core-file CORE"
    record = {
        "threads": {"count": 1, "crashed": {"tid": 7, "frames": [PYTHON]}},
        "signature": {"keys": {}, "text": {}, "absent": {"native": why}},
    }
    assert "core-file" in " ".join(render_triage(record, Audience(GDB)))
    assert "core-file" not in " ".join(render_triage(record, Audience(SHELL, core="core.7")))


@pytest.mark.parametrize(
    ("lost", "words"),
    [(4217728, "4.22 MB of the core: "), (4096, "4.1 kB of"), (300, "300 bytes"), (1, "most of")],
)
def test_how_much_of_a_core_is_missing_is_said_in_words(lost: int, words: str) -> None:
    cut = {"flag": True, "missing_bytes": lost, "reason": "the file ends early"}
    assert any(words in line for line in shown("cannot-tell", NATIVE, truncated=cut))


def test_of_a_cut_core_the_screen_says_what_is_lost_once() -> None:
    """It named bytes without a unit, the same stacks three times, and the fields of CPython."""
    end = {"stage": "native", "subject": "thread 7", "message": "the native stack ends early: why"}
    lost = {"stage": "python", "subject": "GIL", "message": "the runtime is lost"}
    short = "the headers announce 9000000 bytes, the file has 4000000"
    memory = {"missing_percent": 70.0, "mappings": [], "stacks": [7]}
    cut = {"flag": True, "missing_bytes": 5000000, "reason": short, "memory": memory}
    absent = {"keys": {}, "absent": {"native": "the stack at 0x7ffd is not in the core"}}
    record = {"truncated": cut, "signature": absent, "soft_errors": [end, lost]}
    lines = shown("software", NATIVE, python={"version": "3.13"}, **record)
    start = next(number for number, line in enumerate(lines) if line.startswith("Missing"))
    assert [line[9:] for line in lines[start : start + 5]] == [
        "5 MB of the core: its end was cut off",
        "70.0% of the writable memory",
        "parts of the C stacks of 1 thread (7)",
        "the Python calls of this thread, if there were any",
        "",
    ]


@pytest.mark.parametrize(
    "why",
    ["not used: it is about another crash (signal 6, not 11)", "the file name does not fit x"],
)
def test_what_was_given_and_refused_is_in_the_short_answer(why: str) -> None:
    """--core-pattern told nothing, and the next screen asked for it again."""
    refused = {"stage": "sidecar", "subject": "core_pattern", "message": why}
    other = {"stage": "sidecar", "subject": "core_pattern", "message": "pid 7, in the core 9"}
    lines = shown("software", PYTHON, NATIVE, soft_errors=[other, refused])
    assert f"Missing  core_pattern: {why}" in lines
    assert not any("in the core 9" in line for line in lines)


def test_a_sentence_is_cut_behind_a_clause_and_addresses_are_short() -> None:
    """It ended with "205 other blocks of its pool hold objects, 100 ...", and had two widths."""
    clauses = [f"clause {n} at 0x00007f28cafa4c{n:02x}" + " word" * 12 for n in range(9)]
    lines = wrap_text("; ".join(clauses), "Why      ", 2)
    assert len(lines) == 2 and lines[-1].endswith("word; ...") and "0x7f28cafa4c00" in lines[0]
    assert wrap_text("word " * 99 + "; end", "", 2)[-1].endswith("word ...")  # no place to cut
    assert wrap_text("a 0x0000000000000000; 0x00ff", "", 1) == ["a 0x0; 0x00ff"]
    assert wrap_text("", "Why      ", 3) == []
    assert wrap_text("word " * 99, "", 1)[0].endswith("word ...")


@pytest.mark.parametrize(
    ("category", "is_told"),
    [("abort-malloc:double-free-or-corruption-out", True), ("segv-wild", False)],
)
def test_a_heap_that_malloc_found_overrun_is_run_under_valgrind(
    category: str, is_told: bool
) -> None:
    """What was freed twice was, and an index beyond a mapping is nothing that valgrind sees."""
    cause = [{"hypothesis": "out-of-bounds", "probability": 0.8}]
    verdict = {"label": "software", "confidence": 0.8, "reasons": [], "cause": cause}
    groups = {"signature": {"category": category}, "corruption": {"allocator": "malloc"}}
    assert any("valgrind" in line for line in shown(verdict=verdict, **groups)) == is_told


@pytest.mark.parametrize(("label", "is_told"), [("out-of-memory", True), ("software", False)])
def test_who_got_no_more_memory_is_told_what_gives_more(label: str, is_told: bool) -> None:
    """The screen had no next step but to look at variables."""
    assert any("what helps:" in line and "ulimit -v" in line for line in shown(label)) == is_told


def test_of_a_snapshot_no_signal_has_a_number() -> None:
    """ "signal 19 ends none" was no answer to how it was taken."""
    why = "no signal: a snapshot of a process that ran on (signal 19 ends none)"
    lines = shown("no-fault", PYTHON, signature={"category": "snapshot", "evidence": why})
    assert "Signal   none: the process was alive when this was taken" in lines


def test_what_a_cut_core_lacks_is_no_proof() -> None:
    """Of 4,096 bytes of a core of CPython it said "not CPython" and "no flipped bits"."""
    error = {"stage": "python", "subject": "runtime", "message": "no CPython in this process"}
    cut = {"flag": True, "missing_bytes": 9, "reason": "r", "memory": {"missing_percent": 100.0}}
    process, signal = {"pid": 7, "comm": "app"}, {"name": "SIGSEGV", "si_code": 1}
    damage = {"label": "cannot-tell", "damage": {"found": False}}
    groups = {"truncated": cut, "soft_errors": [error], "process": process, "signal": signal}
    text = "\n".join(shown(threads={"count": 1}, verdict=damage, **groups))
    assert "CPython or not: cannot tell" in text and "not CPython" not in text
    assert "Damage   cannot tell" in text and "flipped" not in text


def test_a_core_without_threads_says_so_in_words() -> None:
    """It said "pid ?, ?, CPython not decoded" and "the core has no NT_PRSTATUS note"."""
    cut = {"flag": True, "missing_bytes": 1, "reason": "only 0 of 41 program headers are there"}
    lines = render_triage({"threads": {"count": 0}, "truncated": cut}, Audience(core="c"))
    assert "Process  not in what is left of the core" in lines
    assert "Signal   not in what is left of the core" in lines and not any("?" in x for x in lines)


def test_no_kind_of_missing_memory_is_named_twice() -> None:
    memory = {"missing_percent": 100.0, "mappings": [{"what": "anonymous memory"}] * 2}
    cut = {"flag": True, "missing_bytes": 10, "reason": "r", "memory": memory}
    text = " ".join(shown("cannot-tell", NATIVE, truncated=cut))
    assert "most of it anonymous memory" in text and "anonymous memory, anon" not in text


@pytest.mark.parametrize(
    ("script", "name"), [("-m pytest", "python -m pytest"), ("-c", "python -c")]
)
def test_what_has_no_script_is_no_option(script: str, name: str) -> None:
    """The answer began with "-c hung"."""
    assert shown("software", PYTHON, process={"pid": 7, "script": script})[0].startswith(name)


def test_a_suspect_host_is_looked_at_where_hosts_are_told() -> None:
    text = "\n".join(shown("hardware-suspect", NATIVE, host={"hostname": "node-7"}))
    assert "crashes of this host:  gdb-epi fleet suspects" in text and "node-7" in text
    text = "\n".join(shown("hardware-suspect", NATIVE))
    assert "gdb-epi host-facts -o host.json" in text and "fleet suspects" not in text


def test_of_a_cut_core_a_whole_one_is_asked_for() -> None:
    cut = {"flag": True, "missing_bytes": 10, "reason": "the file ends early"}
    assert "ulimit -c" in shown("cannot-tell", NATIVE, truncated=cut)[-1]
    whole = {"flag": False, "missing_bytes": 0, "reason": ""}
    assert not any("ulimit" in line for line in shown("cannot-tell", NATIVE, truncated=whole))


@pytest.mark.parametrize("why", LACKS_FILES)
def test_where_files_were_lacking_they_are_asked_for(why: str) -> None:
    lines = shown(signature={"keys": {}, "text": {}, "absent": {"native": why}})
    assert any("gdb-epi triage --sysroot DIR core.7" in line for line in lines)


def test_a_sysroot_that_was_given_is_not_asked_for_again() -> None:
    why = {"signature": {"keys": {}, "text": {}, "absent": {"native": LACKS_FILES[0]}}}
    record = {"threads": {"count": 1, "crashed": {"tid": 7, "frames": [PYTHON]}}, **why}
    without, given = (
        "\n".join(render_triage(record, Audience(SHELL, core="core.7", files=files)))
        for files in (" --exe py", " --sysroot root")
    )
    assert "names of C functions:" in without.partition("Next")[2]
    assert "names of C functions:" not in given.partition("Next")[2]


def test_the_files_that_lacked_are_named_with_their_builds() -> None:
    nameless = {"language": "native", "module": "libx.so", "build_id": "bb3b" * 10}
    absent = {"keys": {}, "text": {}, "absent": {"native": LACKS_FILES[0]}}
    text = " ".join(shown("software", nameless, NATIVE, signature=absent))
    assert f"names of C functions: needs libx.so, build-id {'bb3b' * 10}" in text
    rebuilt = {**absent, "absent": {"code": CODE_NOT_HERE}}
    lines = shown("software", nameless, NATIVE, signature=rebuilt)
    assert "the file here is of another build, or gone" in " ".join(" ".join(lines).split())
    assert any("gdb-epi triage --sysroot DIR" in line for line in lines)
    assert not any("--sysroot" in x for x in shown("software", NATIVE, signature=rebuilt))
    compiled = {"language": "native", "pc": "0x7fda4a49e107"}  # code of no file
    assert not any("--sysroot" in line for line in shown("software", compiled, signature=absent))


def spec_categories() -> set[str]:
    """Return the categories of the table of SPEC.md 3.1, without a placeholder for a class."""
    text = (Path(signature.__file__).parent / "SPEC.md").read_text()
    table = text.partition("| category | rule |")[2].partition("\n3.2 ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {re.sub(":[A-Z]+$", "", name) for cell in cells for name in re.findall("`(.+?)`", cell)}


def test_the_categories_are_those_of_the_specification() -> None:
    assert {name.partition(":")[0] for name in spec_categories()} == set(CATEGORIES)
    assert {category for category, _ in ENDS.values()} <= spec_categories()


@pytest.mark.parametrize("category", sorted({*CATEGORIES, *spec_categories()}))
def test_every_category_has_its_words(category: str) -> None:
    """Those that gsig/2 added were shown as "crashed in f" and by their bare names."""
    assert category in DEATH_SENTENCES and category in TABLE_WORDS
    record = {"signature": {"category": category}, "signal": {"name": "SIGSEGV", "si_code": 128}}
    text = " ".join(shown("cannot-tell", NATIVE, **record))
    assert category not in text or ("-" not in category and ":" not in category)
    assert "{" not in text


def test_the_words_are_of_categories_that_there_are() -> None:
    categories = {*CATEGORIES, *spec_categories()}
    assert set(DEATH_SENTENCES) <= categories and set(TABLE_WORDS) <= categories
    assert all(len(words) <= 22 for words in TABLE_WORDS.values())  # a column of a table


def test_what_an_end_without_a_category_is_called() -> None:
    assert death_sentence("", "SIGABRT") == "aborted {where}"
    assert death_sentence("unknown", "SIGSEGV") == "crashed {where}"
    assert death_sentence("unknown", "SIGQUIT") == "was ended by SIGQUIT, {where}"
    assert death_sentence("unknown", "").startswith("ended, how is not known")
    assert category_words(None) == "?"


@pytest.mark.parametrize(
    ("category", "name", "words"),
    [
        ("raised:SIGBUS", "SIGBUS", "ended itself with a signal (SIGBUS), in g"),
        ("limit:cpu", "SIGXCPU", "used up the CPU time that it was allowed, in g"),
        ("limit:file-size", "SIGXFSZ", "a file grew larger than it was allowed to, in g"),
    ],
)
def test_a_class_of_a_category_is_said(category: str, name: str, words: str) -> None:
    label = "killed" if category.startswith("limit") else "software"
    record = {"signature": {"category": category}, "signal": {"name": name, "si_code": 128}}
    text = "\n".join(shown(label, NATIVE, **record))
    assert words in text and "ask what sent it" not in text
    assert ("ulimit -" in text) == category.startswith("limit")


@pytest.mark.parametrize(
    ("code", "words"), [(1, "has to be aligned"), (2, "the data at 0x1000 could not be loaded")]
)
def test_what_the_kernel_says_of_a_bus_error(code: int, words: str) -> None:
    """Of the alignment that a process switched on it was that the data at 0x0 were not loaded."""
    signal = {"name": "SIGBUS", "si_code": code, "fault_address": "0x1000"}
    assert words in "\n".join(shown("software", NATIVE, signal=signal))


def test_the_thread_that_is_named_is_the_one_whose_calls_are_shown() -> None:
    """The kernel wrote a worker first; the signature is of the thread that held the GIL."""
    threads = {
        "count": 2,
        "crashed": {"tid": 7, "name": "worker", "frames": [NATIVE]},
        "stacks": [
            {"tid": 7, "name": "worker", "frames": []},
            {"tid": 8, "name": "MainThread", "frames": [PYTHON]},
        ],
    }
    signal = {"name": "SIGTERM", "sender": "other", "sender_pid": 9}
    signature = {"category": "killed-external", "thread": {"tid": 8}}
    lines = shown("killed", threads=threads, signal=signal, signature=signature)
    assert lines[0].endswith("at that moment MainThread was in f (f.py:3)")
    assert "Stack of MainThread, most recent call first" in lines


def test_the_line_of_another_place_is_not_that_of_the_sentences() -> None:
    record = {"threads": {"crashed": {"tid": 7, "frames": [PYTHON]}}, "verdict": {}}
    call = own_call_named_in_sentences(record)
    assert call is not None and call.lineno == 3
    hung = {"label": "hang", "reasons": ["MainThread waits at g (f.py:33) for a lock"]}
    finding = {
        "detector": "stuck_waiting",
        "summary": hung["reasons"][0],
        "facts": {"members": [{"tid": 7, "name": "MainThread", "frames": ["g (f.py:33)"]}]},
    }
    assert own_call_named_in_sentences({**record, "verdict": hung, "findings": [finding]}) is None


@pytest.mark.parametrize("cause", [["x"], [{"hypothesis": "a"}], [{"probability": "1"}]])
def test_what_has_another_shape_in_a_record_counts_as_absent(cause: list[Any]) -> None:
    verdict = {"label": "cannot-tell", "damage": {"found": False}, "cause": cause}
    assert hypothesis_probabilities({"verdict": verdict}) == {}
    lost = {"flag": False, "memory": {"missing_percent": "72"}}
    threads = {"count": 1, "crashed": {"tid": 7}, "stacks": ["x", None, {"tid": 7}]}
    lines = shown(verdict=verdict, signal={"name": "SIGSEGV"}, truncated=lost, threads=threads)
    assert "Damage   none found" in lines


@pytest.mark.parametrize(("sort", "state"), [("idle", "healthy"), ("busy", "busy")])
def test_what_the_name_of_a_function_says_is_no_fact(sort: str, state: str) -> None:
    """An idle process whose function is named compute_forever is not busy."""
    reason = "MainThread waits for clients in compute_forever (shop.py:3)"
    finding = {"detector": "going_on", "facts": {"sort": sort}, "summary": reason}
    verdict = {"label": "no-fault", "confidence": 0.8, "reasons": [reason]}
    text = "\n".join(shown(verdict=verdict, findings=[finding]))
    assert f"was {state} when" in text
    assert ("endless loop" in text) == (state == "busy")


@pytest.mark.parametrize(("has_locals", "told"), [(True, False), (False, True)])
def test_local_variables_that_follow_are_no_next_step(has_locals: bool, told: bool) -> None:
    verdict = {"label": "software", "confidence": 0.9, "reasons": []}
    stack = {"tid": 7, "frames": [PYTHON]}
    record = {"verdict": verdict, "threads": {"count": 1, "crashed": stack}}
    lines = render_triage(record, Audience(core="core", has_locals=has_locals))
    assert any("stacks --locals" in line for line in lines) == told


@pytest.mark.parametrize("errors", [7, [7], [{"message": None}], {"a": 1}])
def test_soft_errors_of_another_shape_are_none(errors: Any) -> None:
    lines = shown("cannot-tell", threads={"count": 0}, soft_errors=errors)
    assert any("It lists no thread." in line for line in lines)


@pytest.mark.parametrize(
    ("rule", "is_told"), [("S:ended-stack", True), ("S:ended-stack:one-bit", True), ("S:x", False)]
)
def test_what_points_into_an_ended_stack_is_handed_over_as_a_copy(rule: str, is_told: bool) -> None:
    verdict = {"label": "software", "confidence": 0.7, "reasons": [], "rules": [rule]}
    assert any("hand over a copy" in line for line in shown(verdict=verdict)) == is_told


@pytest.mark.parametrize(
    ("facts", "pid", "help_with"),
    [
        ({"own": True}, 7, "less nesting, or a larger stack for the main thread (ulimit -s)"),
        ({"own": True, "large": True}, 7, "smaller local arrays in that function, or a larger"),
        ({"own": True}, 6, "a larger stack for new threads (threading.stack_size(N))"),
        ({"own": None}, 6, "a larger stack for new threads (threading.stack_size(N))"),
        ({"own": False}, 6, "a larger stack where it is made (sigaltstack(), the library)"),
        ({"own": True, "recursion_limit": 50_000}, 7, "sys.setrecursionlimit(50,000) was too high"),
    ],
)
def test_what_helps_against_a_full_stack_is_told_by_whose_it_is(
    facts: dict[str, Any], pid: int, help_with: str
) -> None:
    verdict = {
        "label": "software",
        "confidence": 0.9,
        "reasons": [],
        "cause": [{"hypothesis": "stack-exhausted", "probability": 0.9}],
    }
    record = {
        "process": {"pid": pid, "comm": "p"},
        "threads": {"count": 2, "crashed": {"tid": 7, "frames": [PYTHON]}},
        "findings": [{"detector": "stack_overflow", "summary": "s", "facts": facts}],
    }
    assert help_with in " ".join(" ".join(shown(verdict=verdict, **record)).split())


@pytest.mark.parametrize("label", ["software", "cannot-tell"])
def test_a_weak_sign_of_damage_names_no_bit_beside_a_software_bug(label: str) -> None:
    damage = {"found": False, "confidence": 0.2, "where": "0x10", "should_be": "0x20", "bits": [5]}
    verdict = {"label": label, "confidence": 0.7, "reasons": ["r"], "damage": damage}
    text = "\n".join(shown(verdict=verdict))
    assert "too weak to go by" in text and ("only bit 5" in text) == (label != "software")


@pytest.mark.parametrize(("module", "is_told"), [("libffi.so.8", True), ("record.so", False)])
def test_a_pointer_that_ctypes_cut_in_half(module: str, is_told: bool) -> None:
    verdict = {"label": "software", "confidence": 0.9, "reasons": ["r"], "rules": ["S:truncated"]}
    frames = [NATIVE, {**NATIVE, "module": module}, PYTHON]
    text = "\n".join(
        shown(verdict=verdict, threads={"count": 1, "crashed": {"frames": frames, "tid": 7}})
    )
    assert ("declare restype and argtypes" in text) == is_told


@pytest.mark.parametrize(("label", "is_told"), [("software", False), ("damaged-memory", True)])
def test_the_overwritten_word_is_named_once(label: str, is_told: bool) -> None:
    damage = {"found": True, "where": "0x0000000000001000"}
    verdict = {"label": label, "confidence": 0.8, "reasons": ["text"], "damage": damage}
    assert ("\nDamage " in "\n".join(shown(verdict=verdict))) == is_told


def test_data_of_cxx_that_was_called_is_no_function() -> None:
    frames = [{**NATIVE, "function": "_ZTI6Circle"}, {**NATIVE, "function": "_Z4planv"}]
    lines = shown("software", *frames)
    assert ["data of C++, no function" in line for line in lines if line.startswith("  C")] == [
        True,
        False,
    ]


def test_a_null_that_an_extension_used_while_an_exception_was_raised_is_looked_for() -> None:
    record = {
        "verdict": {"label": "software", "confidence": 0.8, "reasons": []},
        "exception": {"type": "UnicodeEncodeError", "state": "raised"},
        "findings": [{"detector": "null_dereference", "summary": "s", "facts": {}}],
    }
    for module, is_told in (("key.so", True), ("libpython3.11.so.1.0", False)):
        frames = [{**NATIVE, "function": "key", "module": module}, PYTHON]
        threads = {"count": 1, "crashed": {"tid": 7, "frames": frames}}
        text = "\n".join(shown(threads=threads, **record))
        assert ("a call that failed with UnicodeEncodeError" in text) == is_told


def test_a_kill_that_a_handler_answered_is_not_how_the_process_ended_itself() -> None:
    """It sent the signal whose handler then crashed; abort() behind a handler's raise() did."""

    def native(name: str) -> dict[str, Any]:
        return {**NATIVE, "function": name}

    handler = {"language": "native", "kind": "signal", "pc": "0x1"}
    ended = "how the process ended itself"

    def seen(*frames: dict[str, Any]) -> list[str]:
        record = {"threads": {"count": 1, "crashed": {"tid": 7, "frames": list(frames)}}}
        return render_triage(record, Audience(whole=True))

    sent = seen(native("deep"), handler, native("kill"), native("main"))
    assert not any(ended in line for line in sent)
    own = native("raise"), native("on_abort"), handler, native("raise"), native("abort")
    again = seen(*own, native("main"))
    assert sum(ended in line for line in again) == 2


def checked_heap(
    cause: str, allocator: str | None, rules: tuple[str, ...] = (), **groups: Any
) -> str:
    """Return what the answer says would show the cause, "" for nothing."""
    verdict = {
        "label": "software",
        "confidence": 0.9,
        "reasons": [],
        "rules": list(rules),
        "cause": [{"hypothesis": cause, "probability": 0.9}],
    }
    lines = shown(verdict=verdict, corruption={"allocator": allocator}, **groups)
    return next((line for line in lines if "python3 " in line), "")


@pytest.mark.parametrize("cause", ["use-after-free", "other-data", "heap-misuse"])
def test_a_checking_allocator_is_offered_for_memory_that_it_sees(cause: str) -> None:
    assert "PYTHONMALLOC=debug" in checked_heap(cause, "python")
    assert "valgrind" in checked_heap(cause, "malloc")
    assert checked_heap(cause, None) == ""
    assert checked_heap("null-pointer", "python") == ""


@pytest.mark.parametrize("rule", ["S:unmapped", "S:gone"])
def test_a_block_that_free_unmaps_is_beyond_pythons_own_checks(rule: str) -> None:
    """PYTHONMALLOC=debug was advised; the program died at the same place with it."""
    assert "valgrind" in checked_heap("use-after-free", "python", rules=(rule,))


@pytest.mark.parametrize(
    ("groups", "is_offered"),
    [
        ({"python": {"flags": {"dev_mode": 1}}}, False),
        ({"python": {"debug": True}}, False),
        ({"job": {"environment": {"PYTHONMALLOC": "malloc_debug"}}}, False),
        (
            {
                "python": {"flags": {"dev_mode": 1}},
                "job": {"environment": {"PYTHONMALLOC": "malloc"}},
            },
            True,
        ),
    ],
)
def test_the_debug_allocators_are_not_offered_to_who_had_them(
    groups: dict[str, Any], is_offered: bool
) -> None:
    assert bool(checked_heap("use-after-free", "python", **groups)) == is_offered
    assert "valgrind" in checked_heap("use-after-free", "malloc", **groups)


@pytest.mark.parametrize("is_found", [True, False])
def test_corrections_that_were_rejected_are_not_listed_like_damage(is_found: bool) -> None:
    wrong, right, other = "0x1000000000000010", "0x0000000000000010", "0x0000000000000030"
    damage = {"found": is_found, "confidence": 0.3, "where": "rdi", "bits": [60]}
    damage |= {"holds": wrong, "should_be": right}
    text, rejected = "rdi is one bit from 0x10", "rdi is one bit from 0x30"

    def words(corrected: str, summary: str) -> dict[str, Any]:
        return {"found": wrong, "corrected": corrected, "summary": summary, "where": "rdi"}

    evidence = [words(right, text), words(other, rejected)]
    record = {
        "schema": "gdb-epi/record/1",
        "verdict": {"label": "software", "confidence": 0.9, "damage": damage,
                    "against": ["another thing", text, rejected]},
        "findings": [{"detector": "pointer_one_bit_off", "summary": rejected,
                      "facts": {"found": wrong, "corrected": other}}],
        "corruption": {"word": "weak", "llr": 1, "evidence": evidence, "candidates": evidence},
    }  # fmt: skip
    lines = [line.strip() for line in render_triage(record, Audience(evidence=True))]
    assert "but: another thing" in lines
    assert (f"but: {text}" in lines) == is_found
    assert f"considered, and too weak: {rejected}" in lines
    assert f"considered, and too weak, pointer_one_bit_off: {rejected}" in lines
    head = lines.index("considered, and too weak:")
    assert any("for 0x10," in line for line in lines[:head]) == is_found
    assert any("for 0x30," in line for line in lines[head:])


@pytest.mark.parametrize(
    ("parent", "told"),
    [
        (12, "forked from pid 12, multiprocessing started it by fork as loader\n"),
        (1, "forked from pid 1, multiprocessing started it by fork as loader, parent 12\n"),
        (None, "a forked child, multiprocessing started it by fork as loader, parent 12\n"),
    ],
)
def test_who_started_a_forked_child_is_a_clause_of_its_own(parent: int | None, told: str) -> None:
    says = "multiprocessing started it by fork as loader, parent 12"
    fork = {"forked": True, "started_by": says}
    lines = shown(process={"pid": 7, "comm": "p", "ppid": parent}, fork=fork)
    start = next(number for number, line in enumerate(lines) if line.startswith("Process"))
    process = " ".join(" ".join(lines[start : start + 2]).split("Signal")[0].split())
    assert f"{process}\n".endswith(told)


def test_a_table_tells_of_no_abort_in_abort() -> None:
    line = "gsig/2 stable abort-other {} <-- py:shop.pay"
    assert where_and_what(line.format("abort"), None, hung=False) == ("shop.pay", "abort")
    other = where_and_what(line.format("check_sum"), None, hung=False)
    assert other == ("shop.pay", "abort in check_sum")


def test_evidence_tells_flipped_bits_apart_from_what_looks_overwritten() -> None:
    seen = {"id": "overwritten", "summary": "malloc's chunks fit no more at 0x1000"}
    corruption = {"word": "none", "prior": -3.0, "llr": 0.0, "evidence": [seen]}
    lines = "\n".join(evidence_lines({"corruption": corruption}))
    odds = "odds of 1 to 1,000 beforehand; by this core"
    assert f"Flipped bits: none: {odds} just as likely" in lines
    corruption["llr"] = -1.0
    assert f"{odds} 10 times less likely" in "\n".join(evidence_lines({"corruption": corruption}))
    corruption["llr"] = 0.5
    assert f"{odds} 3.2 times more likely" in "\n".join(evidence_lines({"corruption": corruption}))
    assert "looks overwritten: malloc's chunks fit no more at 0x1000" in lines
    assert "Damage" not in lines


def test_gdb_with_another_build_of_the_executable_is_told_who_knows_the_right_one() -> None:
    other = {"stage": "executable", "subject": "/bin/python3", "message": "of another build"}
    record = {
        "threads": {"count": 1, "crashed": {"tid": 7, "frames": [PYTHON]}},
        "soft_errors": [other],
    }
    assert any("epi doctor" in line for line in render_triage(record, Audience(GDB)))
    assert not any("epi doctor" in line for line in render_triage(record, Audience(SHELL)))


@pytest.mark.parametrize(
    ("reader", "words"),
    [
        (Audience(GDB), "epi tasks --tree"),
        (Audience(SHELL, core="core.7"), "gdb-epi tasks core.7"),
        (Audience(SHELL, core="core.7", files=" --exe py"), "gdb-epi tasks core.7 --exe py"),
    ],
)
def test_a_hang_of_tasks_comes_with_the_line_that_draws_them(reader: Audience, words: str) -> None:
    record = {
        "threads": {"count": 1, "crashed": {"tid": 7, "frames": [PYTHON]}},
        "tasks": {"asyncio": 2, "waits": [{"kind": "lock", "count": 2}]},
        "verdict": {"label": "hang", "reasons": ["nobody sets it"]},
    }
    shown = [line for line in render_triage(record, reader) if "who waits for whom:" in line]
    assert len(shown) == 1 and shown[0].endswith(words)


def test_a_task_that_failed_unnoticed_is_named() -> None:
    failed = [{"exception": "ValueError in f (a.py:3)", "count": 1}]
    record = {
        "threads": {"count": 1, "crashed": {"tid": 7, "frames": [PYTHON]}},
        "tasks": {"asyncio": 1, "running": 1, "failed": failed, "waits": []},
    }
    lines = render_triage(record)
    at = lines.index("Tasks    1 asyncio task")
    assert lines[at + 1].strip() == "1 task had failed: ValueError in f (a.py:3)"


@pytest.mark.parametrize(("value", "address", "named"), [
    ("0x00007ffff70e1b30", "0x0000ffffeef43390", "0xffffeef43390"),
    ("0x0000d30d0000d300", "0x0000d30d0000d30c", "0xd30d0000d300"),
])  # fmt: skip
def test_the_address_that_none_can_be_is_the_sum_or_the_pointer_that_made_it(
    value: str, address: str, named: str
) -> None:
    signal = {"name": "SIGSEGV", "si_code": 128, "operand": {"value": value, "address": address}}
    lines = shown(signal=signal, signature={"category": "segv-noncanonical"})
    assert any(f": {named} cannot be the address" in line for line in lines)
    fault = {"kind": "call", "address": "0x1d8b0c03dd1bf6eb"}  # read from the operand, and called
    lines = shown(
        signal=signal, signature={"category": "segv-noncanonical"}, corruption={"fault": fault}
    )
    assert any(": 0x1d8b0c03dd1bf6eb cannot be the address" in line for line in lines)


def test_of_many_kinds_of_waits_the_rest_is_counted() -> None:
    kinds = ("lock", "event", "queue get", "sleep")
    waits = [{"kind": kind, "count": 1} for kind in kinds]
    lines = shown(tasks={"asyncio": 5, "trio": 0, "waits": waits})
    assert any(line.startswith("Tasks    5 asyncio tasks: 1 waits for a lock, ") for line in lines)
    assert ", 2 others" in "\n".join(lines)


def test_an_address_of_a_foreign_record_that_is_none_does_no_harm() -> None:
    signal = {"name": "SIGSEGV", "si_code": 128, "operand": {"address": "0x2065746176697250"}}
    signature = {"category": "segv-noncanonical"}
    assert any("; its bytes are" in line for line in shown(signal=signal, signature=signature))
    signal["operand"] = {"address": "0x" + "4" * 20}
    assert any("0x4444" in line for line in shown(signal=signal, signature=signature))


def test_what_is_waited_for_has_one_word_on_a_screen_and_in_a_table() -> None:
    """A table had "waits for threading.Condition", the sentence "for results of a pool"."""
    line = "gsig/2 stable snapshot threading.Condition futex_wait <-- py:etl.run_all"
    named = line.replace("Condition", "Lock:etl.LOCK")
    member = {"tid": 7, "what": "results of a pool"}
    for label, shown_line, what in (
        ("cannot-tell", line, "waits for results of a pool"),
        ("hang", line, "hung, waits for results of a pool"),
        ("hang", named, "hung, waits for etl.LOCK"),
    ):
        record = {
            "signature": {"category": "snapshot"},
            "verdict": {"label": label},
            "threads": {"crashed": {"tid": 7, "frames": [PYTHON]}},
            "findings": [{"detector": "stuck_waiting", "facts": {"members": [member]}}],
        }
        assert where_and_what_of_record(record, shown_line) == ("etl.run_all", what)


def test_a_lock_without_a_name_is_called_by_its_kind() -> None:
    wait = {"tid": 7, "kind": "multiprocessing SemLock", "verdict": "other-process"}
    wait["address"] = "0x00007fcd52095000"
    lines = shown("hang", PYTHON, waits=[wait])
    words = "thread 7 waits for a multiprocessing SemLock (at 0x7fcd52095000), shared between"
    assert any(words in line for line in lines), lines


def test_a_crash_has_the_name_in_a_table_that_its_answer_gives_it() -> None:
    """The answer told of a jump to 0x8 by a number; triage's table and the fleet of NULL."""
    line = "gsig/2 stable segv-null PyObject_GetAttr <-- py:hub.ingest"
    for cause, pc, name in (
        ("wrong-pointer", "0x8", "jump to a low address in PyObject_GetAttr"),
        ("wrong-pointer", "0x1000", "low address in PyObject_GetAttr"),
        ("null-pointer", "0x1000", "NULL pointer in PyObject_GetAttr"),
        ("use-after-free", "0x1000", "low address in PyObject_GetAttr: use after free"),
    ):
        verdict = {"label": "software", "cause": [{"hypothesis": cause, "probability": 0.8}]}
        signal = {"name": "SIGSEGV", "fault_address": "0x8", "pc": pc}
        record = {"signature": {"category": "segv-null"}, "signal": signal, "verdict": verdict}
        assert where_and_what_of_record(record, line) == ("hub.ingest", name)
        (first, *_) = shown("software", PYTHON, **record)
        assert ("NULL" in first) == ("NULL" in name), first
