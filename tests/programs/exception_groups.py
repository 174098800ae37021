# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["exceptionbed.py"], "oldest": [3, 11]}
"""Die while except* handles parts of groups: nested ones, with notes, re-raised, own classes."""

import deathbed
import exceptionbed


class Own(Exception):
    pass


class OwnGroup(ExceptionGroup):
    def derive(self, members):
        return OwnGroup(self.message, members)


def raised(error):
    try:
        raise error
    except BaseException as again:
        return again


def members():
    noted = raised(Own("with notes"))
    for text in ("first", "zweite Ñote", "", "日本語 😀"):
        noted.add_note(text)
    inner = OwnGroup("inner", [KeyError("k"), raised(IndexError(3)), noted])
    return [inner, ValueError("v"), raised(OSError(2, "gone", "file")), noted]


def split():
    try:
        raise ExceptionGroup("outer", members())
    except* Own as part:
        exceptionbed.park(part)
    except* Exception:
        pass


def own_group():
    try:
        raise OwnGroup("own ü", members())
    except* LookupError as part:
        exceptionbed.park(part)
    except* Exception:
        pass


def wrapped():
    """except* makes a group of a plain exception."""
    try:
        raise KeyError("naked")
    except* KeyError as part:
        exceptionbed.park(part)


def of_base():
    try:
        raise BaseExceptionGroup("base", [KeyboardInterrupt(), SystemExit(3)])
    except BaseException as group:
        exceptionbed.park(group)


def many():
    try:
        raise ExceptionGroup("many", [Own(number) for number in range(60)])
    except Exception as group:
        exceptionbed.park(group)


def deep():
    error = Own("bottom")
    for number in range(3):
        error = ExceptionGroup(f"level {number}", [error])
    try:
        raise error
    except Exception as group:
        exceptionbed.park(group)


def notes():
    error = Own()
    for number in range(20):
        error.add_note(f"note {number}")
    try:
        raise error
    except Own as again:
        exceptionbed.park(again)


def raising_within():
    """What is raised in except* gets the group's part as its context."""
    try:
        try:
            raise ExceptionGroup("g", [Own(1), KeyError(2)])
        except* Own:
            raise ValueError("from within") from None
    except ExceptionGroup as group:
        exceptionbed.park(group)


def main(way):
    try:
        raise ExceptionGroup("last", members())
    except* OSError as part:
        exceptionbed.die(way, part)
    except* Exception:
        pass


if __name__ == "__main__":
    how = deathbed.prepare("raise")
    exceptionbed.start(split, own_group, wrapped, of_base, many, deep, notes, raising_within)
    main(how)
