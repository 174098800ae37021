# SPDX-License-Identifier: Apache-2.0
"""A position in an Itanium-mangled name, and the tables of its codes.

Source: Itanium C++ ABI, section 5.1.
"""

from __future__ import annotations

MAX_DEPTH = 192  # nesting in one name; each template level takes three
MAX_STEPS = 20_000  # tokens of one name that are examined

STANDARD = {
    "t": "std", "a": "std::allocator", "b": "std::basic_string", "s": "std::basic_string<T>",
    "i": "std::basic_istream<T>", "o": "std::basic_ostream<T>", "d": "std::basic_iostream<T>",
}  # fmt: skip
OPERATORS = {
    "nw": "new", "na": "new[]", "dl": "delete", "da": "delete[]", "aw": "co_await", "ps": "+",
    "ng": "-", "ad": "&", "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/",
    "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=",
    "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>",
    "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=",
    "ge": ">=", "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--",
    "cm": ",", "pm": "->*", "pt": "->", "cl": "()", "ix": "[]", "qu": "?",
}  # fmt: skip
DIGITS = "0123456789"


class UnreadableName(Exception):
    """The name is outside the grammar that is read here, or beyond a cap."""


class MangledNameReader:
    """A position in a mangled name."""

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.depth = 0
        self.steps = 0
        self.used: list[str] = []  # rules of SPEC.md that changed the name

    def peek(self, size: int = 1) -> str:
        """Return the next characters without taking them."""
        return self.text[self.position : self.position + size]

    def note_rule(self, rule: str) -> None:
        """Note a rule that changes the name."""
        if rule not in self.used:
            self.used.append(rule)

    def next_is_one_of(self, letters: str) -> bool:
        """Tell whether the next character is one of `letters`."""
        letter = self.peek()
        return letter != "" and letter in letters

    def accept(self, expected: str) -> bool:
        """Take the expected text if it comes next."""
        if self.text.startswith(expected, self.position):
            self.position += len(expected)
            return True
        return False

    def expect(self, expected: str) -> None:
        """Take the expected text, or give up on the name."""
        if not self.accept(expected):
            raise UnreadableName

    def read_number(self) -> int:
        """Read a decimal number of at most five digits."""
        start = self.position
        while self.next_is_one_of(DIGITS) and self.position - start < 5:
            self.position += 1
        if start == self.position:
            raise UnreadableName
        return int(self.text[start : self.position])

    def skip_sequence_id(self) -> None:
        """Skip an optional number in digits and capitals, and the "_" after it."""
        while self.next_is_one_of(DIGITS) or self.peek().isupper():
            self.position += 1
        self.expect("_")

    def skip_discriminator(self) -> None:
        """Skip _ DIGIT, or __ NUMBER _, if one comes next."""
        if self.peek(2) == "__" and self.peek(3)[2:].isdigit():
            self.position += 2
            self.skip_sequence_id()
        elif self.peek() == "_" and self.peek(2)[1:].isdigit():
            self.position += 2

    def skip_template_parameter(self) -> None:
        """Skip a template parameter: T_, T0_, TL0_0_, or an elaborated type."""
        self.expect("T")
        if self.next_is_one_of("sue") and self.peek(2)[1:].isdigit():
            self.position += 1
            self.source_name()
            return
        if self.accept("L"):
            self.skip_sequence_id()
        self.skip_sequence_id()

    def source_name(self) -> str:
        """Read a length and that many characters."""
        size = self.read_number()
        name = self.peek(size)
        if size == 0 or len(name) != size:
            raise UnreadableName
        self.position += size
        return name

    def enter_level(self) -> None:
        """Count one level of nesting, and give up beyond the caps."""
        self.depth += 1
        self.steps += 1
        if self.depth > MAX_DEPTH or self.steps > MAX_STEPS:
            raise UnreadableName

    def leave_level(self) -> None:
        """Leave one level."""
        self.depth -= 1
