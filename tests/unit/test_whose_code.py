# SPDX-License-Identifier: Apache-2.0
"""The answer says whose code a software bug is in, and when that is not known."""

from __future__ import annotations

from typing import Any

import pytest
from unit.test_triage_text import NATIVE, PYTHON

from gdb_epi.render.triage import Audience, render_triage


def second(at_fault: Any, reason: str = "why", **groups: Any) -> str:
    verdict = {"label": "software", "confidence": 0.79, "reasons": [reason]}
    record = {"verdict": verdict, "at_fault": at_fault, **groups}
    record["threads"] = {"count": 1, "crashed": {"tid": 7, "frames": [NATIVE, PYTHON]}}
    lines = render_triage(record, Audience())
    return " ".join(lines[: lines.index("")]).partition("Likely")[2]


WATCH = "watch.cpython-311-x86_64-linux-gnu.so"


@pytest.mark.parametrize(
    ("at_fault", "words"),
    [
        ({"whose": "library", "files": [WATCH]}, ", in watch.so: why."),
        ({"whose": "call", "files": [WATCH]}, ", in watch.so or in how f.py:3 calls it: why."),
        ({"whose": "line", "files": []}, ", in f.py:3: why."),
        ({"whose": "program"}, ", in the program's own Python code: why."),
        ({"whose": "interpreter", "files": ["_json.so"]},
         ": why. It is Python's own (_json.so), as no other"),
        ({"whose": "not-known"}, ": why. Whose code did it is not known."),
        ({"whose": "not-known", "files": []},
         ": why. Whose code did it is not known: no native code but"),
        ({"whose": "not-known", "ctypes": True},
         ": why. Whose code did it is not known: perhaps a call by"),
        ({"whose": "not-known", "files": [*"abcd"]},
         ": why. Whose code did it is not known: suspect a, b"),
        ({"whose": "not-known", "files": ["a.so"]},
         ": why. Whose code did it is not known: suspect a.so, native code that is not Python's."),
        # The code that was running when it crashed is the first suspect (NATIVE is of prog).
        ({"whose": "not-known", "files": ["a.so", "prog"]},
         ": why. Whose code did it is not known: suspect prog, whose code was running"),
        ({"whose": "not-known", "files": ["a.so", "prog"]},
         ": why. Whose code did it is not known: suspect prog, whose code was running, or a.so."),
        ({"whose": "not-known", "files": ["prog", "a.so", "b.so"], "ctypes": True},
         ": why. Whose code did it is not known: suspect prog, whose code was running, or a.so"),
        # What a damaged record, or that of another version, says is not taken for a fact.
        ({"whose": "library", "files": [None]}, ": why."),
        ({"whose": 3}, ": why."),
        (None, ": why."),
        (["library"], ": why."),
    ],
)  # fmt: skip
def test_whose_code_it_is(at_fault: Any, words: str) -> None:
    assert second(at_fault).startswith(f" a software bug (79% sure){words}")


@pytest.mark.parametrize(
    ("doubt", "words"),
    [
        ("value-in-memory", "Likely a software bug (79% sure), in watch.so, in how f.py:3 calls it "
         "or in what else wrote the value: why."),
        ("small-stack", "Likely a setting, not the code (79% sure), in"),
        ("full-disk", "Likely its file or disk (79% sure), in"),
    ],
)  # fmt: skip
def test_what_else_looks_the_same_is_said(doubt: str, words: str) -> None:
    findings = [{"detector": "some", "facts": {"doubt": doubt}}]
    shown = second({"whose": "call", "files": [WATCH]}, findings=findings)
    assert f"Likely{shown}".startswith(words)


def test_the_only_native_code_is_called_so_where_nothing_else_is_loaded() -> None:
    suspect = {"whose": "not-known", "files": ["a.so"]}
    for others, only in ((["libc.so.6", "_json.cpython-311-x86_64-linux-gnu.so"], True),
                         (["_umath.cpython-311-x86_64-linux-gnu.so"], False)):  # fmt: skip
        libs = {"modules": [{"soname": name} for name in ("a.so", "python3.11", *others)]}
        assert ("a.so, the only native code that" in second(suspect, libs=libs)) == only


def test_the_suspects_that_the_reason_names_are_named_once() -> None:
    suspects = {"whose": "not-known", "files": ["a.so"]}
    assert second(suspects, "something, perhaps a.so, wrote").count("a.so") == 1


def test_a_reason_full_of_addresses_has_other_words() -> None:
    reason = "rbp holds 0x7ffff6cc7010, the start of a page without memory"
    sign = {"id": "S:unmapped:one-bit", "summary": reason}
    shown = second(None, reason, corruption={"evidence": [sign]})
    assert shown.endswith(": it used memory that was already freed, a large block.")


def test_what_a_finding_says_itself_has_no_general_words_before_it() -> None:
    finding = {"detector": "address_in_variable", "summary": "`size` is the bad address"}
    verdict = {"label": "software", "confidence": 0.79, "reasons": [finding["summary"]],
               "cause": [{"hypothesis": "wrong-pointer", "probability": 0.79}]}  # fmt: skip
    lines = render_triage({"verdict": verdict, "findings": [finding]}, Audience())
    assert lines[1] == "Likely a software bug (79% sure): `size` is the bad address."
    lines = render_triage({"verdict": verdict}, Audience())
    assert "a pointer had a wrong value; `size`" in lines[1]


def test_a_callback_that_was_freed_is_no_code_of_an_unknown_file() -> None:
    frame = {"language": "native", "pc": "0x7f0000001000"}
    threads = {"count": 1, "crashed": {"tid": 7, "frames": [frame, PYTHON]}}
    record = {"threads": threads, "signal": {"name": "SIGSEGV"}}
    record["signature"] = {"category": "segv-wild"}
    assert "in code of no file" in render_triage(record, Audience())[0]
    record["findings"] = [{"detector": "freed_callback", "summary": "it was freed"}]
    assert "in a callback that was freed" in render_triage(record, Audience())[0]


def test_where_no_code_is_no_code_of_no_file_ran() -> None:
    frame = {"language": "native", "pc": "0x7f0000001000"}
    threads = {"count": 1, "crashed": {"tid": 7, "frames": [frame]}}
    record = {"threads": threads, "signal": {"name": "SIGSEGV"}}
    record["signature"] = {"category": "segv-exec"}
    first = render_triage(record, Audience())[0]
    assert "it jumped to memory that cannot be run as code" in first and "of no file" not in first


def next_steps(at_fault: Any, cause: str = "null-pointer", executable: str = "") -> str:
    verdict = {"label": "software", "confidence": 0.79, "reasons": ["why"],
               "cause": [{"hypothesis": cause, "probability": 0.79}]}  # fmt: skip
    threads = {"count": 1, "crashed": {"tid": 7, "frames": [NATIVE, PYTHON]}}
    process = {"script": "shop.py", "executable": executable}
    record = {"verdict": verdict, "at_fault": at_fault, "threads": threads, "process": process}
    lines = render_triage(record, Audience())
    return "\n".join(lines[next(n for n, line in enumerate(lines) if line.startswith("Next")) :])


def test_who_is_known_is_to_see_it_and_who_is_not_known_is_looked_for() -> None:
    steps = next_steps({"whose": "call", "files": [WATCH], "package": "watcher"})
    assert "show this to:" in steps and f"who maintains watcher ({WATCH})\n" in steps
    assert "PYTHONMALLOC" not in steps
    unknown = next_steps({"whose": "not-known", "files": [WATCH]}, "wrong-pointer")
    assert (
        "show this to" not in unknown
        and "PYTHONMALLOC=malloc valgrind python3 shop.py\n" in unknown
    )
    for cause in ("out-of-bounds", "null-pointer"):  # no allocator sees these
        assert "PYTHONMALLOC" not in next_steps({"whose": "not-known"}, cause)
    assert "github.com/python/cpython" in next_steps({"whose": "interpreter"})


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        ("a call took 0x1000 from 0x2000, in the collector's links of an object of type Slot",
         "the bad value was read from the GC header of an object of type Slot"),
        ("rdi is 0, read from 0x2000, 32 bytes into an object of type csv; no flipped bit of it "
         "alone explains this",
         "the bad value was read from the field at byte 32 of an object of type csv"),
        ("rax is 0x9, which stands at 0x2000 too, item 3 of the tuple at 0x1f00",
         "the bad value also stands in item 3 of the tuple at 0x1f00"),
        ("rax is 0, read from 0x2000, in libpython3.11.so.1.0", ""),
        ("rax is 0, read from 0x2000, in the stack of thread 7", ""),
    ],
)  # fmt: skip
def test_from_says_in_plain_words_whose_value_it_was(summary: str, words: str) -> None:
    """A place without an owner tells a stranger nothing: it is left to --evidence."""
    evidence = [{"id": "origin", "where": "0x2000", "summary": summary}]
    record = {"corruption": {"evidence": evidence}, "verdict": {"reasons": ["why"]}}
    rows = [line[9:] for line in render_triage(record, Audience()) if line.startswith("From ")]
    assert rows == ([words] if words else [])


def test_the_interpreter_is_blamed_only_where_it_is_alone() -> None:
    frame = {**NATIVE, "module": "/usr/bin/python3.11"}
    threads = {"count": 1, "crashed": {"tid": 7, "frames": [frame, PYTHON]}}

    def first(cause: str, **at_fault: Any) -> str:
        verdict = {"label": "software", "cause": [{"hypothesis": cause, "probability": 0.8}]}
        record = {"verdict": verdict, "at_fault": at_fault, "threads": threads}
        return render_triage(record, Audience())[0]

    own = {"whose": "not-known", "files": ["a.so"]}
    assert "in Python's own code (g), called" in first("null-pointer", whose="interpreter")
    assert "in the interpreter (g), called" in first("null-pointer", **own)
    assert "in the interpreter (g, which only met the damage), called" in first("other-data", **own)
    assert "in the interpreter (g), called" in first("other-data", whose="not-known", files=[])


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ("it is the number 65536, or NULL plus that many bytes; no memory lies near that address",
         "it is the number 65536 (0x10000), or NULL plus that many bytes."),
        ("NULL plus 1 bytes, or that number itself, was taken for a pointer",
         "the number 1 was used as a pointer, or as an offset from NULL."),
        ("8 of its bytes are 0x41, a filling pattern", "all its bytes are 0x41, the letter A."),
        ("8 of its bytes are 0x5a, a filling pattern", "0x5a, a filling pattern."),
    ],
)  # fmt: skip
def test_a_number_and_letters_in_place_of_a_pointer_have_short_words(
    plain: str, words: str
) -> None:
    finding = {"summary": "why", "facts": {"plain": plain}}
    assert second(None, findings=[finding]).endswith(words)


def test_a_rerun_has_the_packages_that_the_process_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a virtual environment its base was named, in which the program cannot even start."""
    code = {"whose": "not-known", "files": [WATCH]}
    base = "/opt/py/bin/python3.11"
    assert f"PYTHONMALLOC=malloc valgrind {base} shop.py\n" in next_steps(
        code, "wrong-pointer", base
    )
    monkeypatch.setitem(PYTHON, "filename", "/srv/venv/lib/python3.11/site-packages/x.py")
    steps = next_steps(code, "wrong-pointer", base)
    assert "PYTHONMALLOC=malloc valgrind python3 shop.py\n" in steps
