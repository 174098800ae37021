# SPDX-License-Identifier: Apache-2.0
"""What the page shows, before it becomes HTML: values only, no markup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gdb_epi.render.signature_words import SignatureParts


class NamedValue(NamedTuple):
    """A name and its value."""

    name: str
    value: str


class FindingNumbers(NamedTuple):
    """The numbers of one finding, as the reader sees them."""

    mark: str
    aliases: str  # what cannot be told apart from the mark
    crashes: str
    risk: str
    interval: str
    q: str
    test: str


class Headline(NamedTuple):
    """One verdict in words, with every number behind it, a row for each finding."""

    kind: str  # class of the page: hardware, host, software, two, unknown
    label: str
    title: str
    words: SignatureParts | None  # the signature that it is about
    numbers: tuple[FindingNumbers, ...]
    evidence: tuple[str, ...]
    caveats: tuple[str, ...]
    state: str  # open, confirmed, dismissed, or "new" when it was never stored
    since: str | None  # the day on which it was raised first
    signature: int | None  # rank of the signature's section


class CurveDay(NamedTuple):
    """One day (or week) of the epidemic curve."""

    label: str
    day: int
    crashes: int
    explained: int  # of them, those that a finding covers
    hosts: int
    hours: float | None
    rate: float | None  # per 1,000 host-hours
    raised: tuple[str, ...]  # findings first raised then


class SignatureRow(NamedTuple):
    """A signature in the table and its section."""

    rank: int
    code: int  # in the population
    name: str
    key: str | None
    kind: str | None
    words: SignatureParts
    crashes: int
    hosts: int
    top_host: str | None
    top_share: float
    first: int | None
    last: int | None
    verdicts: tuple[tuple[str, int], ...]
    daily: tuple[int, ...]  # along Page.curve
    bitflips: int
    inherited: int
    program: str = ""  # "several" of more than one; "" where it is not known


class HostMapRow(NamedTuple):
    """One host of the map; counts along HostMap.columns."""

    host: str
    group: str  # its rack, "" when unknown
    total: int
    counts: tuple[int, ...]
    other: int  # of signatures that have no column


class HostMap(NamedTuple):
    """Hosts by signatures, groups together, the most concentrated first."""

    group_name: str | None
    columns: tuple[SignatureRow, ...]
    rows: tuple[HostMapRow, ...]
    left_out_hosts: int
    left_out_signatures: int


class FlippedBitHistogram(NamedTuple):
    """How often each bit of a pointer was wrong on a host, or on all others; 64 counts."""

    host: str
    counts: tuple[int, ...]
    repeated: str  # in words: is it one bit again and again?


class SplitPart(NamedTuple):
    """One population of a split."""

    mark: str
    label: str
    kind: str
    crashes: int
    hosts: int
    bitflips: int
    numbers: FindingNumbers | None
    daily: tuple[int, ...]


class KnownCount(NamedTuple):
    """Crashes with a value, and those of which it is known whether they have it."""

    n: int
    known: int


class MarkCountsRow(NamedTuple):
    """A value that marks a population; counts along SplitView.parts."""

    name: str
    value: str
    source: str  # "core": a fact of the cores; "fleet": an attribute
    counts: tuple[KnownCount, ...]
    others: KnownCount  # among the crashes of all other signatures


class SplitView(NamedTuple):
    """The populations of one signature, side by side."""

    signature: int
    words: SignatureParts
    answer: str
    more: str | None
    parts: tuple[SplitPart, ...]
    marks: tuple[MarkCountsRow, ...]


class StackFrame(NamedTuple):
    """One frame of the merged stack."""

    language: str  # "py", "C", "" for words in the place of frames
    function: str
    place: str
    aside: str


class ExampleOfSignature(NamedTuple):
    """What one stored core says about its signature."""

    core_key: str
    happened: str  # the sentences with which `gdb-epi triage` begins
    cause: str
    frames: tuple[StackFrame, ...]
    source: str  # where the frames are from; empty of the core's own stack
    reasons: tuple[str, ...]
    against: tuple[str, ...]
    evidence: tuple[str, ...]


class ExampleCore(NamedTuple):
    """A core to look at."""

    core_key: str
    day: str
    host: str


class SignatureSection(NamedTuple):
    """A signature's section."""

    row: SignatureRow
    example: ExampleOfSignature | None
    cores: tuple[ExampleCore, ...]
    hosts: tuple[tuple[str, int], ...]
    headlines: tuple[Headline, ...]


class StateRow(NamedTuple):
    """What was decided of a signature or a host, and what holds now."""

    about: str
    name: str
    words: SignatureParts | None
    state: str
    since: str
    what: str  # a sentence: the fix, until when, the note
    owner: str
    crashes: int
    history: tuple[str, ...]


class StateChoice(NamedTuple):
    """A state that a form offers, and what it means."""

    value: str
    words: str


class DecisionForm(NamedTuple):
    """A form for a decision about a signature or a host; `given` is what was typed before."""

    about: str
    title: str
    name_label: str
    states: tuple[StateChoice, ...]
    given: Mapping[str, str]


class DecisionsPage(NamedTuple):
    """What was decided; a server without a token has no forms."""

    rows: tuple[StateRow, ...]
    of: str  # the one signature or host that is shown, else empty
    forms: tuple[DecisionForm, ...]
    problem: str  # why the last decision was not taken
    action: str  # the address that forms are sent to
    more: int  # states that are not shown


class UrgentSignature(NamedTuple):
    """Crashes of one signature whose cores say by themselves what a person should see first."""

    label: str  # hardware-suspect
    crashes: int
    rank: int  # of the signature's section
    words: SignatureParts


class ReportPage(NamedTuple):
    """The whole report."""

    title: str
    span: str
    facts: tuple[NamedValue, ...]
    summary: tuple[str, ...]
    headlines: tuple[Headline, ...]
    dismissed: int
    curve: tuple[CurveDay, ...]
    step: int  # days in one step of the curve
    signatures: tuple[SignatureRow, ...]
    more_signatures: int
    host_map: HostMap | None
    bits: tuple[FlippedBitHistogram, ...]
    splits: tuple[SplitView, ...]
    sections: tuple[SignatureSection, ...]
    notes: tuple[str, ...]
    states: tuple[StateRow, ...] = ()
    no_findings: str = ""  # what to say where there is no headline
    urgent: tuple[UrgentSignature, ...] = ()  # strongest label first
    names: Mapping[SignatureParts, str] = {}  # by the causes that records tell
