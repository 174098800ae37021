# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die while an exception is handled that has a cause, and a context below that."""

import traceback

import deathbed


class OwnError(Exception):
    pass


def describe(error):
    """Return the truth about an exception, its traceback and what it came from."""
    if error is None:
        return None
    return {
        "type": type(error).__name__,
        "text": str(error),
        "traceback": [
            [frame.name, frame.filename, frame.lineno]
            for frame in traceback.extract_tb(error.__traceback__)
        ],
        "cause": describe(error.__cause__),
        "context": describe(error.__context__),
    }


def first():
    raise KeyError("missing", 7)


def second():
    try:
        first()
    finally:
        int("no number 日本")


def third():
    try:
        second()
    except ValueError as error:
        raise OwnError("wörld") from error


def main(way):
    try:
        third()
    except OwnError as error:
        deathbed.die(way, facts={"handled": describe(error)})


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
