# SPDX-License-Identifier: Apache-2.0
"""Variables of a frame as lines of text, and the options that say how much of each."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.argument_types import whole_number
from gdb_epi.cpython.values.repr_decoder import DEPTH, LENGTH, TOTAL, WIDTH, ReprLimits
from gdb_epi.cpython.values.secrets import MASKED
from gdb_epi.cpython.values.variables import ARGUMENTS, Variable
from gdb_epi.registry import argument
from gdb_epi.render.escape import escape, fold_line, one_line, screen_width
from gdb_epi.typing_lite import Namespace

MORE = "what `...` and `<cut>` stand for was left out; --depth, --width and --length show more"
MASKED_NOTE = "`<masked ...>` stands for what a name says is secret; --secrets shows it"
INEXACT = "repr() would show more, or other words"
MAX_VALUE_LINES = 3
_DOUBTS = "<cannot decode"  # says so itself
# Types that are obvious from the text.
_PLAIN = frozenset(
    "NoneType bool int float complex str bytes tuple list dict set range slice ellipsis type "
    "function".split()
)

# How much of a value commands show.
LIMIT_OPTIONS = (
    argument(
        "--depth",
        type=whole_number(),
        default=DEPTH,
        metavar="N",
        help=f"containers within ({DEPTH})",
    ),
    argument(
        "--width", type=whole_number(), default=WIDTH, metavar="N", help=f"items of each ({WIDTH})"
    ),
    argument(
        "--length", type=whole_number(), default=LENGTH, metavar="N", help=f"characters ({LENGTH})"
    ),
    argument("--secrets", action="store_true", help="also passwords, tokens and keys"),
)


def parse_limit_options(args: Namespace) -> ReprLimits:
    """Return the limits that LIMIT_OPTIONS say."""
    total = max(TOTAL, 2 * args.length)
    return ReprLimits(args.depth, args.width, args.length, total, args.secrets)


def variable_lines(variables: Sequence[Variable], most: int | None = MAX_VALUE_LINES) -> list[str]:
    """Return each variable in `most` lines, below a heading for each kind."""
    lines: list[str] = []
    shown: set[str] = set()
    heading = ""
    for variable in variables:
        kind = "argument" if variable.kind in ARGUMENTS else variable.kind
        if kind != heading:
            heading = kind
            lines.append(f"{heading} variables" if heading != "argument" else "arguments")
        lines += value_lines("  " + variable_text(variable, shown), most=most)
    return lines


def value_lines(text: str, *, indent: int = 0, most: int | None = MAX_VALUE_LINES) -> list[str]:
    """Return a variable with its value as lines of the screen, less `indent` columns."""
    return fold_line(escape(text), screen_width() - indent, most=most, breaks_words=True)


def shorten_if_shown_before(text: str, shown: set[str]) -> str:
    """Return a value; of an object whose attributes were `shown` before only what it is.

    `shown` grows by the text.
    """
    head, with_attributes, _ = text.partition(" with ")
    is_object = text[:1] in ("<", "[", "(", "{") and head[-1:] in (">", "]", ")", "}")
    if not with_attributes or not is_object or "0x" not in head:
        return text
    if text in shown:
        return f"{head}, as above"
    shown.add(text)
    return text


def variable_text(variable: Variable, shown: set[str]) -> str:
    """Return `name = value`, with the class where the text hides it.

    `shown` is as in shorten_if_shown_before().
    """
    short = variable.type.rpartition(".")[2]
    hidden = short and short not in _PLAIN and short not in variable.text
    stars = {"var-positional": "*", "var-keyword": "**"}.get(variable.kind, "")
    notes = [variable.kind] if variable.kind in ("positional-only", "keyword-only") else []
    notes += [variable.type] if hidden else []
    says_so = _DOUBTS in variable.text or MASKED in variable.text
    notes += [] if variable.exact or says_so else [INEXACT]
    note = f"  [{', '.join(notes)}]" if notes else ""
    text = one_line(shorten_if_shown_before(variable.text_with_attributes(), shown))
    return f"{stars}{variable.name} = {text}{note}"
