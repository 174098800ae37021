# SPDX-License-Identifier: Apache-2.0
"""What an answer about a core of the gallery is worth, and what the answers are worth together."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

RIGHT, UNHELPFUL, WRONG_LOW, WRONG_HIGH = "right", "unhelpful", "wrong", "wrong at >= 0.8"
GRADES = (RIGHT, UNHELPFUL, WRONG_LOW, WRONG_HIGH)
SURE = 0.8
BANDS = (0.0, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 1.01)
# What a reader is given by the answer; stacks, modules and paths name everything somewhere.
ANSWER = ("verdict", "findings", "waits", "facts")
KEYS = ("stable", "coarse")  # of the signature: the innermost functions, which the headline names
HEAD = "head of the screen"  # added to the record where the record itself names too little
MIN_RIGHT = 0.75  # what issue 16 asks of a half
MAX_WRONG = 0.02


class Judged(NamedTuple):
    """One core: what was said and what that is worth."""

    name: str
    kind: str
    interpreter: str
    label: str
    confidence: float
    grade: str
    label_right: bool
    label_wrong: bool
    why: str  # what was missing or false; "" when it is right


def answer_text(record: dict[str, Any], folder: str = "") -> str:
    """Return the parts of a record that answer, without the paths of the gallery itself."""
    lines = (record.get("signature") or {}).get("text") or {}
    parts = [*(record.get(key) for key in ANSWER), *(lines.get(key) for key in KEYS)]
    text = json.dumps(parts, ensure_ascii=False) + record.get(HEAD, "")
    return text.replace(folder, "") if folder else text


def judge(
    truth: dict[str, Any], record: dict[str, Any], name: str, interpreter: str, folder: str = ""
) -> Judged:
    """Return what a record is worth, held against the truth of its program."""
    verdict = record.get("verdict") or {}
    label, confidence = verdict.get("label", "cannot-tell"), verdict.get("confidence") or 0.0
    grade, why = _grade(truth, record, label, folder)
    may_doubt = label in truth.get("unsure", []) and confidence < SURE
    if grade == WRONG_LOW and why == label and may_doubt:
        grade = UNHELPFUL
    if grade == WRONG_LOW and confidence >= SURE:
        grade = WRONG_HIGH
    right, helpless = label in truth["right"], label in truth["unhelpful"] or may_doubt
    wrong = not right and not helpless
    return Judged(name, truth["kind"], interpreter, label, confidence, grade, right, wrong, why)


def _grade(
    truth: dict[str, Any], record: dict[str, Any], label: str, folder: str
) -> tuple[str, str]:
    verdict = record.get("verdict") or {}
    dumps = json.dumps([verdict.get("reasons"), verdict.get("against")], ensure_ascii=False)
    for pattern in truth.get("untrue", []):
        if names(pattern, dumps):
            return WRONG_LOW, f"says {pattern!r}, which is untrue"
    if label in truth["unhelpful"]:
        return UNHELPFUL, label
    if label not in truth["right"]:
        return WRONG_LOW, label
    damage = verdict.get("damage") or {}
    wanted = truth.get("damage")
    if wanted is False and damage.get("found"):
        return WRONG_LOW, "claims damage"
    if wanted is True and "found" in damage and not damage["found"]:
        return UNHELPFUL, "damage is not found"
    text = answer_text(record, folder)
    missing = [p for p in truth.get("names", []) if not names(p, text)]
    return (UNHELPFUL, f"{label}, but does not name {missing}") if missing else (RIGHT, "")


def names(pattern: str, text: str) -> bool:
    """Return whether a text names what is asked for; "double-free" is "double free" too."""
    return re.search(pattern.replace(" ", "[ _-]"), text, re.IGNORECASE) is not None


def worst(cores: Iterable[Judged]) -> Judged:
    """Return the worst of the answers about one program: that is what the program counts as."""
    return max(cores, key=lambda core: (GRADES.index(core.grade), core.confidence))


def by_program(judged: Iterable[Judged]) -> dict[str, Judged]:
    """Return the worst answer of each program."""
    cores: dict[str, list[Judged]] = {}
    for core in judged:
        cores.setdefault(core.name, []).append(core)
    return {name: worst(each) for name, each in sorted(cores.items())}


def counts(judged: Iterable[Judged]) -> dict[str, int]:
    """Return how many have each grade."""
    grades = [core.grade for core in judged]
    return {grade: grades.count(grade) for grade in GRADES}


def passes(judged: Sequence[Judged]) -> bool:
    """Return whether answers reach what is asked of a half: by program, and of hangs too."""
    programs = by_program(judged).values()
    parts = [list(programs), [program for program in programs if program.kind == "hang"]]
    for part in filter(None, parts):
        number = counts(part)
        if number[WRONG_HIGH] or number[WRONG_LOW] > MAX_WRONG * len(part):
            return False
        if number[RIGHT] < MIN_RIGHT * len(part):
            return False
    return True


def wilson(hits: int, number: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    if not number:
        return 0.0, 1.0
    share = hits / number
    middle = share + z * z / (2 * number)
    spread = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    scale = 1 + z * z / number
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


class Band(NamedTuple):
    """The programs for which a confidence between two bounds was stated, `cannot-tell` left out."""

    low: float
    high: float
    programs: int
    right: int  # the label is one of the right ones
    not_wrong: int  # or merely does not help: "killed" for a hang that somebody ended
    stated: float  # the mean of what was stated


def bands(judged: Iterable[Judged]) -> list[Band]:
    """Return each band that is not empty. A program counts once in it, by its worst label there."""
    stated = [core for core in judged if core.label != "cannot-tell"]
    rows = []
    for low, high in zip(BANDS, BANDS[1:]):
        inside: dict[str, list[Judged]] = {}
        for answer in stated:
            if low <= answer.confidence < high:
                inside.setdefault(answer.name, []).append(answer)
        each = [
            min(cores, key=lambda o: (o.label_right, not o.label_wrong))
            for cores in inside.values()
        ]
        if each:
            right, wrong = sum(o.label_right for o in each), sum(o.label_wrong for o in each)
            mean = sum(o.confidence for o in each) / len(each)
            rows.append(Band(low, high, len(each), right, len(each) - wrong, mean))
    return rows
