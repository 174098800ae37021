# SPDX-License-Identifier: Apache-2.0
"""Keys from tokens: what signature/sign.py does for a core, for stacks known only as text.

A frame or a tail that is not known may or may not matter to a key: a key stands when no way in
which the unknown part could continue changes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.signature import keys as k
from gdb_epi.signature.categories.types import category_family
from gdb_epi.signature.tokens import EVAL_LOOP, NATIVE, PYTHON, Token, format_stack_line
from gdb_epi.typing_lite import NamedTuple

OVERFLOW = "segv-stack-overflow"
UNKNOWN = "unknown-object"  # file name that stands for a frame of which nothing is known
NO_FILE = "nothing tells whether the caller of a nameless function lies in the same file"
STACK_KEYS = ("strict", "stable", "coarse", "python", "native", "code")
NO_CODE = "the instructions of the function are not told"
_TAIL = 8  # tokens that a continuation repeats: the longest period of a cycle


class WhyHalvesAreMissing(NamedTuple):
    """Why a half of the stack is missing; "" when it is there."""

    native: str
    python: str

    def why_not_both(self) -> str:
        """Return why a key of both halves cannot be made; "" when it can."""
        named = (("native", self.native), ("Python", self.python))
        return "; ".join(f"no {name} stack ({why})" for name, why in named if why)


# The words of each key after its category, or why there are none.
Contents = dict[str, "str | MissingKey"]


class MissingKey(NamedTuple):
    """Why a key cannot be made."""

    why: str


def key_contents(
    tokens: Sequence[Token], halves: WhyHalvesAreMissing, *, overflow: bool, function_code: str = ""
) -> Contents:
    """Return what each key of a stack says after its category. SPEC.md sections 1.3 and 6.

    `function_code` is the name that the instructions of a nameless function gave; "" for none.
    """
    inner = tokens if overflow else k.native_frames_inside_python(tokens)
    coarse = k.select_tokens([token for token in tokens if token.physical], overflow=overflow)
    strict = k.strict_key(tokens, overflow=overflow)
    both = halves.why_not_both()
    narrow = k.coarse_tokens(coarse)
    contents: Contents = {
        "native": _stack_line_or_missing_key(
            k.select_tokens_of_language(inner, NATIVE, overflow=overflow), halves.native
        ),
        "python": _stack_line_or_missing_key(
            k.select_tokens_of_language(tokens, PYTHON, overflow=overflow), halves.python
        ),
        "stable": _stack_line_or_missing_key(
            k.select_tokens(tokens, overflow=overflow).tokens, both
        ),
        "coarse": _stack_line_or_missing_key(narrow, both),
        "code": _contents_of_code_key(narrow, both, function_code, overflow=overflow),
    }
    caller = k.caller_of_nameless_frame(coarse)
    if not both and caller is not None and not caller.module:
        contents["coarse"] = contents["code"] = MissingKey(NO_FILE)
    if both or isinstance(strict, str):
        contents["strict"] = MissingKey(both or str(strict))
    else:
        contents["strict"] = strict.text.split(" ", 2)[2]
    return contents


def _contents_of_code_key(
    coarse: Sequence[Token], missing: str, function_code: str, *, overflow: bool
) -> str | MissingKey:
    nameless = k.nameless_function_of_coarse(coarse, overflow=overflow)
    if missing or isinstance(nameless, str):
        return MissingKey(missing or str(nameless))
    if not function_code:
        return MissingKey(NO_CODE)
    return format_stack_line(k.coarse_tokens_with_code_name(coarse, nameless, function_code))


def partial_key_contents(
    tokens: Sequence[Token],
    halves: WhyHalvesAreMissing,
    ends: str,
    *,
    overflow: bool,
    function_code: str = "",
) -> Contents:
    """Return the same of a stack whose outer end is missing (`ends` says why; "" when it is not).

    What another continuation could change is missing.
    """
    code = function_code
    contents = key_contents(tokens, halves, overflow=overflow, function_code=code)
    if ends:
        # Ways in which a stack may go on: other frames, each language first, and cycles.
        native = [Token(f"\x01{n}", NATIVE, True, None) for n in range(4)]
        python = [Token(f"py:\x01{n}", PYTHON, True, None) for n in range(3)]
        loop = Token(EVAL_LOOP, NATIVE, True, "eval-glue")
        continuations = [[*native, *python, *native], [*python, *native], [loop, *native]]
        for period in range(1, min(_TAIL, len(tokens)) + 1):
            continuations.append([*list(tokens[-period:]) * 2, *native, *python])
        others = [
            key_contents([*tokens, *tail], halves, overflow=overflow, function_code=code)
            for tail in continuations
        ]
        for name, words in contents.items():
            if isinstance(words, str) and any(other[name] != words for other in others):
                contents[name] = MissingKey(ends)
    return contents


def contents_common_to_readings(first: Contents, second: Contents, why: str) -> Contents:
    """Return what two readings of one stack have in common."""
    same = {name: words == second[name] for name, words in first.items()}
    return {name: words if same[name] else MissingKey(why) for name, words in first.items()}


def key_of_contents(name: str, words: str | MissingKey, category: str) -> k.Key | MissingKey:
    """Return a key of a crash of this category, or why there is none."""
    if isinstance(words, MissingKey):
        return words
    if f"{UNKNOWN}!?" in words:
        return MissingKey("a frame counts in it whose name and object the text does not tell")
    word = {"strict": "", "python": category_family(category)}.get(name, category)
    return k.make_key(name, f"{word} {words}".lstrip())


def _stack_line_or_missing_key(tokens: Sequence[Token], missing: str) -> str | MissingKey:
    if missing:
        return MissingKey(missing)
    return format_stack_line(tokens) if tokens else MissingKey("this stack has no such frame")
