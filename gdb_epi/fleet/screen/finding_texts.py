# SPDX-License-Identifier: Apache-2.0
"""Findings in words and in JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gdb_epi.fleet.population.population import RANGE, Population
from gdb_epi.fleet.population.value_spans import NEVER, first_and_last_days
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.dose_response import describe_gradual_rise
from gdb_epi.fleet.screen.finding import (
    ALL,
    BITFLIP,
    CAVEAT_ALONE,
    CAVEAT_MOVED,
    CAVEAT_ONE_FUNCTION,
    CAVEAT_ONE_PROGRAM,
    CAVEAT_ONE_SIGNATURE,
    CAVEAT_ONLY_MORE_CRASHES,
    CLUSTERED_CRASHES,
    COUNTED,
    CPU,
    CPU_NUMBER,
    DAY_OF_MONTH,
    DAY_OF_WEEK,
    EVENT,
    HOST,
    HOST_HOURS,
    LOCK,
    LOOP_OF,
    NOT_SURE,
    TIME_AND_CPU_ATTRIBUTES,
    TIME_OF_DAY,
    Finding,
    is_signature_of_several_programs,
    may_host_stand_out_by_chance,
)
from gdb_epi.fleet.statistics.arrays import Bools
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.render.signature_words import WHERE, signature_phrase_and_key
from gdb_epi.util import pick_attributes, shortened_list

_HARDWARE = frozenset((
    "rack", "sku", "model", "serial", "microcode", "firmware", "bios", "dimm", "gpu", "psu", "row",
    "board", "chassis", "pdu", "switch", "nic", "disk", "nvme", "ssd", "cpu", "stepping",
))  # fmt: skip
_COUNTING = frozenset((
    "collector", "coredump", "coredumps", "sampling", "sampler", "sample", "reporter", "uploader",
    "apport", "abrt", "crashpad", "breakpad", "minidump", "ulimit",
))  # fmt: skip
MAX_VALUES = 12  # of which each has its first day
_SOFTWARE = frozenset(("driver", "kernel", "image", "version"))
# Attributes whose values are machines under the hosts that records name.
_MACHINES = frozenset(("hypervisor", "vm_host", "vmhost", "node", "machine", "physical_host"))
HARDWARE_OR_ITS_CODE = "hardware, firmware, or code that only such hosts run"
DAMAGE = "hardware, or software that damages memory"
_MOVED = CAVEAT_MOVED.partition("{")[0]
_PLACES = frozenset(("rack", "row", "chassis", "pdu", "psu", "switch"))
_SITES = frozenset((
    "site", "zone", "region", "dc", "datacenter", "hall", "cluster", "cell", "pool", "shard",
))  # fmt: skip

_FLAGS = {
    "bitflip=true": "a flipped bit",
    "bitflip=false": "no flipped bit",
    "lock_inherited=true": "a lock inherited over fork()",
    "lock_inherited=false": "no inherited lock",
}
SENTENCES = {
    EVENT: "one event: {test}, from {value}",
    LOOP_OF: "a crash loop on host {value}: see what it runs, then the host",
    TIME_OF_DAY: "software or configuration: comes at {value}; see what runs then",
    DAY_OF_WEEK: "software or configuration: comes on {value}; see what runs then",
    DAY_OF_MONTH: "software or configuration: comes on {value}; see what runs then",
    CPU_NUMBER: "CPU {value} of many hosts: what is pinned there, or their firmware",
}


def finding_json(finding: Finding, day: int) -> dict[str, Any]:
    """Return a finding as one JSON object; infinite limits become null."""
    return {
        "day": day,
        "date": iso_day(day),
        **pick_attributes(finding, "attr", "value", "signature", "n", "total", "p", "q"),
        "rr": finite_or_none(finding.rr),
        "rr_interval": [finite_or_none(finding.rr_low), finite_or_none(finding.rr_high)],
        "test": finding.test,
        "exposure": finding.exposure,
        "aliases": list(finding.aliases),
        "caveats": list(finding.caveats),
        "verdict": describe_verdict(finding),
    }


def describe_verdict(finding: Finding) -> str:
    """Say what the population points to; the numbers printed with it are the evidence."""
    what = finding.mark
    if finding.attr == "host":
        if finding.signature.startswith(CPU):
            cpu = finding.signature[len(CPU) :]
            return f"hardware-suspect: crashes of one host gather on its CPU {cpu}; test that CPU"
        if is_signature_of_several_programs(finding):
            return "one host has this signature out of proportion, in several programs: test it"
        if finding.signature == LOCK:
            return "one host has inherited locks out of proportion; look at its job, or move it"
        if finding.signature.startswith("*") and CAVEAT_ONE_SIGNATURE in finding.caveats:
            return (
                "one host, one signature above all: move its job first; if it stays, test the host"
            )
        if CAVEAT_ONE_FUNCTION in finding.caveats:
            return (
                "one host, one function of one program: move it first; if it stays, test the host"
            )
        if CAVEAT_ONE_PROGRAM in finding.caveats:
            return (
                "one host, one program that crashed nowhere else: move it first; if the host still "
                "has crashes, test the host"
            )
        if may_host_stand_out_by_chance(finding):
            return "a host that may be broken: a few more crashes like these will tell"
        if CAVEAT_ONLY_MORE_CRASHES in finding.caveats:
            return (
                "one host has more crashes than its share, of the usual kinds; see what it runs, "
                "then test it"
            )
        if finding.signature.startswith("*") and (out := finding.changes.left) is not None:
            return f"hardware-suspect, without host-hours since {out}: test it before it comes back"
        if finding.signature.startswith("*") and (since := finding.changes.replaced) is not None:
            return f"hardware-suspect, its former machine: another one has this name since {since}"
        if finding.signature.startswith("*") and (end := finding.changes.recovered) is not None:
            return f"hardware-suspect until {end}: if nobody repaired this host, test it"
        if finding.signature.startswith("*"):
            flips = ", with bit-flip flags" if finding.signature == BITFLIP else ""
            return (
                f"hardware-suspect: one host has crashes of all kinds{flips}; take it out, test it"
            )
        return (
            "one host has this signature out of proportion; move its job first, then test the host"
        )
    if finding.attr in SENTENCES:
        where = f" ({', '.join(finding.aliases)})" if finding.aliases else ""
        if finding.attr == LOOP_OF and finding.caveats[0].startswith(_MOVED):
            return f"a crash loop{where} {finding.caveats[0].removeprefix('it was ')}"
        return SENTENCES[finding.attr].format(value=finding.value, test=finding.test) + where
    if (gradual := describe_gradual_rise(finding)) is not None:
        return gradual
    kind = describe_cause_kind(finding.attr, finding.signature)
    others = f", or {', '.join(finding.aliases)}" if finding.aliases else ""
    by_time = ", or with what else changed then" if CAVEAT_ALONE in finding.caveats else ""
    return f"{kind}: goes with {what}{others}{by_time}"


def are_more_crashes_needed(caveats: Sequence[str]) -> bool:
    """Whether the caveats of a host say that more crashes are to tell what it is."""
    return any(caveat.startswith(NOT_SURE) for caveat in caveats)


def is_host_suspect_clearer_now(finding: Finding, earlier: Iterable[Sequence[str]]) -> bool:
    """Whether a host of which more crashes were to tell is a hardware suspect now.

    `earlier` are the caveats of each finding of the host that was raised; False where none was.
    """
    before = list(earlier)
    was_unsure = bool(before) and all(map(are_more_crashes_needed, before))
    return was_unsure and describe_verdict(finding).startswith("hardware-suspect")


def equivalent_marks_words(finding: Finding) -> str | None:
    """Say that several marks of a finding are of the same hosts; None of an image and its package.

    Who reads "goes with the library, or the CPU model" must not take one of them for proved.
    """
    if finding.attr in (HOST, *CLUSTERED_CRASHES, *TIME_AND_CPU_ATTRIBUTES):
        return None
    names = {finding.attr, *(alias.partition("=")[0] for alias in finding.aliases)}
    if len(names) < 2 or all(map(is_process_attribute, names)):
        return None
    return (
        "these come together: which of them it is cannot be told until one runs without the others"
    )


def describe_certainty(population: Population, same: Bools, conditions: Sequence[Finding]) -> str:
    """Say how sure it is that crashes have some values: all of them, or more than their share.

    `same` are all crashes of the signature: one with another value shows that it needs none.
    """
    for finding in conditions:
        attribute = population.attribute(finding.attr)
        if finding.n != finding.total or attribute is None:
            return "goes with"
        with_value = same & (attribute.crash >= 0)
        if (attribute.crash[with_value] != attribute.values.index(finding.value)).any():
            return "goes with"
    return "needs"


def describe_minor_value(population: Population, same: Bools, finding: Finding) -> str:
    """Say that most crashes have other values, and those with this one hardly more than due.

    Where others tell what is due: what is busier has more. And from when on each value has some, as
    what comes to them one after the other was longest where it came first.
    """
    attribute = population.attribute(finding.attr)
    if attribute is None or finding.exposure == HOST_HOURS or finding.rr_low >= 2:
        return ""
    rows = np.flatnonzero(same & population.has_time & (attribute.crash >= 0))
    codes = attribute.crash[rows]
    others = codes.size - int((codes == attribute.values.index(finding.value)).sum())
    if 2 * others <= codes.size:
        return ""
    first, _ = first_and_last_days(codes, population.day[rows], len(attribute.values))
    order = [code for code in np.argsort(first, kind="stable").tolist() if first[code] < NEVER]
    days = [f"{attribute.values[code]} {iso_day(int(first[code]))}" for code in order]
    return (
        f"comes more often with {finding.attr}={finding.value}, and {others} of {codes.size} "
        f"crashes have another {finding.attr}: it alone is not their cause (the first with each: "
        f"{shortened_list(days, MAX_VALUES)})"
    )


def is_hardware_or_place_attribute(attr: str) -> bool:
    """Whether an attribute names a part or a place, by its words: bios_version, cpu_model."""
    words = _words_of_attribute(attr)
    if words <= _HARDWARE or attr.lower() in _MACHINES:
        return True
    return bool(words & _HARDWARE) and not words & (_SOFTWARE - {"version"})


def _words_of_attribute(attr: str) -> set[str]:
    return set(attr.removesuffix(RANGE).lower().replace("-", "_").split("_"))


def describe_cause_kind(attr: str, signature: str) -> str:
    """Say what kind of cause an attribute points to, for all crashes or one signature.

    A library takes another path on another CPU, GPU or disk, and may have its bug there.
    """
    if _words_of_attribute(attr) & _COUNTING:
        return "what is counted, or software"
    if attr.lower() in _PLACES:
        # Where more of everything crashes, more may run.
        load = "more load, or " if signature == ALL else ""
        # One signature: most often what is set up there.
        set_up = "" if signature.startswith("*") else ", or what is set up there"
        return f"{load}hardware, power or network of a place{set_up}"
    if not is_hardware_or_place_attribute(attr):
        # A zone or a batch of parts: flipped bits point to what only hosts with that value have.
        is_software = bool(_words_of_attribute(attr) & _SOFTWARE) or is_process_attribute(attr)
        if signature == BITFLIP and not is_software:
            return DAMAGE
        # Of a pair of sites one may do the work, and the other wait.
        load = "more load, or " if signature == ALL and attr.lower() in _SITES else ""
        return f"{load}software or configuration"
    return "hardware or firmware" if signature.startswith("*") else HARDWARE_OR_ITS_CODE


def meaning_of_program_rise_words(attr: str) -> str:
    """Say what it means that a program's crashes of all kinds rose with a value of its hosts."""
    if _words_of_attribute(attr) & _COUNTING:
        return (
            "what is counted changed, by all signs, and not the program; how often it died where "
            "that was not there is not known"
        )
    return "it breaks this program, or brings what keeps cores that were not kept before"


def finding_sentence(finding: Finding, *, heading: str = "") -> str:
    """Return one line with every number that supports the finding.

    Below a `heading` with its signature, the signature is not repeated.
    """
    crashes = describe_counted_crashes(finding.signature, finding.test)
    if heading and finding.signature == heading:
        crashes = "crashes"
    elif heading and finding.signature.startswith(f"{heading}{WHERE}"):
        crashes = "crashes of this part"
    if finding.attr in CLUSTERED_CRASHES:
        # Of an event the number has only those that are unlikely together; its test has all.
        number = f"{finding.n} " * (finding.attr != EVENT)
        return f"{finding.attr} {finding.value}: {number}{crashes}; {finding.test}"
    share = f"{finding.n} of {finding.total} {crashes}"
    return f"{finding.attr}={finding.value}: {share}; {describe_risk_and_p_value(finding)}"


def describe_counted_crashes(signature: str, test: str) -> str:
    """Say which crashes a finding counts; its test says what `*bitflip` of a host stands for."""
    if signature == BITFLIP and test.startswith(COUNTED):
        return "crashes of all kinds, bit flips among them"
    if signature.startswith(CPU):
        return f"crashes of this host, on its CPU {signature[len(CPU) :]}"
    words = {ALL: "of all kinds", BITFLIP: "with the bit-flip flag", LOCK: "with inherited locks"}
    return f"crashes {words.get(signature, f'of {signature_phrase_and_key(signature)}')}"


def describe_test(test: str, exposure: str) -> str:
    """Say how a finding was counted, and compared with what; the test's name is in the JSON."""
    return f"counted: {words_of_test(test)}{describe_comparison(exposure)}"


def words_of_test(test: str) -> str:
    """Return what a test looks at, in words for who does not know its name."""
    by_count, _, facts = test.partition(", combined by their likelihood ratio with ")
    if by_count.startswith(COUNTED):
        chance, _, given = by_count.removeprefix(COUNTED).partition("; ")
        number = f"its number of crashes (p {chance})"
        facts, _, more = facts.partition("; ")
        spoke = [fact.replace(" p=", " (p ") + ")" for fact in facts.split(", ") if fact]
        if spoke and float(chance) > MAX_TOLD_P:
            apart = f"set apart by {', '.join(spoke)}, not by {number}"
        else:
            apart = f"set apart by {', '.join((number, *spoke))}"
        return "; ".join(filter(None, (apart, given, more)))
    for name, words in _TESTS:
        test = test.replace(name, words)
    return test


def describe_comparison(exposure: str) -> str:
    """Say what crashes were compared with; nothing for an event, which needs no comparison."""
    if exposure == NOTHING_NEEDED:
        return ""
    # Without host-hours the reason comes first: `none: all other crashes`.
    none, _, controls = exposure.partition(": ")
    beside = f"{controls}, as no host-hours tell of this" if none == "none" else exposure
    return f"; compared with: {beside}"


NOTHING_NEEDED = "none needed"


def describe_risk_and_p_value(finding: Finding) -> str:
    """Return the relative risk of a finding with its interval, p and q."""
    risk = describe_risk(finding.rr, finding.rr_low, finding.rr_high)
    return f"{risk}, p {finding.p:.1g}, q {finding.q:.1g}"


MAX_TOLD_P = 0.05  # of the number of a host's crashes: more of it speaks for nothing
_TESTS = (  # the longer names first
    (
        "negative binomial and Fisher exact, the weaker",
        "by its share of the hours and beside other crashes; the weaker of both counts",
    ),
    (
        "binomial by host-hours and Fisher exact, the weaker",
        "by its share of the hours and beside other crashes; the weaker of both counts",
    ),
    ("negative binomial by host-hours", "by its share of the hours, as far as hosts differ anyway"),
    ("binomial by host-hours", "by its share of the hours"),
    ("binomial by days, given the times of all other crashes", "by days"),
    ("Fisher exact", "by its share of other crashes"),
    ("binomial: ", ""),
)

P_AND_Q = (
    "(relative risk: how many times as often as elsewhere; p: how often chance alone does as much; "
    "q: p, after allowing for all that was tested)"
)


def describe_risk(rr: float, low: float, high: float) -> str:
    """Return a relative risk with its interval."""
    return f"relative risk {short_risk(rr)} (95 %: {short_risk(low)} to {short_risk(high)})"


def spell_out_flags(text: str) -> str:
    """Return a text with the flags of crashes in words."""
    for flag, words in _FLAGS.items():
        text = text.replace(flag, words)
    return text


def finite_or_none(value: float) -> float | None:
    """Return a float that JSON can hold, None for an infinite one or none at all."""
    return value if math.isfinite(value) else None


def short_risk(value: float | None) -> str:
    """Return a risk with three digits: 5.22, 1,190; a limit that JSON could not hold is none."""
    if value is None or not math.isfinite(value):
        return "unbounded"
    return f"{value:.3g}" if value < 999.5 else f"{float(f'{value:.3g}'):,.0f}"
