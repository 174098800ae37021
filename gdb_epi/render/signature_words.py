# SPDX-License-Identifier: Apache-2.0
"""A signature in words: the frames of its line, and in short where the crash was and what it was.

In: the line of a key (SPEC.md, "Keys") and its category. Out: frames, or two cells of a table.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping

from gdb_epi.corruption.evidence import OVERWRITTEN
from gdb_epi.judgement.labels import CANNOT_TELL
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.record.record_parts import (
    explaining_stack,
    get_group,
    get_groups,
    get_number,
    get_texts,
    hypothesis_probabilities,
    verdict_label,
)
from gdb_epi.render.category_words import category_words
from gdb_epi.render.causes.whose_code import percent_text
from gdb_epi.render.escape import screen_width, unpad_addresses
from gdb_epi.render.frame_lines import without_abi_tag
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import names_by_reason, sha256_hex, shortened_list

MAX_LINE = 2_880  # characters of a line that are examined
MAX_STORED = 4_096  # characters of a line that a database keeps; the key of a longer one is lost
MAX_DIGITS = 16
MAX_FRAMES = 12
MAX_WHERE = 48  # columns of a function's name
UNKNOWN = "?"
WHERE = " where "  # between a line and the facts that some crashes with it share
HUNG = "deadlock"  # begins the frames of threads that wait for each other
NATIVE, PYTHON = "native", "python"
_NO_HALF = "no native stack ("  # before the reason why the key `native` is absent
_ARROWS = ("<-", "<--", "=>")


_NOT_ITS_FAULT = ("killed-external", "snapshot")  # their lines say what was waited for first
BUSY = "busy"
# SPEC.md N71: the word for what is waited for, in plain words.
_WAITS = {
    "join": "a thread", "task": "a task", "read": "data", "write": "a reader",
    "accept": "a connection", "poll": "its descriptors", "child": "a child", "sleep": "time",
    "signal": "a signal", "file_lock": "a locked file", "database": "a locked database",
}  # fmt: skip
_NAMELESS = "!?"  # after the module of a function without a name


class SignatureParts(NamedTuple):
    """A signature's line taken apart: its category and (language, function), innermost first.

    Of a process that did not fail by itself also what it waited for: a word of SPEC.md N70 to N73.
    """

    category: str | None
    frames: tuple[tuple[str, str], ...]
    waits_for: str = ""


def parse_signature_line(line: str, category: str | None) -> SignatureParts:
    """Parse `gsig/2 stable CATEGORY f <- g <-- py:h`; any other text is one frame.

    In a hang, what is waited for stands before a frame: `deadlock join py:f`, `task py:g`.
    A function without a name is "a function of" its module.
    """
    words = line[:MAX_LINE].split(" ", 3)
    if not words[0].startswith("gsig/"):
        return SignatureParts(category, ((NATIVE, line),) if line else ())
    if len(words) < 4:
        return SignatureParts(category or (words[2] if len(words) == 3 else None), ())
    category, waits_for, content = category or words[2], "", words[3].split(" ")
    if category in _NOT_ITS_FAULT and len(content) > 1 and content[1] not in _ARROWS:
        waits_for = content[0] if not content[0].startswith("py:") else ""
        content = content[1:] if waits_for else content
    frames: list[str] = [""]
    for word in content:
        if word in _ARROWS:
            frames.append("")
        else:
            frames[-1] = f"{frames[-1]} {word}".strip()
    named = []
    for frame in filter(None, frames):
        python = f" {frame}".partition(" py:")[2]
        native = frame
        if frame.endswith(_NAMELESS):
            native = f"a function of {without_abi_tag(frame[: -len(_NAMELESS)])}"
        named.append((PYTHON, python) if python else (NATIVE, native))
    return SignatureParts(category, tuple(named[:MAX_FRAMES]), waits_for)


def differ_only_in_how_names_are_known(one: str, other: str) -> bool:
    """Whether two lines differ by what Pythons and cores tell of names alone.

    CPython before 3.11 knows no class of a method, and a core without symbols no C function: the
    innermost Python function is the same but for classes, and so is the C function if both have it.
    """
    native, python = [], []
    for parts in (parse_signature_line(line, None) for line in (one, other)):
        if not parts.category or parts.waits_for:
            return False
        native.append(next((name for kind, name in parts.frames[:1] if kind == NATIVE), ""))
        python.append(next((name for kind, name in parts.frames if kind == PYTHON), "").split("."))
    short, long = sorted(python, key=len)
    category, beside = (line.split(" ")[2:3] for line in (one, other))
    return (
        category[0].partition("-")[0] == beside[0].partition("-")[0]
        and (native[0] == native[1] or not all(native))
        and bool(short[-1]) and short[0] == long[0] and short[-1] == long[-1]
        and set(short) <= set(long)
    )  # fmt: skip


def where_and_what(line: str, category: str | None, *, hung: bool) -> tuple[str, str]:
    """Return the function a crash is recognised by, and what kind of death it was, for a table.

    Functions of the standard library that the program called come after its own.
    `hung`: every verdict says so, and the category only says how the process was ended.
    """
    return where_and_what_of_parts(parse_signature_line(line, category), hung=hung)


def where_and_what_of_parts(words: SignatureParts, *, hung: bool = False) -> tuple[str, str]:
    """Return what `where_and_what` does, of the parts of a line."""
    python = [name for language, name in words.frames if language == PYTHON]
    native = [name for language, name in words.frames if language == NATIVE]
    outside = [name for name in python if name.partition(".")[0] not in sys.stdlib_module_names]
    where = (outside or python or native or [UNKNOWN])[0].partition(" ~")[0]
    where = where.removeprefix("__main__.")
    where = where if len(where) <= MAX_WHERE else where[: MAX_WHERE - 3] + "..."
    if words.waits_for in (HUNG, BUSY) or not words.waits_for:
        what = "hung" if hung or words.waits_for == HUNG else words.waits_for
    else:
        kind, _, name = words.waits_for.partition(":")
        what = f"waits for {name.removeprefix('__main__.') or _WAITS.get(kind, kind)}"
        what = f"hung, {what}" if hung else what
    if what:
        return where, what
    what = category_words(words.category)
    function = native[0].partition(" ~")[0] if python and native else ""
    return where, what if function in ("", what) else f"{what} in {function}"  # no abort in abort


def where_and_what_of_record(record: Json, line: str) -> tuple[str, str]:
    """Return what `where_and_what` does of a signature's line, by what one record of it tells.

    The category alone calls each access near NULL a NULL pointer, and knows no cause.
    """
    from gdb_epi.render.opening_sentences import HUNG as HUNG_LABELS
    from gdb_epi.render.opening_sentences import is_low_number_used_as_pointer

    category, label = get_group(record, "signature").get("category"), verdict_label(record)
    words = parse_signature_line(line, str(category) if category else None)
    where, what = where_and_what_of_parts(words, hung=label in HUNG_LABELS)
    if is_low_number_used_as_pointer(record):
        signal = get_group(record, "signal")
        jumped = signal.get("pc") == signal.get("fault_address")
        low = "jump to a low address" if jumped else "low address"
        what = what.replace(category_words(words.category), low, 1)
    waits = words.waits_for not in ("", HUNG, BUSY) and ":" not in words.waits_for
    if waits and (awaited := _awaited_by_explaining_thread(record)):
        what = f"{'hung, ' if label in HUNG_LABELS else ''}waits for {awaited}"
    if label != CANNOT_TELL and (cause := short_cause_words(get_group(record, "verdict"))):
        what = f"{what}: {cause}"
    return where, what


def _awaited_by_explaining_thread(record: Json) -> str:
    """Return what the sentences say that the thread waits for, "" where no finding tells."""
    tid = explaining_stack(record).get("tid")
    facts = (get_group(finding, "facts") for finding in get_groups(record, "findings"))
    members = (member for fact in facts for member in get_groups(fact, "members"))
    return next((str(m["what"]) for m in members if m.get("tid") == tid and m.get("what")), "")


# Causes that a category does not say already: "NULL pointer" may be a use after free.
_TELLING_CAUSES = frozenset((
    "use-after-free", "out-of-bounds", "heap-misuse", "unsafe-handler", "without-gil", "file-ended",
    "no-memory",
))  # fmt: skip
_STUCK = "stuck_"  # begins the rules of hangs: `stuck_waiting:full-pipe`, `stuck_deadlock:pool`
_UNREADABLE_KINDS = {
    "peer": "the peer is silent", "nobody-gives-it": "nobody gives it", "open": "open() of a FIFO",
    "GIL-held": "the GIL is held", "self": "waits for itself", "child": "a child that waits",
}  # fmt: skip


def short_cause_words(verdict: Json) -> str:
    """Return the leading cause in two or three words, for a table; "" where it adds nothing."""
    for rule in get_texts(verdict, "rules"):
        if rule.startswith(_STUCK):
            name, _, kind = rule.partition(":")
            words = _UNREADABLE_KINDS.get(kind, kind.replace("-", " "))
            in_circle = name == "stuck_deadlock" and kind != "self"
            return f"deadlock ({words})" if in_circle else words
    causes = get_groups(verdict, "cause")
    hypothesis = str(causes[0].get("hypothesis")) if causes else ""
    return hypothesis.replace("-", " ") if hypothesis in _TELLING_CAUSES else ""


def signature_phrase(words: SignatureParts, *, hung: bool = False) -> str:
    """Return what happened and where, as one phrase."""
    where, what = where_and_what_of_parts(words, hung=hung)
    if not words.category and what == UNKNOWN:
        return where
    return what if where == UNKNOWN else f"{what}, in {where}"


# What the next function writes.
PHRASE_AND_KEY = LazyPattern(r'"(?P<phrase>[^"]+)"(?P<rest>[^"()]* \(key (?P<key>[0-9a-f]+)\))')


def signature_phrase_and_key(line: str, program: str = "") -> str:
    """Return a signature in words, and its key for `fleet show`; other texts as they are.

    `program` is what crashed, "" where it is not known. Of a part of its crashes (a line, WHERE,
    what they share) the key is that of all of them.
    """
    words = line.split(" ", 2)
    if len(words) < 3 or not words[0].startswith("gsig/"):
        return line
    line, _, shared = line.partition(WHERE)
    title = signature_phrase(parse_signature_line(line, None))
    key = "" if len(line) >= MAX_STORED else f" (key {hash_signature_line(line)})"
    of_program = f" of {program}" if program else ""
    return f'"{title}"{of_program}{key}{f", those with {shared}" if shared else ""}'


def hash_signature_line(line: str) -> str:
    """Return the key of a line: the hash of exactly that (SPEC.md, "Keys")."""
    from gdb_epi.signature.keys import DIGITS

    name = line.split(" ", 2)[1]
    return sha256_hex(line.encode("utf-8"))[: DIGITS.get(name, MAX_DIGITS)]


def why_keys_are_absent(absent: Mapping[str, object]) -> Iterator[str]:
    """Yield why keys are absent, each reason once."""
    pairs = []
    for name, reason in absent.items():
        why = str(reason)
        half = why.startswith(_NO_HALF) and why.endswith(")")
        pairs.append((name, why[len(_NO_HALF) : -1] if half else why))
    for why, names in names_by_reason(pairs).items():
        yield f"no key {', '.join(names)}: {why}"


# What the one-screen answer rests on: reasons, evidence of waits and of damage, the signature.
#
# In: a record. Out: the lines of `--evidence`: the screen is for reading, these are for checking.


MAX_ITEMS = 40
MAX_EXPONENT = 6  # of ten; more is no better known
MAX_CHECKS = 4  # that were not made for one reason; `epi corruption` names all
# Before the corrections that were tried: most are of words that are right, or of other types.
TOO_WEAK = "considered, and too weak"

Json = Mapping[str, Any]


def evidence_lines(record: Json) -> Iterator[str]:
    """Yield the evidence, part by part."""
    yield from _verdict_lines(record)
    for sign in get_groups(get_group(record, "fork"), "evidence"):
        yield from _wrapped_lines(
            f"fork {sign.get('name')}", f"{sign.get('says')} ({sign.get('sure')})"
        )
    for wait in get_groups(record, "waits")[:MAX_ITEMS]:
        yield (
            f"Wait: thread {wait.get('tid')} for {wait.get('kind')} "
            f"{wait.get('name') or wait.get('address')}: {wait.get('verdict')} "
            f"({wait.get('confidence')})"
        )
        for text in get_texts(wait, "evidence"):
            yield from _wrapped_lines("-", text)
    yield from _corruption_lines(record)
    signature = get_group(record, "signature")
    keys, texts = get_group(signature, "keys"), get_group(signature, "text")
    yield f"Signature {signature.get('version')}"
    for name, value in keys.items():
        yield from _wrapped_lines(f"{name} {value}", texts.get(name, ""))
    for line in why_keys_are_absent(get_group(signature, "absent")):
        yield from _wrapped_lines(line, "")


def _verdict_lines(record: Json) -> Iterator[str]:
    verdict = get_group(record, "verdict")
    confidence = get_number(verdict, "confidence")
    yield f"Verdict: {verdict.get('label')} ({percent_text(confidence)})"
    for text in get_texts(verdict, "reasons"):
        yield from _wrapped_lines("because", text)
    rejected = _rejected_correction_sentences(record)
    for text in get_texts(verdict, "against"):
        yield from _wrapped_lines(TOO_WEAK if text in rejected else "but", text)
    for hypothesis, probability in hypothesis_probabilities(record).items():
        yield f"  {probability:4.0%} {hypothesis}"
    signature = get_group(record, "signature")
    yield from _wrapped_lines(
        "category", f"{signature.get('category')}: {signature.get('evidence')}"
    )
    for finding in get_groups(record, "findings")[:MAX_ITEMS]:
        name, text = str(finding.get("detector")), str(finding.get("summary"))
        yield from _wrapped_lines(f"{TOO_WEAK}, {name}" if text in rejected else name, text)


def _rejected_correction_sentences(record: Json) -> frozenset[str]:
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
    return frozenset(
        str(text) for words, text in corrections if not _is_correction_of_damage(record, words)
    )


def _is_correction_of_damage(record: Json, words: Json) -> bool:
    """Whether a correction is the one of the damage that was found."""
    damage = get_group(get_group(record, "verdict"), "damage")
    pair = (words.get("found"), words.get("corrected"))
    return bool(damage.get("found")) and pair == (damage.get("holds"), damage.get("should_be"))


def _corruption_lines(record: Json) -> Iterator[str]:
    corruption = get_group(record, "corruption")
    if not corruption:
        return
    before, change = get_number(corruption, "prior"), get_number(corruption, "llr")
    odds = (
        f"1 to {_power_of_ten_words(-before)}"
        if before <= 0
        else f"{_power_of_ten_words(before)} to 1"
    )
    what = f"{_power_of_ten_words(abs(change))} times {'more' if change > 0 else 'less'}"
    yield (
        f"Flipped bits: {corruption.get('word')}: odds of {odds} beforehand; "
        f"by this core {what if change else 'just as'} likely"
    )
    candidates = get_groups(corruption, "candidates")[:MAX_ITEMS]
    candidates.sort(key=lambda candidate: not _is_correction_of_damage(record, candidate))
    headed = False
    for candidate in candidates:
        if not headed and not _is_correction_of_damage(record, candidate):
            headed = True
            yield from _wrapped_lines(f"{TOO_WEAK}:", "")
        yield from _wrapped_lines(
            ("  " if headed else "") + str(candidate.get("where")),
            f"{candidate.get('found')} for {candidate.get('corrected')}, bits "
            f"{candidate.get('bits')}, by {', '.join(get_texts(candidate, 'evidence'))}",
        )
    for sign in get_groups(corruption, "evidence"):
        if sign.get("id") == OVERWRITTEN:
            yield from _wrapped_lines("looks overwritten", sign.get("summary"))
    pairs = [(str(s.get("check")), str(s.get("why"))) for s in get_groups(corruption, "skipped")]
    for why, checks in names_by_reason(pairs[:MAX_ITEMS]).items():
        yield from _wrapped_lines(f"not checked: {shortened_list(checks, MAX_CHECKS)}", why)


def _power_of_ten_words(exponent: float) -> str:
    """Return a power of ten with two digits that matter: "1,000", "3.2"."""
    if exponent >= MAX_EXPONENT:
        return "more than a million"
    power = float(f"{10**exponent:.2g}")
    return f"{power:,.0f}" if power >= 10 else f"{power:g}"


def _wrapped_lines(head: str, text: object) -> Iterator[str]:
    """Yield a text after its head, wrapped; all of it."""
    yield from textwrap.wrap(
        unpad_addresses(f"{head} {text}" if head == "-" else f"{head}: {text}" if text else head),
        screen_width(),
        initial_indent="  ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
