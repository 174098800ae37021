# SPDX-License-Identifier: Apache-2.0
"""What a user may ask for: no addresses, pseudonymous hosts, reduced exception messages."""

from __future__ import annotations

import re

from gdb_epi.cpython.values.secrets import WORDS
from gdb_epi.errors import Absent
from gdb_epi.record.redact import map_texts, redact_text
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdb_epi.process_state import ProcessState

Json = dict[str, Any]
REDACTED = "redacted"
MIN_KEY = 16  # bytes of an HMAC key
HMAC_PREFIX = "hmac:"
HMAC_DIGITS = 32
MAX_MESSAGE = 200
# Addresses below this, on the NULL page, reveal no layout.
_HARMLESS = 0x1000
_WHOLE = re.compile(r"0x[0-9a-f]{16}\Z")
_INSIDE = re.compile(r"0x[0-9a-fA-F]{5,16}\b")
_AS_NUMBER = re.compile(r"\b\d{8,20}\b")  # an address, or a value, in a sentence
_NO_ADDRESSES = ("hardware", "signature", "libs")
_WITH_SENTENCES = ("verdict", "findings", "corruption")
# Attributes of a host whose names say that they identify it.
_IDENTIFYING = re.compile(r"(host|node|serial|uuid|asset|mac|ip|address|fqdn|domain)", re.I)
_HOST_VARIABLES = ("SLURMD_NODENAME",)

# What follows these words in a sentence is a secret: "wrong PIN 1234", "Authorization: Basic ...".
_SECRETS = "|".join(sorted(WORDS | {"basic", "key", "pin"}))
_ORDINARY = r"u?int\d+|float\d+|complex\d+|utf\d+|latin\d|sha\d+|md5|base64|ipv[46]|x86_64|python\d"
_PARAMETERS = (
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "<email>"),
    (re.compile(r"\b[a-zA-Z][\w+.-]*://[^\s'\"]+"), "<url>"),
    (re.compile(r"(['\"`]).*?(?:\1|$)", re.S), "<text>"),
    (re.compile(r"\b0[xX][0-9a-fA-F]+\b"), "<hex>"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[/\\][^\s/\\:,;()<>]+)+[/\\]?"), "<path>"),
    (re.compile(r"\b(?=[0-9a-fA-F-]*\d)[0-9a-fA-F][0-9a-fA-F-]{7,}\b"), "<hex>"),
    (re.compile(r"(\b[\w.-]+=)[^\s,;)]+"), r"\1<value>"),
    (
        re.compile(
            rf"(?i)(\b(?:{_SECRETS})\b[\s:]+(?:(?:{_SECRETS}|is|was)\b[\s:]+)*)(?!<)[^\s,;)]+"
        ),
        r"\1<secret>",
    ),
    # A name of a user or a key has a digit as a rule; so have names of types and codecs.
    (
        re.compile(rf"(?i)\b(?!(?:{_ORDINARY}|[\d.,]+e[-+]?\d+)\b)(?=\w*\d)(?=\w*[a-z])[\w+/=.-]+"),
        "<word>",
    ),
    (re.compile(r"[-+]?\b\d[\d_.,]*(?:[eE][-+]?\d+)?"), "<number>"),
)


def parameterise_message(text: str) -> str:
    """Return a message with its variable parts replaced: quoted texts, paths, hex, numbers.

    Only the first line is kept: the others are more often data than words.
    """
    line = text.split("\n", 1)[0][: 8 * MAX_MESSAGE]
    for pattern, name in _PARAMETERS:
        line = pattern.sub(name, line)
    return redact_text(line[:MAX_MESSAGE])


def add_exception_messages(record: Json, state: ProcessState) -> None:
    """Add the parameterised messages of the crashed thread's exceptions (`--messages`)."""
    _add_cxx_message(record, state)
    group = record.get("exception")
    if not isinstance(group, dict) or not group.get("type"):
        return
    from gdb_epi.record.stacks import exception_of_crashed_thread, read_exceptions

    crashed = exception_of_crashed_thread(state, read_exceptions(state, messages=True))
    text = crashed[1].root_exception.message if crashed is not None else None
    if isinstance(text, str):
        group["message"] = parameterise_message(text)
        _note_redaction(record, "exception message", "parameterised", "--messages")
    elif isinstance(text, Absent):
        error = {"stage": "messages", "subject": "exception", "message": text.detail}
        record.setdefault("soft_errors", []).append(error)


def _add_cxx_message(record: Json, state: ProcessState) -> None:
    """Add the text of what() of an uncaught C++ exception to its finding."""
    findings = record.get("findings") or ()
    uncaught = [f for f in findings if f.get("detector") == "uncaught_exception"]
    fault = state.fault
    if not uncaught or not uncaught[0]["facts"].get("type") or isinstance(fault, Absent):
        return
    from gdb_epi.fault.cxx_exception import exception_text

    frames = state.target.native_frames(fault.tid)
    text = frames if isinstance(frames, Absent) else exception_text(state.target, frames)
    if isinstance(text, Absent):
        error = {"stage": "messages", "subject": "C++ exception", "message": text.detail}
        record.setdefault("soft_errors", []).append(error)
        return
    uncaught[0]["facts"] = {**uncaught[0]["facts"], "message": parameterise_message(text)}
    _note_redaction(record, "exception message", "parameterised", "--messages")


def redact_addresses(record: Json) -> Json:
    """Return a record without addresses of the process; those of the NULL page stay."""
    redacted = {
        key: value if key in _NO_ADDRESSES else map_texts(value, _redact_addresses_in_text)
        for key, value in record.items()
    }
    signature = redacted.get("signature")
    if isinstance(signature, dict):  # its keys hold offsets in files, which are no addresses
        redacted["signature"] = {
            key: map_texts(value, _redact_addresses_in_text) if key == "evidence" else value
            for key, value in signature.items()
        }
    for group in _WITH_SENTENCES:
        if group in redacted:
            redacted[group] = map_texts(redacted[group], lambda text: _AS_NUMBER.sub("~", text))
    _note_redaction(redacted, "addresses", REDACTED, "--redact-addresses")
    return redacted


def _redact_addresses_in_text(text: str) -> str:
    if _WHOLE.match(text):
        return text if int(text, 16) < _HARMLESS else REDACTED
    if "0x" not in text:
        return text
    return _INSIDE.sub(lambda m: m[0] if int(m[0], 16) < _HARMLESS else "0x~", text)


def pseudonymise(record: Json, key: bytes) -> Json:
    """Return a record in which the names of hosts are HMAC-SHA256 under a fleet's key.

    The same host has the same name in all records made with one key.
    """
    redacted = dict(record)
    host = redacted.get("host")
    if isinstance(host, dict):
        host = {**host, **_replace_by_hmac(host, ("hostname", "machine_id", "boot_id"), key)}
        attributes = host.get("attributes")
        if isinstance(attributes, dict):
            names = tuple(name for name in attributes if _IDENTIFYING.search(name))
            host["attributes"] = {**attributes, **_replace_by_hmac(attributes, names, key)}
        redacted["host"] = host
    for group, names in (("container", ("node", "pod")), ("job", ())):
        if isinstance(redacted.get(group), dict):
            redacted[group] = {**redacted[group], **_replace_by_hmac(redacted[group], names, key)}
    inner = redacted.get("job", {}).get("environment")
    if isinstance(inner, dict):
        redacted["job"]["environment"] = {**inner, **_replace_by_hmac(inner, _HOST_VARIABLES, key)}
    _note_redaction(redacted, "host names", "HMAC-SHA256", "--hmac-key-file")
    return redacted


def _replace_by_hmac(group: Json, names: tuple[str, ...], key: bytes) -> Json:
    import hmac

    keyed = {}
    for name in names:
        value = group.get(name)
        if isinstance(value, str) and not value.startswith(HMAC_PREFIX):
            digest = hmac.new(key, value.encode("utf-8", "surrogatepass"), "sha256").hexdigest()
            keyed[name] = HMAC_PREFIX + digest[:HMAC_DIGITS]
    return keyed


def _note_redaction(record: Json, what: str, how: str, why: str) -> None:
    entry, entries = {"what": what, "how": how, "why": why}, record.get("redaction", [])
    record["redaction"] = entries if entry in entries else [*entries, entry]
