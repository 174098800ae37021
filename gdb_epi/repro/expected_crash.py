# SPDX-License-Identifier: Apache-2.0
"""The expected crash, and by which key another crash equals it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.errors import InputError, UsageError
from gdb_epi.record.record_parts import get_group, get_groups
from gdb_epi.signature import keys as k
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import sha256_hex, shell_word

# From the narrowest to the widest; `python` and `native` are for stacks of which half is missing.
LEVELS = ("exact", "strict", "stable", "coarse")
HALVES = ("python", "native")
DIGITS = {name: k.DIGITS[name] for name in (*LEVELS, *HALVES)}  # of the keys that are compared
MAX_FILE = 64 << 20  # bytes of a record

Keys = Mapping[str, frozenset[str]]
_RESIGN = "gdb-epi resign makes the keys anew from stored frames"


class ExpectedKeys(NamedTuple):
    """The keys of the crash that is sought.

    A key has several values when a text leaves the category open (`gdb-epi sign`).
    """

    keys: Keys
    source: str
    text: str

    @property
    def is_one_key_of_unknown_name(self) -> bool:
        """Tell whether it is one key whose name is not known: it says nothing of the others."""
        return len(self.keys) > 1 and len(set(self.keys.values())) == 1


class KeyMatch(NamedTuple):
    """Which keys of a crash equal the expected ones.

    `level` is the narrowest of them, None when there is none; `reached` tells whether it is narrow
    enough.
    """

    level: str | None
    equal: tuple[str, ...]
    compared: tuple[str, ...]
    reached: bool


def read_expectation(word: str) -> ExpectedKeys:
    """Return what `--expect` gives: a key, `NAME:KEY`, a whole line `gsig/2 ...`, or a file.

    The file is a record, or what `gdb-epi sign --json` or `triage --format json` printed. Raises
    UsageError or InputError.
    """
    import os

    if word.startswith("gsig/"):
        return _expectation_of_line(word)
    if os.path.exists(word) or "/" in word or word.endswith((".json", ".jsonl")):
        return expectation_of_document(read_first_record(word), word)
    name, colon, value = word.rpartition(":")
    value = value.lower()
    if colon and name not in DIGITS:
        raise UsageError(f"--expect {word}: no key {name!r}", hint=", ".join(DIGITS))
    if not value or set(value) - set("0123456789abcdef"):
        raise UsageError(f"--expect {word}: neither a key nor a file", hint="a key of a record")
    names = [name] if colon else [n for n, digits in DIGITS.items() if digits == len(value)]
    if not names or DIGITS[names[0]] != len(value):
        sizes = ", ".join(f"{n} {digits}" for n, digits in DIGITS.items())
        raise UsageError(f"--expect {word}: {len(value)} digits", hint=f"whole keys: {sizes}")
    return ExpectedKeys({n: frozenset((value,)) for n in names}, "the command line", word)


def _expectation_of_line(line: str) -> ExpectedKeys:
    words = line.split(" ", 2)
    if len(words) < 3 or words[1] not in DIGITS:
        raise UsageError(f"--expect {line[:80]}: no line of a signature", hint="gsig/2 stable ...")
    _check_signature_version(words[0])
    value = sha256_hex(line.encode("utf-8"))[: DIGITS[words[1]]]
    return ExpectedKeys({words[1]: frozenset((value,))}, "the command line", line)


def read_first_record(name: str) -> Any:
    """Return the first record of a JSON file, or what else it holds. Raises InputError."""
    import json

    try:
        with open(name, "rb") as stream:
            content = stream.read(MAX_FILE)
        value = json.loads(content if not _is_json_lines(content) else content.split(b"\n", 1)[0])
    except (OSError, ValueError, RecursionError) as error:
        if not isinstance(error, OSError) and content.startswith(b"\x7fELF"):
            record = f"gdb-epi triage {shell_word(name)} --format json --no-db > record.json"
            raise InputError(f"--expect {name}: a core, no record", hint=record) from None
        raise InputError(f"--expect {name}: {error}", hint="a record as JSON") from None
    return value[0] if isinstance(value, list) and value else value


def expectation_of_document(document: Any, name: str) -> ExpectedKeys:
    """Return the keys of a record, `name` being its file. Raises InputError where it has none."""
    signature = document.get("signature") if isinstance(document, dict) else None
    if not isinstance(signature, dict):
        raise InputError(f"--expect {name}: no record with a signature", hint="gdb-epi triage")
    _check_signature_version(str(signature.get("version")))
    keys = read_signature_keys(signature)
    if not keys:
        raise InputError(f"--expect {name}: the signature has no key", hint="gdb-epi triage")
    texts = signature.get("text")
    text = next((texts[n] for n in ("stable", *DIGITS) if n in texts), "") if texts else ""
    return ExpectedKeys(keys, name, str(text))


def _is_json_lines(content: bytes) -> bool:
    """Tell whether this is JSON lines: the first line is a complete object."""
    return content[:1] == b"{" and content.split(b"\n", 1)[0].rstrip().endswith(b"}")


def _check_signature_version(version: str) -> None:
    if version != k.VERSION:
        versions = f"the expected signature is {version}, this gdb-epi makes {k.VERSION}"
        raise InputError(f"{versions}: keys of different versions are not compared", hint=_RESIGN)


def read_signature_keys(signature: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the keys of a record's or a text's signature; candidates count as open values."""
    open_keys: dict[str, frozenset[str]] = {}
    keys, candidates = signature.get("keys"), signature.get("candidates")
    for name, value in (keys if isinstance(keys, dict) else {}).items():
        if name in DIGITS and isinstance(value, str):
            open_keys[name] = frozenset((value,))
    for name, of in (candidates if isinstance(candidates, dict) else {}).items():
        values = [candidate.get("key") for candidate in of.values()] if isinstance(of, dict) else []
        if name in DIGITS and values:
            open_keys.setdefault(name, frozenset(v for v in values if isinstance(v, str)))
    return open_keys


def compare_keys(wanted: Keys, actual: Keys, at: str = "stable") -> KeyMatch:
    """Return by which keys two signatures are equal, and whether that reaches the level `at`.

    If only one side has keys up to `at`, the halves `python` and `native` decide: one of them must
    be equal, and neither may differ.
    """
    compared = tuple(n for n in (*LEVELS, *HALVES) if n in wanted and n in actual)
    equal = tuple(n for n in compared if wanted[n] & actual[n])
    level = next((n for n in LEVELS if n in equal), None)
    narrow = LEVELS[: LEVELS.index(at) + 1]
    if any(n in compared for n in narrow):
        reached = any(n in equal for n in narrow)
    else:
        halves = [n for n in HALVES if n in compared]
        reached = bool(halves) and all(n in equal for n in halves)
    level = level or next((n for n in HALVES if n in equal), None)
    return KeyMatch(level, equal, compared, reached)


def choose_key_level(expectation: ExpectedKeys, given: str | None) -> str:
    """Return the level to reach: the user's, else stable, or what there is to compare.

    Raises UsageError where the one key that is expected is none of the user's level.
    """
    if given is not None:
        if given not in expectation.keys and len(expectation.text.split()) == 1:
            raise UsageError(
                f"--at {given}: {expectation.text} is no {given} key",
                hint="that key (gdb-epi fleet show KEY), or --expect RECORD.json",
            )
        return given
    comparable = [n for n in LEVELS if n in expectation.keys]
    return "coarse" if comparable == ["coarse"] else "stable"


def describe_key_match(match: KeyMatch, *, lone: bool = False) -> str:
    """Return a match as words; `lone`: one key is expected, and it may be any of those compared."""
    if not match.compared:
        return "no key of both can be compared"
    if lone:
        equal = f"equals the expected one at {', '.join(match.equal)}"
        return equal if match.equal else "another crash: none of its keys is the expected one"
    if not match.equal:
        return f"another crash: it differs at {', '.join(match.compared)}"
    differs = [n for n in match.compared if n not in match.equal]
    words = f"equals the expected one at {', '.join(match.equal)}"
    return words + (f"; differs at {', '.join(differs)}" if differs else "")


# Compare two records: at which key they agree, and how verdicts and versions differ.


MAX_NAMES = 50  # libraries and packages that are listed

Record = Mapping[str, Any]


def compare_records(first: Record, second: Record, at: str = "stable") -> dict[str, Any]:
    """Return the comparison as JSON values; `reached` says whether a key up to `at` is equal."""
    wanted, actual = (
        read_signature_keys(get_group(record, "signature")) for record in (first, second)
    )
    match = compare_keys(wanted, actual, at)
    facts = {
        "category": _values_in_both_records(first, second, "signature", "category"),
        "signal": _values_in_both_records(first, second, "signal", "name"),
        "verdict": _values_in_both_records(first, second, "verdict", "label"),
        "confidence": _values_in_both_records(first, second, "verdict", "confidence"),
        "corruption": _values_in_both_records(first, second, "corruption", "word"),
        "python": _values_in_both_records(first, second, "python", "version"),
        "executable": _values_in_both_records(first, second, "process", "build_id"),
        "kernel": _values_in_both_records(first, second, "kernel", "version"),
        "libset": _values_in_both_records(first, second, "libs", "libset"),
    }
    return {
        "match": match._asdict(),
        "text": [get_group(get_group(record, "signature"), "text") for record in (first, second)],
        "facts": {name: values for name, values in facts.items() if values != [None, None]},
        "libs": _differing_values(_build_ids_by_soname(first), _build_ids_by_soname(second)),
        "packages": _differing_values(_versions_by_package(first), _versions_by_package(second)),
    }


def comparison_lines(comparison: Mapping[str, Any]) -> Iterator[str]:
    """Yield the comparison as text."""
    match = KeyMatch(**comparison["match"])
    if match.level is None:
        yield "no key is equal"
    else:
        yield f"equal at {match.level}" + ("" if match.reached else ", which is not narrow enough")
    for name in (*LEVELS, *HALVES):
        word = "equal" if name in match.equal else "differs" if name in match.compared else "absent"
        yield f"  {name:<7} {word}"
        if word == "differs" and name != "exact":
            yield from (f"    {texts.get(name)}" for texts in comparison["text"])
    for name, (first, second) in comparison["facts"].items():
        yield f"{name:<11} {first}" + (f" | {second}" if first != second else " (both)")
    for title in ("libs", "packages"):
        for name, (first, second) in list(comparison[title].items())[:MAX_NAMES]:
            yield f"  {name}: {first or 'not there'} | {second or 'not there'}"
        left_out = len(comparison[title]) - MAX_NAMES
        if left_out > 0:
            yield f"  ... {left_out} more {title} differ"


def _values_in_both_records(first: Record, second: Record, group: str, name: str) -> list[Any]:
    return [get_group(record, group).get(name) for record in (first, second)]


def _build_ids_by_soname(record: Record) -> dict[str, str]:
    modules = get_groups(get_group(record, "libs"), "modules")
    return {str(m.get("soname")): str(m.get("build_id") or "no build-id") for m in modules}


def _versions_by_package(record: Record) -> dict[str, str]:
    packages = get_groups(get_group(record, "python"), "packages")
    return {str(p.get("name")): str(p.get("version") or "no version") for p in packages}


def _differing_values(first: dict[str, str], second: dict[str, str]) -> dict[str, list[str | None]]:
    names = sorted({*first, *second})
    return {n: [first.get(n), second.get(n)] for n in names if first.get(n) != second.get(n)}
