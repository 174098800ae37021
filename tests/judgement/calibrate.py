# SPDX-License-Identifier: Apache-2.0
"""Count how often each rule was right; compare what verdicts state with what is observed.

Counted are programs, not cores. The mix is that of the rows: kinds of damage and kinds of bugs of
tests/corruption in equal parts, and the programs of the gallery. It has far more damage than the
world has: what is stated of software is therefore too low rather than too high.

--held-out states of each program what the counts of all *other* programs give.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from gallery.judging import wilson

from gdb_epi.judgement.calibration import (
    ANY_RULE,
    RuleCounts,
    calibration_version,
    load_calibration,
)
from gdb_epi.judgement.labels import CANNOT_TELL
from gdb_epi.judgement.verdict import Verdict
from judgement.truth import Row, case_of, counted, judged, read_rows, truth_of

FILE = ROOT / "gdb_epi" / "judgement" / "calibration.json"
BANDS = (0.0, 0.5, 0.65, 0.8, 0.9, 0.95, 1.01)
FOLDS = 10
# Of the gallery's processes that a signal ended most hang: its share says nothing of the world.
KILLED_FROM_OUTSIDE = "category:killed-external"
ABOUT = (
    "in how many programs each rule was right and wrong (tests/judgement): the generators of "
    "tests/corruption, kinds of bugs and of damage in equal parts, and the gallery's first half"
)


class Said(NamedTuple):
    """One row with what was said of it."""

    row: Row
    verdict: Verdict

    @property
    def right(self) -> bool:
        """Whether the label is right."""
        return self.verdict.label in truth_of(self.row).labels


def held_out(rows: Sequence[Row]) -> list[Said]:
    """Judge each row by the counts of the other programs, in FOLDS parts."""
    judgements: list[Said] = []
    for fold in range(FOLDS):
        mine = [row for row in rows if _fold(row) == fold]
        table = counted(row for row in rows if _fold(row) != fold)
        judgements += [Said(row, judged(row, table)) for row in mine]
    return judgements


def _fold(row: Row) -> int:
    return zlib.crc32(str(row["program"]).encode()) % FOLDS


def bands(judgements: Iterable[Said]) -> list[str]:
    """Return a line for each band of stated probability: programs, mean stated, observed."""
    lines = []
    stated = [judgement for judgement in judgements if judgement.verdict.label != CANNOT_TELL]
    for low, high in zip(BANDS, BANDS[1:], strict=False):
        inside = [judgement for judgement in stated if low <= judgement.verdict.confidence < high]
        programs: dict[str, list[Said]] = {}
        for one in inside:
            programs.setdefault(str(one.row["program"]), []).append(one)
        if not programs:
            continue
        number = len(programs)
        mean = sum(
            sum(o.verdict.confidence for o in each) / len(each) for each in programs.values()
        )
        right = sum(sum(o.right for o in each) / len(each) for each in programs.values())
        least, most = wilson(round(right), number)
        lines.append(
            f"{low:4.2f}-{min(high, 1):4.2f} {number:4} programs {len(inside):5} cores  stated "
            f"{mean / number:.3f}  observed {right / number:.3f} ({least:.2f}-{most:.2f})"
        )
    return lines


def summary(judgements: Sequence[Said]) -> list[str]:
    """Return the figures of issue 16 by class of the rows."""
    lines = []
    classes: dict[str, list[Said]] = {}
    for judgement in judgements:
        name = (
            judgement.row["label"]["class"]
            if "label" in judgement.row
            else str(judgement.row["from"])
        )
        classes.setdefault(name, []).append(judgement)
    for name, each in sorted(classes.items()):
        labels: dict[str, int] = {}
        for judgement in each:
            labels[judgement.verdict.label] = labels.get(judgement.verdict.label, 0) + 1
        ranked = sorted(labels.items(), key=lambda pair: -pair[1])
        lines.append(f"{name}: {len(each)} cores: " + ", ".join(f"{k} {v}" for k, v in ranked))
        false = [o for o in each if flagged(o.row) and not truth_of(o.row).damaged]
        lines.append(f"  damage of few bits claimed where there is none: {len(false)}")
        sure = [o for o in each if o.verdict.label == "software" and o.verdict.confidence >= 0.9]
        if sure:
            lines.append(f"  software at >= 0.9: {sum(o.right for o in sure)} of {len(sure)} right")
        high = [o for o in each if o.verdict.confidence >= 0.8 and not o.right]
        lines.append(f"  wrong at >= 0.8: {len(high)}")
    damaged = [
        judgement
        for judgement in judgements
        if truth_of(judgement.row).damaged and "label" in judgement.row
    ]
    found_damage = [judgement for judgement in damaged if judgement.verdict.damage.found]
    named = [judgement for judgement in found_damage if named_right(judgement)]
    if damaged:
        lines.append(
            f"damage found in {len(found_damage)} of {len(damaged)}, place and bit right in "
            f"{len(named)} of {sum(named_right(o) is not None for o in found_damage)}"
        )
    return lines


def flagged(row: Row) -> bool:
    """Whether damage of few bits is claimed; what an overrun overwrote is none."""
    return case_of(row).score.is_damaged


def named_right(judgement: Said) -> bool | None:
    """Whether the damage names the word and the bits that were changed; None without one word."""
    label, damage = judgement.row["label"], judgement.verdict.damage
    words = [(label["address"], label["original"], label["found"]), *label["more"]]
    if label["path"] == "register":
        right = {(int(wrong, 16), int(original, 16)) for _, original, wrong in words}
        return (damage.holds, damage.should_be) in right
    if len(label["bits"]) != 1 or not isinstance(damage.where, int):
        return any(isinstance(damage.where, int) and abs(int(a, 16) - damage.where) < 8
                   for a, _, _ in words if a)  # fmt: skip
    changed = {8 * int(a, 16) + bit for a, o, f in words for bit in _bits(o, f)}
    return bool(damage.bits) and all(8 * damage.where + bit in changed for bit in damage.bits)


def _bits(original: str, wrong: str) -> list[int]:
    changed = int(original, 16) ^ int(wrong, 16)
    return [bit for bit in range(64) if changed >> bit & 1]


def version_of(rows: Sequence[Row], before: str = "") -> str:
    """Return "count-17-of-8069-cores": how often was counted, and how many cores in all.

    Each record carries it. What was counted when is in the origins of the rules.
    """
    last = re.fullmatch(r"count-(\d+)-of-(\d+)-cores", before)
    if last is None:  # until November 2026 each step was written out: 2434-cores-399-programs+...
        cores = sum(map(int, re.findall(r"(?:^|\+)(\d+)-cores", before)))
        last_number = before.count("+") + 1 if before else 0
    else:
        last_number, cores = int(last[1]), int(last[2])
    return f"count-{last_number + 1}-of-{cores + len(rows)}-cores"


def written(
    table: Mapping[str, RuleCounts], rows: Sequence[Row], version: str | None = None
) -> str:
    """Return calibration.json: a rule a line."""
    head: dict[str, object] = {"version": version or version_of(rows), "about": ABOUT}
    head["usual"] = table[ANY_RULE].usual
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    rules = []
    for rule, counts in table.items():
        if rule != ANY_RULE:
            note = f', "note": {json.dumps(counts.note)}' if counts.note else ""
            rules.append(
                f'    {json.dumps(rule)}: {{"right": {counts.right:g}, "wrong": {counts.wrong:g}, '
                f'"programs": {json.dumps(dict(counts.programs))}{note}}}'
            )
    return "\n".join(["{", *lines, '  "rules": {', ",\n".join(rules), "  }", "}", ""])


def extended(table: Mapping[str, RuleCounts], rows: Sequence[Row]) -> str:
    """Return calibration.json as it is, with the rules that it does not have yet."""
    shipped = dict(load_calibration())
    new = {rule: counts for rule, counts in table.items() if rule not in shipped}
    usual = shipped.pop(ANY_RULE).usual
    merged = dict(sorted({**shipped, **new}.items()))
    version = version_of(rows, calibration_version())
    return written({**merged, ANY_RULE: RuleCounts(0, 0, "", usual)}, rows, version)


def summed(
    table: Mapping[str, RuleCounts],
    rows: Sequence[Row],
    new_rules: bool = False,
    only: str = "",
    leave_out: tuple[str, ...] = (),
) -> str:
    """Return calibration.json with the counts of further programs: none that it has counted.

    Rules that it lacks stay out unless `new_rules` asks for them: one kind of programs alone says
    little of them. `only` and `leave_out` are how the names of the rules begin that are counted,
    and of those that are not.
    """
    table = {
        rule: counts
        for rule, counts in table.items()
        if rule.startswith(only) and not rule.startswith(leave_out)
    }
    merged = dict(load_calibration())
    usual = merged.pop(ANY_RULE).usual
    if new_rules:
        lacking = table.keys() - merged.keys() - {ANY_RULE, KILLED_FROM_OUTSIDE}
        merged |= {rule: table[rule] for rule in lacking}
        table = {rule: counts for rule, counts in table.items() if rule not in lacking}
    for rule, old in merged.items():
        if (more := table.get(rule)) is not None:
            right, wrong = round(old.right + more.right, 2), round(old.wrong + more.wrong, 2)
            programs = Counter(dict(old.programs)) + Counter(dict(more.programs))
            merged[rule] = old._replace(
                right=right, wrong=wrong, programs=tuple(sorted(programs.items()))
            )
    version = version_of(rows, calibration_version())
    everything = {**dict(sorted(merged.items())), ANY_RULE: RuleCounts(0, 0, "", usual)}
    return written(everything, rows, version)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print counts, bands and figures; with --write change calibration.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument(
        "--add", action="store_true", help="add to calibration.json the rules that it lacks"
    )
    parser.add_argument(
        "--sum", action="store_true",
        help="add the counts of programs that calibration.json has not counted",
    )  # fmt: skip
    parser.add_argument(
        "--new-rules", action="store_true", help="with --sum: the rules that it lacks too"
    )
    parser.add_argument("--only", default="", help="with --sum: rules whose names begin so")
    parser.add_argument(
        "--leave-out", nargs="*", default=(), help="with --sum: rules whose names do not begin so"
    )
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args(arguments)
    rows = list(read_rows(options.rows))
    table = counted(rows)
    for rule, counts in table.items():
        print(f"{rule:34} {counts.right:7.2f} {counts.wrong:6.2f} {counts.probability:6.3f}")
    judgements = held_out(rows) if options.held_out else [Said(row, judged(row)) for row in rows]
    judgements = [
        judgement for judgement in judgements if judgement.row["from"] != "corruption-bare"
    ]  # seen twice
    print("\n".join([*bands(judgements), *summary(judgements)]))
    if options.misses:
        for one in judgements:
            _print_miss(one)
    if options.write:
        FILE.write_text(written(table, rows))
    if options.add:
        FILE.write_text(extended(table, rows))
    if options.sum:
        FILE.write_text(
            summed(table, rows, options.new_rules, options.only, tuple(options.leave_out))
        )
    return 0


def _print_miss(judgement: Said) -> None:
    wrong = judgement.verdict.label != CANNOT_TELL and not judgement.right
    truth = truth_of(judgement.row)
    missed = truth.damaged and not judgement.verdict.damage.found
    if wrong or missed:
        print(
            "WRONG" if wrong else "MISS", judgement.row["program"], judgement.row["interpreter"],
            judgement.verdict.label, judgement.verdict.confidence, list(judgement.verdict.rules),
            judgement.row["record"]["signature"]["category"],
            [e["id"] for e in judgement.row["record"]["corruption"].get("evidence", [])],
        )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
