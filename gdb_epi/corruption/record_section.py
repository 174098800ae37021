# SPDX-License-Identifier: Apache-2.0
"""The record's group `corruption`: what was found, what it weighs, what could not be checked.

Of a bad word it says which allocator owns its memory, and so which checking allocator would see
more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import MARKS, Evidence
from gdb_epi.corruption.heap.address_descriptions import find_malloc_chunk
from gdb_epi.corruption.heap.address_index import HEADS, address_index
from gdb_epi.corruption.pointers.read_place import find_read_place
from gdb_epi.corruption.pointers.suspects import find_fault_words, find_suspects
from gdb_epi.corruption.possible_bit_flips import possible_bit_flips
from gdb_epi.corruption.run_checks import CheckResults
from gdb_epi.corruption.score import load_weights
from gdb_epi.detectors.registry import hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.fault_site import NO_FAULT
from gdb_epi.sizes import PAGE
from gdb_epi.typing_lite import Any

HEADER = 16  # bytes of an object: its count and its type
PYTHON, MALLOC = "python", "malloc"
MAX_CANDIDATES = 16
MAX_TEXT = 300
PLAIN = "plain"  # the fact that is the summary without addresses and registers
MAX_EVIDENCE = 64  # only `epi corruption` shows more


def allocator_of_damaged_block(context: Context, leading: Iterable[Evidence] = ()) -> str | None:
    """Return PYTHON or MALLOC by the first block that a bad word stood in or pointed at.

    The places of `leading` come first: the evidence that speaks for software. PYTHON are blocks of
    pymalloc, and those of malloc that begin with an object: Python's debug allocators know of both.
    None where no block is at hand.
    """
    account = context.state.fault_account
    if isinstance(account, Absent):
        return None
    message = account.message
    if isinstance(message, AbortMessage) and message.kind == "malloc":
        return MALLOC
    places = [evidence.where for evidence in leading if isinstance(evidence.where, int)]
    owners = (
        _allocator_of_block(context, place)
        for place in chain(places, _addresses_of_access(context))
    )
    return next(filter(None, owners), None)


def _addresses_of_access(context: Context) -> Iterator[int]:
    """Yield where the bad word was read, then what the access went through."""
    for word in find_fault_words(context)[:1]:
        origin = find_read_place(context, word)
        if origin is not None:
            yield origin.slot
    for suspect in find_suspects(context):
        yield from suspect.slots[:1]
        yield suspect.value


def _allocator_of_block(context: Context, address: int) -> str | None:
    index = address_index(context)
    if index.offset_in_pool_block(address) is not None or index.in_emptied_pool(address):
        return PYTHON
    chunk = find_malloc_chunk(context, address)
    if chunk is None:
        return None
    start, size = chunk
    heads = (head for head in HEADS if head + HEADER <= size)
    objects = (index.object_type(start + head) for head in heads)
    return PYTHON if any(objects) else MALLOC


Json = dict[str, Any]


def corruption_group(results: CheckResults) -> Json:
    """Return the group (SCHEMA.md, "corruption"); the strongest candidates come first."""
    score = results.score
    return {
        **({} if score.tied else {"tied": False}),
        "word": score.word,
        "llr": score.llr,
        "prior": score.prior,
        "path": score.path,
        "weights": load_weights().version,
        "ambiguous": score.ambiguous,
        "symptom": results.symptom.name,
        "allocator": _allocator_of_bad_word(results),
        "fault": _failed_access_record(results),
        "candidates": damaged_word_candidates(results)[:MAX_CANDIDATES],
        "evidence": evidence_for_record(results),
        "possible_bit_flips": _possible_bit_flips(results),
        "against": [evidence.id for evidence in score.against],
        "skipped": [
            {"check": skipped.check, "why": skipped.why[:MAX_TEXT]} for skipped in results.skipped
        ],
    }


def _allocator_of_bad_word(results: CheckResults) -> str | None:
    """Return whose the memory of the bad word is, where software is a likely cause."""
    against = results.score.against
    return allocator_of_damaged_block(results.context, against) if against else None


def evidence_for_record(results: CheckResults) -> list[Json]:
    """Return everything that the score rests on, so that a record can be judged anew."""
    return [
        {
            "id": evidence.id,
            "where": hex_word(evidence.where)
            if isinstance(evidence.where, int)
            else evidence.where,
            "found": None if evidence.found is None else hex_word(evidence.found),
            "corrected": None if evidence.corrected is None else hex_word(evidence.corrected),
            "path": evidence.path,
            "rivals": max(1, int(evidence.facts.get("rivals", 1))),
            "ambiguous": evidence.ambiguous,
            "summary": evidence.summary[:MAX_TEXT],
            **{
                name: str(text)[:MAX_TEXT]
                for name, text in evidence.facts.items()
                if name in (PLAIN, MARKS) and text
            },
        }
        for evidence in results.evidence[:MAX_EVIDENCE]
    ]


def _possible_bit_flips(results: CheckResults) -> list[Json]:
    """Return what rust-minidump's rule says, in its own fields."""
    return [
        {
            "address": hex_word(flip.address),
            "details": flip.details._asdict(),
            "confidence": round(flip.confidence, 4),
            "source_register": flip.source_register,
        }
        for flip in possible_bit_flips(results.context.state)[:MAX_CANDIDATES]
    ]


def _failed_access_record(results: CheckResults) -> Json | None:
    """Return the access that failed; None when nothing failed."""
    site = results.context.site
    if isinstance(site, Absent) or site.kind == NO_FAULT:
        return None
    return {
        "kind": site.kind,
        "access": site.access,
        "address": None if site.address is None else hex_word(site.address),
        "address_from": site.source or None,
        "instruction": site.code[: site.instruction.length].hex() if site.instruction else None,
    }


def damaged_word_candidates(results: CheckResults) -> list[Json]:
    """Return one entry per place and pair of words, with the ids of all evidence for it."""
    by_place: dict[tuple[object, ...], Json] = {}
    best = {(strongest.found, strongest.corrected) for strongest in results.score.best}
    strongest_first = sorted(
        results.evidence, key=lambda each: (each.found, each.corrected) not in best
    )
    for evidence in strongest_first:
        if evidence.corrected is None or evidence.found is None:
            continue
        entry = by_place.setdefault(
            (evidence.where, evidence.found, evidence.corrected), _candidate_record(evidence)
        )
        ids = evidence.facts.get("items") or [evidence.id]
        entry["evidence"] = list(dict.fromkeys([*entry["evidence"], *ids]))
    return list(by_place.values())


def _candidate_record(evidence: Evidence) -> Json:
    """Return a candidate; lane, direction and page offset are what recurs on a bad part."""
    candidate: Json = {
        "where": hex_word(evidence.where) if isinstance(evidence.where, int) else evidence.where,
        "found": hex_word(evidence.found or 0),
        "corrected": hex_word(evidence.corrected or 0),
        "bits": list(evidence.bits),
        "evidence": [],
    }
    if len(evidence.bits) == 1:
        bit = evidence.bits[0]
        candidate["direction"] = "0->1" if (evidence.found or 0) >> bit & 1 else "1->0"
        candidate["byte_lane"] = bit // 8
    if isinstance(evidence.where, int):
        candidate["page_offset"] = evidence.where % PAGE
    return candidate
