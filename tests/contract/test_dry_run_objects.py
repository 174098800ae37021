# SPDX-License-Identifier: Apache-2.0
"""What a dry run says of code that makes objects of its own classes and changes shared ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.dry_runs import UNKNOWN, is_plain, outcomes
from support.hangs import core_by_signal
from support.interpreters import Interpreter, discover, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import collections, functools, json, os, queue, re, threading

class Tray:
    "Its __new__ gives back a tray that it is given, as pyparsing's ParseResults does."
    __slots__ = ("coins", "name")
    def __new__(cls, coins=None, name=""):
        if isinstance(coins, Tray):
            return coins
        self = object.__new__(cls)
        self.coins = [] if coins is None else coins if isinstance(coins, list) else [coins]
        return self
    def __init__(self, coins=None, name=""):
        self.name = name
    def __iadd__(self, other):
        self.coins += other.coins
        return self
    def __add__(self, other):
        return Tray(self.coins + other.coins)
    def __bool__(self):
        return len(self.coins) > 0

class Word(str): pass
class Silent:
    def __add__(self, other): return NotImplemented
class Lexer:
    @functools.cached_property
    def match(self): return self.pattern.match
    pattern = re.compile(r"(?=x)|y")

LEXER = Lexer()
LEXER.match
RULES = [(re.compile(r"(?=x)").match, "open"), (re.compile(r"").match, "close")]
class Kind(tuple): pass
class Pair(tuple):
    def __eq__(self, other): return False
    __hash__ = tuple.__hash__
KINDS = {Kind(("text", "name")): 7, Kind(("text",)): 9}
NAMES = [Kind(("text", "name")), Kind(("text",))]
PAIRS, SOUGHT = {Pair(("a",)): 1}, Pair(("a",))

def trays():
    first = Tray(3)
    second = Tray(first, "kept")
    second += Tray([4, 5])
    both = first + Tray()
    return len(first.coins) * 100 + len(both.coins) * 10 + (first is second) + (not Tray()) * 1000

def shared_list():
    first = [1]
    second = first
    second += [2, 3]
    second *= 2
    return len(first)

def shared_set():
    first = {1}
    second = first
    second |= {2, 3}
    second -= {1}
    return len(first)

def grown_to_the_limit():
    names = []
    kept = names
    while len(kept) < 7:
        names += ["a"]
    return len(kept)

def no_order():
    return Silent() + 1

def kinds():
    found = (type(LEXER) is Lexer) + 2 * (type(3) is int) + 4 * isinstance("a", Lexer)
    found += 32 * (type(Tray()) is Tray) + 64 * (type([]) is list)
    return found + 8 * isinstance([1], (list, Lexer)) + 16 * (type(LEXER) is Word)

def largest(numbers, choose=max, count=len):
    return choose(numbers) * 10 + count(numbers)

def renamed():
    return largest([3, 9, 4])

def keyed():
    return KINDS[NAMES[0]] * 10 + KINDS[NAMES[1]]

def own_equality():
    return PAIRS[SOUGHT]

def endless_zero_width():
    at, state = 0, 0
    while at < 3:
        match, name = RULES[state]
        found = match("xyz", at)
        at = found.end()
        state = 1 if name == "open" else 0

def own_matcher():
    at = 0
    while at < 2:
        found = LEXER.match("yyx", at)
        at = found.end()
    return at

def endless_own_matcher():
    at = 0
    while at < 3:
        at = LEXER.match("yyx", at).end()

def endless_trays():
    tray = Tray()
    while True:
        part = Tray("")
        if part:
            tray += part
        if len(part.coins) > 1:
            break

class Outbox:
    def __init__(self, *mails):
        self.changed, self.mails = threading.Condition(), collections.deque(mails)
        self.jobs, self.tried = queue.Queue(), 0
        for mail in mails:
            self.jobs.put(mail)
    def send(self, mail):
        if "@" not in json.loads(mail)["to"]:
            raise ValueError(mail)
    def send_all(self, limit):
        while True:
            with self.changed:
                if not self.mails:
                    return self.tried
                mail = self.mails.popleft()
            try:
                self.send(mail)
            except ValueError:
                self.tried += 1
                if limit is None or self.tried < limit:
                    with self.changed:
                        self.mails.append(mail)
                        self.changed.notify_all()
    def send_jobs(self):
        while not self.jobs.empty():
            mail = self.jobs.get()
            try:
                self.send(mail)
            except ValueError:
                self.jobs.put(mail)
        return self.jobs.qsize()

POISONED = Outbox('{"to": "a@b"}', '{"to": "nobody"}')
GOOD = Outbox('{"to": "a@b"}', '{"to": "c@d"}')

def tries():
    return POISONED.send_all(5)
def endless_tries():
    return POISONED.send_all(None)
def jobs():
    return GOOD.send_jobs()
def endless_jobs():
    return POISONED.send_jobs()
def own_lock():
    lock = POISONED.changed
    with lock:
        with lock:
            held = lock._is_owned()
    return held + 2 * lock._is_owned()
def endless_marks():
    place, marks = 0.0, []
    while place != 1.0:
        marks.append(round(place, 3))
        place += 0.1
def no_json():
    try:
        found = json.loads("[1, {")
    except ValueError:
        found = json.loads('[1, {"a": []}]')
    return len(found)

if __name__ == "__main__":
    open("ready", "w").close()
    while True:
        os.getpid()
"""
RETURNED = {
    "trays": 1331, "shared_list": 6, "shared_set": 2, "grown_to_the_limit": 7,
    "no_order": UNKNOWN, "kinds": 107, "keyed": 79, "renamed": 93,
    "own_equality": UNKNOWN, "own_matcher": 2, "tries": 5, "jobs": 0, "own_lock": 1,
    "no_json": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    "one", spread("dry run", is_plain, every=2), ids=lambda interpreter: interpreter.id
)
def test_functions_of_a_core(one: Interpreter, tmp_path: Path) -> None:
    need_core_dumps()
    endless = (
        "endless_zero_width", "endless_own_matcher", "endless_trays", "endless_tries",
        "endless_jobs", "endless_marks",
    )  # fmt: skip
    expected = {**RETURNED, **dict.fromkeys(endless, "endless")}
    if one.minor < (3, 9):  # whose `with` blocks end in ways that are not followed
        of_blocks = ("tries", "endless_tries", "own_lock", "jobs", "endless_jobs")
        expected |= dict.fromkeys(of_blocks, UNKNOWN)
    assert outcomes(one, tmp_path, PROGRAM, expected) == expected


# A loop without a test of its own: whether it is meant to go on, its handler tells.
TRIED = """
import functools, sys

class Scanner:
    @functools.lru_cache(maxsize=10)
    def width(self, word):
        return len(word)

SCANNER, WORDS = Scanner(), ["", "ab"]
for word in WORDS:
    SCANNER.width(word)

def scan(at):
    try:
        while True:
            at += SCANNER.width(WORDS[%s])
            %s
    except %s:
        return at

open("ready", "w").close()
scan(0)
"""
LONG = "\n            ".join(f"kept_{number} = at + {number}" for number in range(90))


@pytest.mark.parametrize(
    ("index", "body", "error", "is_endless"),
    [("at", "pass", "IndexError", True), ("at", LONG, "(IndexError, KeyError)", True),
     ("at", "pass", "KeyboardInterrupt", False), ("at", "pass", "Exception", False),
     ("1", "if at > 10**12: raise IndexError", "IndexError", False)],
    ids=["a particular error", "a long body", "the user's end of it", "any error", "it comes"],
)  # fmt: skip
def test_loop_that_an_error_is_to_end(
    index: str, body: str, error: str, is_endless: bool, tmp_path: Path
) -> None:
    need_core_dumps()
    interpreter = next(each for each in discover() if is_plain(each) and each.minor >= (3, 11))
    program = tmp_path / "program.py"
    program.write_text(TRIED % (index, body, error))
    core = core_by_signal(interpreter, "busy", tmp_path, program=program)
    answer = run_stages(Session(CoreFileTarget.open(core))).state.hang
    assert not isinstance(answer, Absent)
    assert (answer.kind == "endless loop") is is_endless


# Main waits for a worker; that of the last program alone takes something and puts it back.
SERVED = """
import collections, threading, time

STATUS, WORK = {}, collections.deque(["job"])

def beats():
    while True:
        STATUS["state"] = "alive"
        try:
            STATUS["order"]
        except KeyError:
            STATUS["orders"] = "none"
        time.sleep(0.5)

def looks():
    while True:
        STATUS["state"] = "alive"
        try:
            STATUS["order"]
        except KeyError:
            STATUS["orders"] = "none"

def requeues():
    while True:
        job = WORK.popleft()
        try:
            int(job)
        except ValueError:
            WORK.appendleft(job)

worker = threading.Thread(target=%s)
worker.start()
open("ready", "w").close()
worker.join()
"""


@pytest.mark.parametrize(
    ("function", "settle"), [("beats", "rest"), ("looks", "busy"), ("requeues", "busy")]
)
def test_service_that_handles_an_error_in_each_turn(
    function: str, settle: str, tmp_path: Path
) -> None:
    """A service that notes that it lives, and has no orders, was said to put back what it took."""
    need_core_dumps()
    interpreter = next(each for each in discover() if is_plain(each) and each.minor >= (3, 11))
    program = tmp_path / "program.py"
    program.write_text(SERVED % function)
    kinds = list[str]()
    for name in "abc":  # here and there an instruction runs from which nothing can be followed
        (tmp_path / name).mkdir()
        core = core_by_signal(interpreter, settle, tmp_path / name, program=program)
        answer = run_stages(Session(CoreFileTarget.open(core))).state.hang
        assert not isinstance(answer, Absent)
        kinds.append(answer.kind)
    assert (not {"endless loop", "polls in vain"}.isdisjoint(kinds)) is (function == "requeues")
