# SPDX-License-Identifier: Apache-2.0
"""Regular expressions that try all ways to split a text (catastrophic backtracking).

The engine keeps its state on the native stack: where it is in the text, where the match began
(Modules/_sre, SRE_STATE: ptr, beginning, start, end, string; 3.8 to 3.14). The pattern lies on the
value stack of who called it. Whether its repetitions, one in the other, explode is tried on a few
letters of that very text by a matcher that counts its steps: two letters more must take 2.4 times
as many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.repr_decoder import ReprLimits, Undecodable
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.types import HANG, RUNNING, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.typing_lite import Any, NamedTuple

STACK_BYTES = 1 << 14  # of the native stack that are searched
MAX_TEXT = 1 << 16
MIN_TRIED = 24  # letters that were matched when the process was seen: fewer soon end
TRIED = (4, 6, 8, 10, 12, 14)  # letters
BEHIND = (40, 4)  # letters behind the position
MAX_STEPS = 100_000
MAX_FURTHER = 200  # letters: enough for any growth, and no overflow
GROWTH = 2.4  # by two letters: at 16 letters more than by the sixth power of their number
ENDLESS = 1 << 40  # steps, hours at least: a match of 2**29 ended after 20 s
_SHOWN = 60
_PATTERNS = ("re.Pattern", "_sre.SRE_Pattern")


class _MatchState(NamedTuple):
    """What the engine is doing: the text, where the match began, where it is."""

    text: str
    start: int
    position: int


class UnsupportedPattern(Exception):
    """The pattern has something that is not followed here."""


class _TooManySteps(Exception):
    """The match takes more steps than are counted."""


@process_rule_from_thread_rule
def diagnose_endless_match(context: HangContext, activity: ThreadActivity) -> HangDiagnosis | None:
    """A thread matches a pattern whose repetitions try all ways to split its text."""
    if activity.kind not in RUNNING or not activity.frames:
        return None
    try:
        matching = _read_match_state(context, activity)
        pattern = _pattern_being_matched(context, activity) if matching is not None else None
        explodes = (
            pattern is not None
            and matching is not None
            and _grows_faster_than_any_power(*pattern, matching)
        )
    except (UnreadableMemory, LayoutError, Undecodable, UnsupportedPattern, RecursionError):
        return None
    if not explodes or pattern is None or matching is None:
        return None
    shown = pattern[0] if len(pattern[0]) <= _SHOWN else f"{pattern[0][:_SHOWN]}..."
    # How far it has come changes from moment to moment: the whole text does not.
    length = len(matching.text) - matching.start
    return wait_diagnosis(
        HANG, "endless match", f"{activity.who()} matches the regular expression {shown} at "
        f"{activity.where()}: its repetitions, one in the other, try all ways to split "
        f"a text of {length} letters, and each further letter doubles the time or worse "
        "(catastrophic backtracking)", activity._replace(key_frames=activity.frames),
        evidence=(f"the engine is at letter {matching.position} of {len(matching.text)}, in a "
                  f"match that began at letter {matching.start}",
                  "the same pattern takes exponential time on pieces of that text"),
        ruled_out=("a pattern whose time grows by a power of the length",),
        doubts=("it ends after all, in years or in hours",),
    )  # fmt: skip


def _read_match_state(context: HangContext, activity: ThreadActivity) -> _MatchState | None:
    """Return what the engine is doing by its state on a thread's native stack."""
    words = context.native_stack_words(activity.tid, STACK_BYTES)
    for number in range(4, len(words)):
        position, beginning, start, behind = words[number - 4 : number]
        address = words[number]  # the names of all words on a stack took a fifth of a busy core
        if not address < beginning <= start <= position <= behind or not _looks_like_heap_pointer(
            address
        ):
            continue
        if context.view.type_name(address) != "str":
            continue
        text = context.view.reader.string(address, MAX_TEXT)
        if not isinstance(text, str) or not text or (behind - beginning) % len(text):
            continue
        width = (behind - beginning) // len(text)
        if width in (1, 2, 4):
            return _MatchState(text, (start - beginning) // width, (position - beginning) // width)
    return None


def _looks_like_heap_pointer(word: int) -> bool:
    return word > 1 << 16 and not word & 7 and word < 1 << 47


def _pattern_being_matched(
    context: HangContext, activity: ThreadActivity
) -> tuple[str, int] | None:
    """Return the pattern that the innermost frames call, and its flags."""
    for frame in context.view.frames(activity.tid)[:2]:
        for word in context.view.slots.words_of_frame(frame).stack:
            if not _looks_like_heap_pointer(word) or context.view.type_name(word) not in _PATTERNS:
                continue
            decoder = get_process_values(context.target, context.python).decoder(
                ReprLimits(secrets=True)
            )
            obj = decoder.obj(word)
            text = decoder.reader.string(
                decoder.reader.u64(decoder.member_address(obj, "pattern")), 4096
            )
            flags = decoder.reader.u32(decoder.member_address(obj, "flags"))
            return (text, flags) if isinstance(text, str) else None
    return None


def _grows_faster_than_any_power(pattern: str, flags: int, matching: _MatchState) -> bool:
    """Tell whether the time grows faster than any power of the length, to no end in sight."""
    letters_tried = matching.position - matching.start
    if letters_tried < MIN_TRIED:
        return False
    nodes = _parse_pattern(pattern, flags)
    at = matching.position
    for behind in BEHIND:
        counts = [
            _Matcher(matching.text[at - letters : at + behind], flags).count_steps(nodes)
            for letters in TRIED
        ]
        counted = [count for count in counts if count < MAX_STEPS]
        pairs = len(counted) - 1
        if pairs > 1 and counted[-1] >= GROWTH**pairs * counted[0]:
            growth = (counted[-1] / counted[0]) ** (1 / pairs)  # by two letters
            further = min(letters_tried - TRIED[pairs], MAX_FURTHER)
            return bool(counted[-1] * growth ** (further / 2) >= ENDLESS)
    return False


def _parse_pattern(pattern: str, flags: int) -> list[Any]:
    """Return the parts of a pattern. Raises UnsupportedPattern."""
    try:
        from re import _parser as parser  # type: ignore[attr-defined]  # 3.11
    except ImportError:
        import sre_parse as parser
    import re

    try:
        return list(parser.parse(pattern, flags & (re.I | re.M | re.S | re.X | re.A)))
    except (re.error, OverflowError, ValueError):
        raise UnsupportedPattern from None


def count_matching_steps(pattern: str, flags: int, text: str, method: str, first: int = 0) -> int:
    """Return the most steps that a pattern's method takes. Raises UnsupportedPattern for many."""
    nodes, matcher = _parse_pattern(pattern, flags), _Matcher(text, flags)
    with suppress(_TooManySteps):
        for start in range(first, first + 1 if "match" in method else len(text) + 1):
            ends = matcher.possible_ends(nodes, start)
            for _ in ends if method == "fullmatch" else islice(ends, 1):
                pass
        return MAX_STEPS - matcher.left
    raise UnsupportedPattern


class _Matcher:
    """Match parts of a parsed pattern as the engine does, and count the steps."""

    def __init__(self, text: str, flags: int) -> None:
        import re

        self._folds = bool(flags & re.I)
        self._text = text.lower() if self._folds else text
        self._lines, self._all = bool(flags & re.M), bool(flags & re.S)
        self.left = MAX_STEPS

    def count_steps(self, nodes: Sequence[Any]) -> int:
        """Return how many steps a match takes from the beginning, at most MAX_STEPS."""
        with suppress(_TooManySteps):
            next(self.possible_ends(nodes, 0), None)
        return MAX_STEPS - max(self.left, 0)

    def possible_ends(self, nodes: Sequence[Any], at: int) -> Iterator[int]:
        """Yield where the nodes may end that begin at a place, in the engine's order."""
        self.left -= 1
        if self.left < 0:
            raise _TooManySteps
        if not nodes:
            yield at
            return
        for end in self._match_step(str(nodes[0][0]), nodes[0][1], at):
            yield from self.possible_ends(nodes[1:], end)

    def _match_step(self, name: str, argument: Any, at: int) -> Iterator[int]:
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            if self._matches_letter_at(name, argument, at):
                yield at + 1
        elif name == "SUBPATTERN":
            if argument[1] or argument[2]:
                raise UnsupportedPattern
            yield from self.possible_ends(list(argument[3]), at)
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from self.possible_ends(list(branch), at)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, inner = argument
            yield from self._ends_of_repetition(
                list(inner), (int(low), int(high)), name[:3] == "MAX", at, 0
            )
        elif name == "AT":
            if self._assertion_holds(str(argument), at):
                yield at
        elif name in ("ASSERT", "ASSERT_NOT") and argument[0] > 0:
            if (next(self.possible_ends(list(argument[1]), at), None) is None) == (
                name == "ASSERT_NOT"
            ):
                yield at
        else:
            raise UnsupportedPattern

    def _ends_of_repetition(
        self, inner: list[Any], times: tuple[int, int], greedy: bool, at: int, count: int
    ) -> Iterator[int]:
        if not greedy and count >= times[0]:
            yield at
        if count < times[1]:
            for end in self.possible_ends(inner, at):
                if end > at:
                    yield from self._ends_of_repetition(inner, times, greedy, end, count + 1)
        if greedy and count >= times[0]:
            yield at

    def _matches_letter_at(self, name: str, argument: Any, at: int) -> bool:
        if at >= len(self._text):
            return False
        letter = self._text[at]
        if name == "ANY":
            return self._all or letter != "\n"
        if name != "IN":
            wanted = chr(argument).lower() if self._folds else chr(argument)
            return (letter == wanted) == (name == "LITERAL")
        negated = str(argument[0][0]) == "NEGATE"
        return any(self._matches_letter(str(k), v, letter) for k, v in argument) != negated

    def _matches_letter(self, name: str, argument: Any, letter: str) -> bool:
        letters = {letter, letter.upper()} if self._folds else {letter}
        if name == "LITERAL":
            return chr(argument) in letters
        if name == "RANGE":
            return any(argument[0] <= ord(letter) <= argument[1] for letter in letters)
        if name == "NEGATE":
            return False
        return _is_in_category(str(argument), letter)

    def _assertion_holds(self, name: str, at: int) -> bool:
        text = self._text
        if "BOUNDARY" in name:
            sides = [0 <= n < len(text) and _is_in_category("WORD", text[n]) for n in (at - 1, at)]
            return (sides[0] != sides[1]) != ("NON" in name)
        if "BEGINNING" in name:
            return at == 0 or (self._lines and text[at - 1] == "\n")
        last = at == len(text) or (at == len(text) - 1 and text[at] == "\n")
        return last or (self._lines and text[at] == "\n")


def _is_in_category(category: str, letter: str) -> bool:
    """Tell whether a letter is of a category ("CATEGORY_NOT_DIGIT")."""
    kinds = {"DIGIT": letter.isdigit(), "SPACE": letter.isspace(),
             "WORD": letter.isalnum() or letter == "_"}  # fmt: skip
    kind = next((held for name, held in kinds.items() if name in category), None)
    if kind is None:
        raise UnsupportedPattern
    return kind != ("NOT" in category)
