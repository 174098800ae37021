# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["exceptionbed.py"]}
"""Die while a chain of exceptions of every built-in class and of odd own classes is handled."""

import builtins
import sys

import deathbed
import exceptionbed


class Slots(Exception):
    __slots__ = ("one",)

    def __init__(self, one):
        self.one = one


class Changed(Exception):
    def __init__(self, text):
        super().__init__(text, "more")
        self.args = ("args", "replaced")


class Silent(Exception):
    def __init__(self, *ignored):
        pass


class NoArgs(Exception):
    def __new__(cls, *ignored):
        return super().__new__(cls)


class Described(Exception):
    def __str__(self):
        return "said by Python code"


class Represented(ValueError):
    def __repr__(self):
        return "never shown here"


class Lookup(KeyError):
    pass


class Both(KeyError, AttributeError):
    pass


class Os(OSError):
    pass


class Outer:
    class Inner(RuntimeError):
        pass

    @staticmethod
    def local():
        class Local(Outer.Inner):
            pass

        return Local


SPECIAL = {
    "UnicodeDecodeError": ("utf-8", b"a\xffb", 1, 2, "reason"),
    "UnicodeEncodeError": ("ascii", "aä", 1, 2, "reason"),
    "UnicodeTranslateError": ("aä", 1, 2, "reason"),
    "ExceptionGroup": ("group", [KeyError(1)]),
    "BaseExceptionGroup": ("base group", [KeyError(1)]),
}
SPECIAL["SyntaxError"] = ("bad", ("file.py", 3, 1, "text"))
SPECIAL["IndentationError"] = SPECIAL["TabError"] = ("bad",)
SPECIAL["_IncompleteInputError"] = ("text",)


# Since 3.10 AttributeError has a structure of its own; the slot of Both searches for the name.
OPAQUE = (Described, Both) if sys.version_info >= (3, 10) else (Described,)


def everything():
    """Return one exception of each built-in class, and the odd ones."""
    found = []
    for name, kind in sorted(vars(builtins).items()):
        if isinstance(kind, type) and issubclass(kind, BaseException) and name == kind.__name__:
            found.append(kind(*SPECIAL.get(name, ("text ü", 2))))
    found += [Slots(1), Changed("x"), Silent("kept", 1), NoArgs(2), Described("own"), Outer.Inner()]
    found += [
        Represented("r"),
        Lookup("k"),
        Both("b"),
        Os(13, "denied", "p"),
        Os("odd"),
        Outer.local()("l"),
    ]
    found += [OSError(number, f"number {number}") for number in (1, 2, 4, 11, 17, 32, 111, 9999)]
    found += [StopIteration([1]), SystemExit(None), KeyError(("a", 1)), ValueError(None)]
    found += [Exception(()), Exception(("x",)), Exception(b"bytes"), Exception("a" * 300)]
    found += [type("Made", (Exception,), {"__module__": "made.up"})("made")]
    return found


def chained(errors):
    """Handle one whose causes are the others; parks."""
    for one, cause in zip(errors, errors[1:]):
        one.__cause__ = cause
    try:
        raise errors[0]
    except BaseException as error:
        exceptionbed.park(error, opaque=OPAQUE)


def main(way):
    errors = everything()
    parts = [errors[start : start + 30] for start in range(0, len(errors), 30)]
    exceptionbed.start(*[lambda part=part: chained(part) for part in parts])
    try:
        raise Lookup("the last", 1)
    except KeyError as error:
        exceptionbed.die(way, error)


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
