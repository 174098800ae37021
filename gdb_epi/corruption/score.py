# SPDX-License-Identifier: Apache-2.0
"""The score: a pure, monotone function of the evidence.

log10 odds = prior + the best item of each group + the strongest innocent sign. Items of one group
are one fact seen twice, so only the best counts. Where every number comes from is in weights.json.

The prior: how likely damage was before anything was seen, as the user may set it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from gdb_epi.corruption.evidence import OVERWRITTEN, UNCOUNTED, UNKNOWN, Evidence
from gdb_epi.errors import UsageError
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import shipped_json

PROVEN, STRONG, WEAK, AMBIGUOUS = "proven-corruption", "strong", "weak", "ambiguous"
NONE, SOFTWARE_LIKE = "none", "software-like"
DEFAULT_PRIOR = "ecc-servers"
REDUNDANT = "R"  # the group of redundant copies: the only one that may say "proven"
_OF_CODE = frozenset(("R2", "R2:written", "R3"))  # read-only memory, by its file
MIN_LOG_ODDS, MAX_LOG_ODDS = -12.0, 3.0  # log10 odds


class ItemWeight(NamedTuple):
    """One line of weights.json.

    `off` are the groups that an innocent sign explains away. `answers` are the innocent signs that
    an item explains in its turn: the NULL that was read through a damaged pointer. `cause` is what
    an innocent sign is a sign of. `beyond_stores` is the hypothesis that remains where no store of
    the program can have made the damage, and how much of the probability it takes. `most` is the
    highest probability that a sign gives which damage elsewhere makes too. `overwritten`: such an
    innocent sign shows that the word at its place was written over. `root`: it is why others are
    there; it is told first, and its cause is theirs.
    """

    id: str
    group: str
    llr: float
    origin: str
    off: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    cause: str = ""
    beyond_stores: tuple[str, float] | None = None
    most: float = 1.0
    overwritten: bool = False
    root: bool = False


class WeightTable(NamedTuple):
    """weights.json: items by id, named priors and thresholds (log10), and the corpus' version."""

    items: Mapping[str, ItemWeight]
    priors: Mapping[str, float]
    thresholds: Mapping[str, float]
    version: str


class Score(NamedTuple):
    """The sum. `llr` is without the prior; `groups` what each group gave; `best` its evidence.

    `tied`: something ties the damage to what failed (link_to_fault.py).
    `answered` are the innocent signs that what speaks for damage explains. `undecided`: what was
    seen and tells nothing of who did it, in words; it weighs nothing here.
    """

    word: str
    llr: float
    prior: float
    path: str
    groups: Mapping[str, float]
    best: tuple[Evidence, ...]
    against: tuple[Evidence, ...]
    ambiguous: str | None
    answered: frozenset[str] = frozenset()
    undecided: tuple[str, ...] = ()
    tied: bool = True

    @property
    def may_explain_other_signs(self) -> bool:
        """Whether damage was found that may be what other signs are there for.

        A wrong value does harm far from its place too, wrong code only where it runs.
        """
        of_code = any(evidence.id in _OF_CODE for evidence in self.best)
        return self.is_damaged and (self.tied or not of_code)

    @property
    def is_damaged(self) -> bool:
        """Whether this is enough to call a word damaged in few bits."""
        return self.word in (PROVEN, STRONG)


@cache
def load_weights() -> WeightTable:
    """Return the table that is shipped with this package."""
    return parse_weight_table(shipped_json(__file__, "weights.json"))


def parse_weight_table(document: Mapping[str, Any]) -> WeightTable:
    """Return a table from its JSON document; "@NAME" stands for the list of its "signs"."""
    signs: dict[str, Sequence[str]] = {}

    def expand_signs(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(sign for id in ids for sign in signs.get(id, (id,)))

    for name, ids in document.get("signs", {}).items():
        signs[f"@{name}"] = expand_signs(ids)
    weights = {
        name: ItemWeight(
            name,
            fields["group"],
            fields["llr"],
            fields["origin"],
            tuple(fields.get("off", ())),
            expand_signs(fields.get("answers", ())),
            fields.get("cause", ""),
            next(iter(fields.get("beyond_stores", {}).items()), None),
            fields.get("most", 1.0),
            fields.get("overwritten", False),
            fields.get("root", False),
        )
        for name, fields in document["items"].items()
    }
    return WeightTable(weights, document["priors"], document["thresholds"], document["version"])


def compute_score(
    evidence: Sequence[Evidence], prior: float | None = None, table: WeightTable | None = None
) -> Score:
    """Return the score of one core's evidence; an item that the table does not know counts 0."""
    table = table or load_weights()
    prior = table.priors[DEFAULT_PRIOR] if prior is None else prior
    against = [each for each in evidence if _log_likelihood_ratio(each, table) < 0]
    disabled_groups = {name for each in against for name in table.items[each.id].off}
    groups, best = _strongest_error_by_group(evidence, disabled_groups, table)
    total = sum(groups.values())
    proven = groups.get(REDUNDANT, 0.0) >= table.thresholds["proven"]
    speaking = [
        each for each in evidence if _log_likelihood_ratio(each, table) > 0
    ]  # all: more never lowers
    answered = frozenset(name for each in speaking for name in table.items[each.id].answers)
    if not proven:
        left = [_log_likelihood_ratio(each, table) for each in against if each.id not in answered]
        total += min(left, default=0.0)
    ambiguous = next((each.ambiguous for each in evidence if each.ambiguous), None)
    path = next((each.path for each in best if each.path != UNKNOWN), UNKNOWN)
    word = PROVEN if proven else _word_for_score(total, ambiguous, table)
    return Score(
        word=word,
        llr=round(total, 3),
        prior=prior,
        path=path,
        groups=groups,
        best=tuple(best),
        against=tuple(against),
        ambiguous=ambiguous,
        answered=answered,
        undecided=(
            *(each.summary for each in evidence if each.id == UNCOUNTED),
            *(
                f"memory looks overwritten, and nothing tells by whom: {each.summary}"
                for each in evidence
                if each.id == OVERWRITTEN
            ),
        ),
    )


def is_more_than_software_sign(evidence: Evidence) -> bool:
    """Tell whether evidence is more than a sign of something that only software does."""
    table = load_weights()
    return _log_likelihood_ratio(evidence, table) >= 0 or table.items[evidence.id].most < 1.0


def is_sign_of_overwriting(evidence: Evidence) -> bool:
    """Tell whether evidence is a sign that more than a few bits of memory were written over."""
    weight = load_weights().items.get(evidence.id)
    return weight is not None and weight.overwritten and isinstance(evidence.where, int)


def _log_likelihood_ratio(evidence: Evidence, table: WeightTable) -> float:
    """Return an item's weight; many candidates argue against each, ambiguous ones say nothing."""
    weight = table.items.get(evidence.id)
    if weight is None or evidence.ambiguous is not None:
        return 0.0
    rivals = max(1, int(evidence.facts.get("rivals", 1)))
    return weight.llr if weight.llr <= 0 else max(0.0, weight.llr - math.log10(rivals))


def _strongest_error_by_group(
    evidence: Iterable[Evidence], disabled_groups: set[str], table: WeightTable
) -> tuple[dict[str, float], list[Evidence]]:
    """Return the one error that has most evidence: what each group gives for it, and by which.

    Of a group only the strongest counts: it tells one fact. The evidence is in order of its weight.
    """
    best_llrs: dict[str, float] = {}
    best_evidence: list[Evidence] = []
    # Group evidence by the error it tells about: the same wrong word and the same right one.
    by_error: dict[object, list[Evidence]] = {}
    for each in evidence:
        has_words = each.found is not None and each.corrected is not None
        key: object = (each.found, each.corrected) if has_words else each.where
        by_error.setdefault(key, []).append(each)
    for members in by_error.values():
        llr_by_group: dict[str, float] = {}
        strongest: dict[str, Evidence] = {}
        for member in members:
            llr = _log_likelihood_ratio(member, table)
            group = table.items[member.id].group if member.id in table.items else ""
            if llr > llr_by_group.get(group, 0.0) and group not in disabled_groups:
                llr_by_group[group], strongest[group] = llr, member
        if sum(llr_by_group.values()) > sum(best_llrs.values()):
            best_llrs = llr_by_group
            best_evidence = sorted(
                strongest.values(), key=lambda e: (-_log_likelihood_ratio(e, table), e.id)
            )
    return best_llrs, best_evidence


def _word_for_score(total: float, ambiguous: str | None, table: WeightTable) -> str:
    if ambiguous is not None and total < table.thresholds["weak"]:
        return AMBIGUOUS
    if total >= table.thresholds["strong"]:
        return STRONG
    if total >= table.thresholds["weak"]:
        return WEAK
    return SOFTWARE_LIKE if total <= table.thresholds["software_like"] else NONE


def probability_of_log_odds(log_odds: float) -> float:
    """Return the probability of log10 odds, between 1e-12 and 1 - 1e-12."""
    odds = 10.0 ** max(-12.0, min(12.0, log_odds))
    return float(odds / (1.0 + odds))


def prior_log_odds(text: str | None) -> float:
    """Return log10 odds for a name of weights.json ("ecc-servers") or a number.

    Raises UsageError for anything else.
    """
    named = load_weights().priors
    if text is None:
        return named[DEFAULT_PRIOR]
    if text in named:
        return named[text]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not MIN_LOG_ODDS <= value <= MAX_LOG_ODDS:
        raise UsageError(
            f"--prior {text}: neither the name of a prior nor log10 odds "
            f"({MIN_LOG_ODDS:g} to {MAX_LOG_ODDS:g})",
            hint=", ".join(f"{name} ({number:g})" for name, number in named.items()),
        )
    return value


def prior_name(value: float) -> str:
    """Return the name of a prior; "set by the user" for another number."""
    names = (name for name, number in load_weights().priors.items() if number == value)
    return next(names, "set by the user")
