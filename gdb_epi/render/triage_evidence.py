# SPDX-License-Identifier: Apache-2.0
"""What the one-screen answer rests on: reasons, evidence of waits and of damage, the signature.

In: a record. Out: the lines of `--evidence`: the screen is for reading, these are for checking.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from gdb_epi.corruption.evidence import OVERWRITTEN
from gdb_epi.record.record_parts import get_group, get_groups, get_number, get_texts, hypotheses
from gdb_epi.render.escape import screen_width, unpad_addresses
from gdb_epi.render.signature_words import absent_keys
from gdb_epi.typing_lite import Any
from gdb_epi.util import names_by_reason

MAX_ITEMS = 40
# Before the corrections that were tried: most are of words that are right, or of other types.
TOO_WEAK = "considered, and too weak"

Json = Mapping[str, Any]


def evidence_lines(record: Json) -> Iterator[str]:
    """Yield the evidence, part by part."""
    yield from _verdict_lines(record)
    yield from _wait_lines(record)
    yield from _corruption_lines(record)
    yield from _signature_lines(record)


def _verdict_lines(record: Json) -> Iterator[str]:
    verdict = get_group(record, "verdict")
    confidence = get_number(verdict, "confidence")
    yield f"Verdict: {verdict.get('label')} ({confidence:.0%})"
    for text in get_texts(verdict, "reasons"):
        yield from _wrapped_item("because", text)
    rejected = _rejected_sentences(record)
    for text in get_texts(verdict, "against"):
        yield from _wrapped_item(TOO_WEAK if text in rejected else "but", text)
    for hypothesis, probability in hypotheses(record).items():
        yield f"  {probability:4.0%} {hypothesis}"
    signature = get_group(record, "signature")
    yield from _wrapped_item(
        "category", f"{signature.get('category')}: {signature.get('evidence')}"
    )
    for finding in get_groups(record, "findings")[:MAX_ITEMS]:
        name, text = str(finding.get("detector")), str(finding.get("summary"))
        yield from _wrapped_item(f"{TOO_WEAK}, {name}" if text in rejected else name, text)


def _rejected_sentences(record: Json) -> frozenset[str]:
    """Return the sentences about corrections that the verdict does not rest on."""
    corrections = [
        (get_group(finding, "facts"), finding.get("summary"))
        for finding in get_groups(record, "findings")
        if finding.get("detector") == "pointer_one_bit_off"
    ]
    corrections += [
        (evidence, evidence.get("summary"))
        for evidence in get_groups(get_group(record, "corruption"), "evidence")
        if evidence.get("corrected")
    ]
    return frozenset(str(text) for words, text in corrections if not _is_the_damage(record, words))


def _is_the_damage(record: Json, words: Json) -> bool:
    """Whether a correction is the one of the damage that was found."""
    damage = get_group(get_group(record, "verdict"), "damage")
    pair = (words.get("found"), words.get("corrected"))
    return bool(damage.get("found")) and pair == (damage.get("holds"), damage.get("should_be"))


def _wait_lines(record: Json) -> Iterator[str]:
    for sign in get_groups(get_group(record, "fork"), "evidence"):
        yield from _wrapped_item(
            f"fork {sign.get('name')}", f"{sign.get('says')} ({sign.get('sure')})"
        )
    for wait in get_groups(record, "waits")[:MAX_ITEMS]:
        yield (
            f"Wait: thread {wait.get('tid')} for {wait.get('kind')} "
            f"{wait.get('name') or wait.get('address')}: {wait.get('verdict')} "
            f"({wait.get('confidence')})"
        )
        for text in get_texts(wait, "evidence"):
            yield from _wrapped_item("-", text)


def _corruption_lines(record: Json) -> Iterator[str]:
    corruption = get_group(record, "corruption")
    if not corruption:
        return
    llr = get_number(corruption, "llr")
    yield (
        f"Flipped bits: {corruption.get('word')}, log10 likelihood ratio {llr:+.1f}, "
        f"prior {corruption.get('prior')}, weights {corruption.get('weights')}"
    )
    candidates = get_groups(corruption, "candidates")[:MAX_ITEMS]
    candidates.sort(key=lambda candidate: not _is_the_damage(record, candidate))
    headed = False
    for candidate in candidates:
        if not headed and not _is_the_damage(record, candidate):
            headed = True
            yield from _wrapped_item(f"{TOO_WEAK}:", "")
        yield from _wrapped_item(
            ("  " if headed else "") + str(candidate.get("where")),
            f"{candidate.get('found')} for {candidate.get('corrected')}, bits "
            f"{candidate.get('bits')}, by {', '.join(get_texts(candidate, 'evidence'))}",
        )
    for sign in get_groups(corruption, "evidence"):
        if sign.get("id") == OVERWRITTEN:
            yield from _wrapped_item("looks overwritten", sign.get("summary"))
    pairs = [(str(s.get("check")), str(s.get("why"))) for s in get_groups(corruption, "skipped")]
    for why, checks in names_by_reason(pairs[:MAX_ITEMS]).items():
        yield from _wrapped_item(f"not checked {', '.join(checks)}", why)


def _signature_lines(record: Json) -> Iterator[str]:
    signature = get_group(record, "signature")
    keys, texts = get_group(signature, "keys"), get_group(signature, "text")
    yield f"Signature {signature.get('version')}"
    for name, value in keys.items():
        yield from _wrapped_item(f"{name} {value}", texts.get(name, ""))
    for line in absent_keys(get_group(signature, "absent")):
        yield from _wrapped_item(line, "")


def _wrapped_item(head: str, text: object) -> Iterator[str]:
    """Yield a text after its head, wrapped; all of it."""
    yield from textwrap.wrap(
        unpad_addresses(f"{head} {text}" if head == "-" else f"{head}: {text}" if text else head),
        screen_width(),
        initial_indent="  ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
