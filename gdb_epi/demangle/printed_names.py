# SPDX-License-Identifier: Apache-2.0
"""Reduce a demangled name to its path: rules N9, N13, N15, N17 and N19 of SPEC.md.

Each is one pass over the characters, with counters instead of recursion: the text is untrusted.
"""

from __future__ import annotations

from gdb_epi.lazy_pattern import LazyPattern

_OPERATOR = LazyPattern(
    r"operator(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|\(\)|\[\]|<(?!T>)|>|&&|\|\||"
    r" (?:new|delete)(?:\[\])?|\"\" ?\w+| co_await)"
)
_CONVERSION = LazyPattern(r"(?:\A|(?<=::))operator [^(<]")
_TAIL = LazyPattern(r"(?: const| volatile| &&?| noexcept| restrict)*(?=::)")
_PREFIXES = ("non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to ",
             "transaction clone for ")  # fmt: skip
_ARRAY = LazyPattern(r"; \d+(?:(?:: )?usize)?\]", "; ")
_QUALIFIED = LazyPattern(r"(?<=[\w>)])(?: const| volatile)+\Z", " const", " volatile")
_EMPTY = LazyPattern(r"::(?=::|\Z)", "::")
_WITH = LazyPattern(r" \[(?:with )?\w+ = ", " [")  # what __PRETTY_FUNCTION__ appends


def reduce_printed_name(name: str) -> tuple[str, tuple[str, ...]]:
    """Return `a::b<T>::c` for `R a::b<X>::c(Y) const`, and the rules that changed it."""
    used = []
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            name = name.removeprefix(prefix)
            used.append("N14")
    name = _WITH.text_before_match(name)
    if _QUALIFIED.search(name):
        name = _QUALIFIED.sub("", name)
        used.append("N13")
    if "<" not in name and "(" not in name and "operator " not in name:
        return name, tuple(used)
    cutter = _NameCutter(name)
    return cutter.reduce_to_path() or name, (*used, *sorted(cutter.used))


class _NameCutter:
    """A position in a printed name, and the text kept so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.operators = "operator" in name
        self.position = 0
        self.out: list[str] = []
        self.used: set[str] = set()

    def reduce_to_path(self) -> str:
        """Return the path."""
        while self.position < len(self.name) and self._consume_piece():
            pass
        text = "".join(self.out).strip()
        if " " in text:
            self.used.add("N13")  # a return type
        return text.rpartition(" ")[2].lstrip("*&").replace("\0", " ")

    def _consume_piece(self) -> bool:
        """Consume one piece; False at the end of the path."""
        may = self.operators
        conversion = _CONVERSION.match(self.name, self.position) if may else None
        operator = _OPERATOR.match(self.name, self.position) if may else None
        letter = self.name[self.position]
        if operator is not None or conversion is not None:
            self.used.add("N15")
        if operator is not None:
            self.out.append(operator.group().replace(" ", "\0"))
            self.position = operator.end()
            if self.name.startswith(" <", self.position):
                self.position += 1
        elif conversion is not None:
            self.out.append("operator{conversion}")
            return False
        elif letter == "<" and self.out:
            self._skip_bracket("<", ">")
            self.used.add("N9")
            self.out.append("<T>")
        elif letter == "(":
            # Skip an argument list; go on if a local name follows it
            self._skip_bracket("(", ")")
            self.used.add("N13")
            tail = _TAIL.match(self.name, self.position)
            if tail is None:
                return False
            self.position = tail.end()
            return True
        else:
            self.out.append(letter)
            self.position += 1
        return True

    def _skip_bracket(self, opening: str, closing: str) -> None:
        """Skip a bracket and its contents; "->" and operators inside close nothing."""
        depth = 0
        for position in range(self.position, len(self.name)):
            letter = self.name[position]
            if letter == opening:
                depth += 1
            elif letter == closing and self.name[position - 1] != "-":
                depth -= 1
                if depth == 0:
                    self.position = position + 1
                    return
        self.position = len(self.name)


def strip_rust_generic_arguments(name: str) -> str:
    """Return a Rust path without generic arguments; `<A as B>` stays, without its own arguments.

    Only the newer mangling encodes the generic arguments of a function.
    """
    out: list[str] = []
    opened: list[_Bracket] = []
    shown = True
    for position, letter in enumerate(name):
        if letter == "<":
            # A bracket that opens a type at the start of a path is shown; arguments are not.
            shown = shown and (position == 0 or name[position - 1] in " <(&*[")
            opened.append(_Bracket(shown, len(out)))
            out.append("<" if shown else "")
        elif letter == ">" and name[position - 1] != "-" and opened:
            # Close a bracket; `<a::B>` without a trait becomes a::B.
            bracket = opened.pop()
            if bracket.shown and bracket.qualified:
                out.append(">")
            elif bracket.shown:
                out[bracket.at] = ""
            shown = not opened or opened[-1].shown
        elif shown:
            if opened and name.startswith(" as ", position):
                opened[-1].qualified = True
            out.append(letter)
    text = _ARRAY.sub("; _]", "".join(out))
    return _EMPTY.sub("", text)


class _Bracket:
    """An open bracket: whether it is shown, where it is, and whether it contains ` as `."""

    def __init__(self, shown: bool, at: int) -> None:
        self.shown = shown
        self.at = at
        self.qualified = False
