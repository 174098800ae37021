# SPDX-License-Identifier: Apache-2.0
"""Fit the weights of evidence on labelled cores.

    python tests/corruption/fit.py ROWS... [--write]    # rows of evaluate.py, or folders of cores

The weight of an item is log10(P(item | hardware) / P(item | software)), with a Laplace count, over
the cores that died of hardware-like damage and of software that makes no such picture. An item
counts where it would count in the score: not when its group is switched off by an innocent sign,
not when it is ambiguous, and one of n rivals as 1 / n. No measured weight exceeds
log10(software cores) - 0.5: without a single hit among n cores the true rate may still be 3 / n.
Items of one `pool` are alike and measured together. Items "by argument" keep their weight, and get
their counts. So do innocent signs: how often software dies of NULL is a matter of the corpus' mix,
and a sign against damage must not get weaker because the corpus has few of it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from corruption.examine import Row, examine, read_rows
from corruption.labels import HW, SW, labels

WEIGHTS = ROOT / "gdb_epi" / "corruption" / "weights.json"
ARGUED = ("by argument",)
FEWEST_HITS = 3  # cores that must show an item before its weight is measured
INNOCENT = "S"
CAP_BELOW = 0.5


class Counts(NamedTuple):
    """In how many cores of each class an item counted."""

    hw: float
    sw: float


class Corpus(NamedTuple):
    """The cores that weights are fitted on."""

    hw: int
    sw: int
    seeds: tuple[int, ...]
    items: Mapping[str, Counts]


def cap(software: int) -> float:
    """Return the highest weight that so many software cores can support."""
    return math.log10(software) - CAP_BELOW if software > 0 else 0.0


def weight(counts: Counts, hw: int, sw: int) -> float:
    """Return the log10 likelihood ratio with a Laplace count, capped."""
    ratio = ((counts.hw + 1) / (hw + 2)) / ((counts.sw + 1) / (sw + 2))
    return round(min(math.log10(ratio), cap(sw)), 2)


def count(rows: Iterable[Row], items: Mapping[str, Mapping[str, Any]]) -> Corpus:
    """Count items over the rows of the two classes."""
    totals = {HW: 0, SW: 0}
    names = {*items, *(entry["pool"] for entry in items.values() if "pool" in entry)}
    hits: dict[str, dict[str, float]] = {name: {HW: 0.0, SW: 0.0} for name in names}
    seeds: set[int] = set()
    for row in rows:
        group = row.get("label", {}).get("class")
        if group not in totals:
            continue
        totals[group] += 1
        seeds.add(row["label"]["seed"])
        for name, share in counted(row, items).items():
            hits[name][group] += share
    counts = {
        name: Counts(round(hit_counts[HW], 2), round(hit_counts[SW], 2))
        for name, hit_counts in hits.items()
    }
    return Corpus(totals[HW], totals[SW], tuple(sorted(seeds)), counts)


def counted(row: Row, items: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return how much each item counts in one core: 1, or less with rivals."""
    off = {
        group
        for sign in row["evidence"]
        if items.get(sign["id"], {}).get("llr", 0) < 0
        for group in items[sign["id"]].get("off", ())
    }
    strongest: dict[str, float] = {}
    for evidence in row["evidence"]:
        item = items.get(evidence["id"])
        if item is None or evidence["ambiguous"] or item["group"] in off:
            continue
        share = 1 / max(1, int(evidence["rivals"]))
        for name in (evidence["id"], item.get("pool", evidence["id"])):
            strongest[name] = max(share, strongest.get(name, 0.0))
    return strongest


def fitted(document: Mapping[str, Any], corpus: Corpus) -> dict[str, Any]:
    """Return the table with measured weights, and the counts of every item."""
    items = {name: _item(entry, corpus, name) for name, entry in document["items"].items()}
    seeds = "-".join(map(str, corpus.seeds[:1] + corpus.seeds[1:][-1:]))
    version = f"fitted-{corpus.hw}+{corpus.sw}-seeds-{seeds}"
    about = {"hw": corpus.hw, "sw": corpus.sw, "seeds": list(corpus.seeds)}
    return {**document, "version": version, "corpus": about, "items": items}


def _item(entry: Mapping[str, Any], corpus: Corpus, name: str) -> dict[str, Any]:
    counts = corpus.items[name]
    made = {**entry, "hw": counts.hw, "sw": counts.sw}
    pooled = corpus.items[entry.get("pool", name)]
    kept = entry["group"] == INNOCENT or entry["origin"].startswith(ARGUED)
    if kept or pooled.hw + pooled.sw < FEWEST_HITS:
        return made
    value = weight(pooled, corpus.hw, corpus.sw)
    made["llr"] = max(value, 0.0)
    origin = entry["origin"].partition(": ")[2] or entry["origin"]
    made["origin"] = f"fitted on {corpus.hw}+{corpus.sw} cores: {origin}"
    return made


def written(document: Mapping[str, Any]) -> str:
    """Return weights.json: one item a line."""
    head = {name: value for name, value in document.items() if name != "items"}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    items = [
        f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in document["items"].items()
    ]
    return "\n".join(["{", *lines, '  "items": {', ",\n".join(items), "  }", "}", ""])


def rows_of(paths: Sequence[Path]) -> Iterable[Row]:
    """Yield rows of files, and of the cores below folders."""
    yield from read_rows([path for path in paths if path.is_file()])
    yield from map(examine, labels(*[path for path in paths if path.is_dir()]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts and weights; with --write change weights.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args(arguments)
    document = json.loads(WEIGHTS.read_text())
    corpus = count(rows_of(args.paths), document["items"])
    made = fitted(document, corpus)
    print(f"{corpus.hw} hardware-like and {corpus.sw} software cores, seeds {corpus.seeds}")
    for name, entry in made["items"].items():
        before = document["items"][name]["llr"]
        print(
            f"{name:22} {entry['hw']:8} {entry['sw']:8} {before:6} -> {entry['llr']:6} "
            f"{entry['origin'][:60]}"
        )
    if args.write:
        WEIGHTS.write_text(written(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
