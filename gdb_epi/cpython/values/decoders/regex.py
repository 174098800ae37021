# SPDX-License-Identifier: Apache-2.0
"""Compiled patterns and matches: re."""

from __future__ import annotations

from gdb_epi.cpython.values.decoders.builtin_scalars import read_str
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes

MAX_SHOWN_PATTERN = 200  # characters, Modules/_sre: pattern_repr
MAX_SHOWN_MATCH = 50
# Lib/re/_constants.py; in the order in which pattern_repr() names them.
_FLAG_NAMES = (
    (1, "re.TEMPLATE"),
    (2, "re.IGNORECASE"),
    (4, "re.LOCALE"),
    (8, "re.MULTILINE"),
    (16, "re.DOTALL"),
    (64, "re.VERBOSE"),
    (128, "re.DEBUG"),
    (256, "re.ASCII"),
)
_UNICODE = 32


@decodes("re.Pattern", "_sre.SRE_Pattern")
def pattern(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a compiled pattern by the members that its type declares."""
    held = decoder.reader.u64(decoder.member_address(obj, "pattern"))
    flags = decoder.reader.u32(decoder.member_address(obj, "flags"))
    is_text = decoder.ident(held) == "str"
    shown = decoder.repr_of(held)
    if len(shown) > MAX_SHOWN_PATTERN:
        shown = shown[:MAX_SHOWN_PATTERN]
    if is_text and flags & (4 | _UNICODE | 256) == _UNICODE:
        flags &= ~_UNICODE
    names = [name for bit, name in _flag_names(decoder) if flags & bit]
    rest = flags & ~sum(bit for bit, _ in _flag_names(decoder))
    names += [hex(rest)] if rest else []
    return f"re.compile({shown}{', ' + '|'.join(names) if names else ''})"


def _flag_names(decoder: ReprDecoder) -> tuple[tuple[int, str], ...]:
    # 3.13 (gh-105687) dropped TEMPLATE; the same release brought ThreadHandle.
    newer = decoder.layout.offset("ThreadHandle", "state") is not None
    return _FLAG_NAMES[1:] if newer else _FLAG_NAMES


@decodes("re.Match", "_sre.SRE_Match")
def match(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a match: its mark[] begins after `groups` (Modules/_sre/sre.h, MatchObject).

    The word before mark[] is `groups`, the one of lastindex before it; lastindex is no declared
    member, so both are recognised by endpos, which is.
    """
    text = decoder.reader.u64(decoder.member_address(obj, "string"))
    after = decoder.member_address(obj, "endpos") + 8
    _last, groups, start, end = (decoder.reader.i64(after + 8 * n) for n in range(4))
    if not (0 < groups < 1 << 20 and 0 <= start <= end):
        raise Undecodable(f"a match from {start} to {end} of {groups} groups")
    inside = _matched_text(decoder, text, start, end)[:MAX_SHOWN_MATCH]
    return f"<{decoder.type_name(obj)} object; span=({start}, {end}), match={inside}>"


def _matched_text(decoder: ReprDecoder, address: int, start: int, end: int) -> str:
    if decoder.ident(address) == "str":
        text, length = read_str(decoder, address, end)
        if end > length:
            raise Undecodable("a match beyond its string")
        return repr(text[start:end])
    if decoder.ident(address) != "bytes":
        raise Undecodable("a match in something that is no str or bytes")
    first = address + decoder.offset("PyBytesObject", "ob_sval")
    decoder.require_range(first, end, "bytes of a match")
    return repr(decoder.reader.read(first + start, min(end - start, MAX_SHOWN_PATTERN)))
