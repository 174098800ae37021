# SPDX-License-Identifier: Apache-2.0
"""What the first sentences say of damaged memory.

In: a record. Out: the words of the headline and of the sentence below it.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.judgement.hypothesis_words import STRAY_STORE
from gdb_epi.judgement.label_evidence import ELSE_EXPLAINS
from gdb_epi.judgement.labels import DAMAGED_MEMORY, HARDWARE_SUSPECT
from gdb_epi.record.record_parts import get_group, get_number, hypothesis_probabilities
from gdb_epi.sizes import ADDRESS_BITS
from gdb_epi.typing_lite import Any

Json = Mapping[str, Any]
OF_DAMAGE = (HARDWARE_SUSPECT, DAMAGED_MEMORY)
MIN_SHARE = 0.05  # of a cause that a sentence warns of


def is_untied_damage(record: Json) -> bool:
    """Whether nothing ties the damage that was found to what failed."""
    return get_group(record, "corruption").get("tied") is False


def has_one_wrong_bit(record: Json) -> bool:
    """Whether the damaged word is known and differs in one bit from the right one."""
    bits = get_group(get_group(record, "verdict"), "damage").get("bits")
    return isinstance(bits, list) and len(bits) == 1


def damage_suspicion_words(record: Json, label: str) -> str:
    """Return what the headline says of damage, behind what failed and where; often nothing."""
    if label in OF_DAMAGE and is_untied_damage(record):
        return ": elsewhere, its memory is damaged"
    if label == HARDWARE_SUSPECT:
        return ": this machine's memory or CPU is suspect"
    if label == DAMAGED_MEMORY and not has_one_wrong_bit(record):
        return ": a value in memory was damaged"
    return ""


def damage_sentence(record: Json, sure: str) -> str:
    """Return the sentence below the headline; `sure` is how sure the verdict is, in words."""
    label = get_group(record, "verdict").get("label")
    if is_untied_damage(record):
        what = "bit" if has_one_wrong_bit(record) else "value"
        return (
            f"A wrong {what} in its memory may be the cause ({sure}): nothing that was read leads "
            "from there to what failed. The program, or a tool in it, may have written it on "
            "purpose."
        )
    if label == HARDWARE_SUSPECT:
        against = "one crash is no proof"
        if hypothesis_probabilities(record).get(STRAY_STORE, 0) >= MIN_SHARE:
            against += ": a stray write of the program can look the same"
        return f"The evidence is strong ({sure}), but {against}."
    if has_one_wrong_bit(record):
        what, was, others = "One bit in", "wrong", "one wrong bit"
    else:
        what, was, others = "A value in", "damaged", "damage"
    by = "By the machine, or by a stray write of the program?"
    if _may_be_pointer_tag(record):
        by = "By the machine, by a stray write, or is it a tag that the program did not take off?"
    elif library := _library_that_may_mark(record):
        by = f"By the machine, by a stray write, or by a mask or flag of {library}?"
    return (
        f"{what} memory was {was} ({sure}). {by} One crash cannot tell. "
        f"If other crashes of this host show {others} too, suspect its memory."
    )


def _library_that_may_mark(record: Json) -> str:
    """Return whose code may have changed the damaged word on purpose; "" for no library's."""
    word = get_group(get_group(record, "verdict"), "damage").get("holds")
    evidence = get_group(record, "corruption").get("evidence")
    return next(
        (
            str(each["marks"])
            for each in (evidence if isinstance(evidence, list) else ())
            if isinstance(each, Mapping) and each.get("marks") and each.get("found") == word
        ),
        "",
    )


def _may_be_pointer_tag(record: Json) -> bool:
    """Whether only bits that no address has are wrong, and that has lowered the confidence."""
    verdict = get_group(record, "verdict")
    bits = get_group(verdict, "damage").get("bits")
    bits = bits if isinstance(bits, list) else []
    high = bool(bits) and all(isinstance(bit, int) and bit >= ADDRESS_BITS for bit in bits)
    return high and (get_number(verdict, "confidence") or 0) <= ELSE_EXPLAINS
