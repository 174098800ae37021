# SPDX-License-Identifier: Apache-2.0
"""The evaluation's tables, as text."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from corruption.examine import Row
from corruption.labels import AMBIGUOUS, HW, LATENT, SW
from corruption.outcome import (
    FLAGGED,
    address_named,
    bit_named,
    is_strong,
    path_right,
    symptom_right,
)

ORDER = {"software-like": 0, "none": 1, "ambiguous": 2, "weak": 3, "strong": 4}
BASELINES = (0.0, 0.5, 0.9)


def tables(rows: Iterable[Row], *, misses: bool = False) -> str:
    """Return the whole report."""
    everything = list(rows)
    cores = [row for row in everything if "word" in row]
    parts = [_heading(everything, cores), _summary(cores), _by_kind(cores)]
    if misses:
        parts.append(_misses(cores))
    return "\n\n".join(part for part in parts if part)


def of_class(cores: Iterable[Row], group: str) -> list[Row]:
    """Return the cores of a class."""
    return [row for row in cores if row["label"]["class"] == group]


def _heading(everything: Sequence[Row], cores: Sequence[Row]) -> str:
    seeds = sorted({row["label"]["seed"] for row in cores})
    seconds = sorted(row["study_seconds"] for row in cores) or [0.0]
    whole = sorted(row["seconds"] for row in cores) or [0.0]
    return (
        f"{len(everything)} attempts, {len(cores)} cores, seeds {seeds}; CPU seconds a core: "
        f"checks median {statistics.median(seconds):.3f}, 95 % {_late(seconds):.3f}, most "
        f"{seconds[-1]:.3f}; with decoding median {statistics.median(whole):.3f}, "
        f"most {whole[-1]:.3f}"
    )


def _late(values: Sequence[float]) -> float:
    return values[min(len(values) - 1, int(len(values) * 0.95))]


def share(hits: int, total: int) -> str:
    """Return "hits/total (ratio)"."""
    return f"{hits}/{total} ({hits / total:.3f})" if total else "-"


def _rate(cores: Sequence[Row], test: Callable[[Row], bool | None]) -> str:
    answers = [answer for answer in map(test, cores) if answer is not None]
    return share(sum(answers), len(answers))


def _summary(cores: Sequence[Row]) -> str:
    hw, sw = of_class(cores, HW), of_class(cores, SW)
    flat = [row for row in sw if row["label"]["non_pie"]]
    both = of_class(cores, AMBIGUOUS)
    flagged = [row for row in hw if is_strong(row)]
    visible = _visible(hw)
    lines = [
        ("recall at strong, hardware that crashed", _rate(hw, is_strong)),
        ("recall at strong, damage still visible", _rate(visible, is_strong)),
        ("recall at weak or better", _rate(hw, lambda row: row["word"] in FLAGGED)),
        ("software at strong", _rate(sw, is_strong)),
        ("software at weak or better", _rate(sw, lambda row: row["word"] in FLAGGED)),
        ("software at strong, non-PIE", _rate(flat, is_strong)),
        ("ambiguous kinds above ambiguous", _rate(both, lambda row: row["word"] in FLAGGED)),
        ("latent at strong", _rate(of_class(cores, LATENT), is_strong)),
        ("bit named, of flagged", _rate(flagged, bit_named)),
        ("address and bit named, of flagged", _rate(flagged, address_named)),
        ("the same, damage still visible", _rate(_visible(flagged), address_named)),
        ("path right, of flagged", _rate(flagged, path_right)),
        ("symptom right, where the kind has one", _rate(cores, symptom_right)),
    ]
    for least in BASELINES:
        lines.append((f"rust-minidump {_name(least)}: recall", _rate(hw, _baseline(least))))
        lines.append((f"rust-minidump {_name(least)}: software", _rate(sw, _baseline(least))))
        lines.append((f"rust-minidump {_name(least)}: non-PIE", _rate(flat, _baseline(least))))
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:{width}}  {value}" for name, value in lines)


def _visible(cores: Iterable[Row]) -> list[Row]:
    return [row for row in cores if row["label"].get("visible")]


def _name(least: float) -> str:
    return f">= {least}" if least else "any"


def _baseline(least: float) -> Callable[[Row], bool]:
    return lambda row: row["baseline"] > 0 and row["baseline"] >= least


def _by_kind(cores: Sequence[Row]) -> str:
    head = (
        "| kind | class | cores | weak | strong | proven | bit | address | path | symptom "
        "| minidump any | >= 0.5 | >= 0.9 |"
    )
    lines = [head, "|" + "---|" * 13]
    kinds = sorted({(row["label"]["class"], row["label"]["kind"]) for row in cores})
    for group, name in kinds:
        mine = [row for row in cores if row["label"]["kind"] == name]
        flagged = [row for row in mine if is_strong(row)]
        words = [sum(row["word"] == word for row in mine) for word in (*FLAGGED[::-1],)]
        weak, proven, strong = words
        base = [sum(map(_baseline(least), mine)) for least in BASELINES]
        cells = [name, group, len(mine), weak, strong, proven, _short(flagged, bit_named)]
        cells += [_short(flagged, address_named), _short(flagged, path_right)]
        cells += [_short(mine, symptom_right), *base]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def _short(cores: Sequence[Row], test: Callable[[Row], bool | None]) -> str:
    answers = [answer for answer in map(test, cores) if answer is not None]
    return f"{sum(answers)}/{len(answers)}" if answers else ""


def _misses(cores: Sequence[Row]) -> str:
    lines = []
    for row in cores:
        label = row["label"]
        group = label["class"]
        wrong = symptom_right(row) is False
        missed = group == HW and not is_strong(row)
        false = group in (SW, AMBIGUOUS) and row["word"] in FLAGGED
        misnamed = group == HW and is_strong(row) and address_named(row) is False
        off_path = group == HW and is_strong(row) and path_right(row) is False
        marks = [
            name
            for name, is_so in (
                ("MISS", missed), ("FALSE", false), ("MISNAMED", misnamed), ("PATH", off_path),
                ("SYMPTOM", wrong),
            )
            if is_so
        ]  # fmt: skip
        if marks:
            ids = [f"{sign['id']}{'*' if sign['best'] else ''}" for sign in row["evidence"]]
            lines.append(
                f"{'+'.join(marks)} {label['kind']} {label['interpreter']} "
                f"seed {label['seed']}:{label['attempt']} {row['word']} {row['llr']} "
                f"{row['symptom']} visible={label.get('visible')} {label.get('what', '')} "
                f"{label.get('original')}->{label.get('found')} [{' '.join(ids)}]"
            )
    return "\n".join(lines)
