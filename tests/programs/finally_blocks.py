# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below finally and else blocks, entered by return, break, continue and exceptions."""

import deathbed


def by_return(way):
    try:
        return 1
    finally:
        by_break(way)


def by_break(way):
    for number in range(3):
        try:
            if number == 2:
                break
        finally:
            if number == 2:
                by_continue(way)


def by_continue(way):
    number = 0
    while number < 2:
        number += 1
        try:
            try:
                continue
            finally:
                number += 1
        finally:
            by_exception(way)


def by_exception(way):
    try:
        try:
            raise KeyError(1)
        except IndexError:
            pass
        finally:
            by_else(way)
    except KeyError:
        pass


def by_else(way):
    for _ in ():
        pass
    else:
        try:
            pass
        except ValueError:
            pass
        else:
            by_reraise(way)
        finally:
            pass


def by_reraise(way):
    try:
        try:
            raise KeyError(2)
        except KeyError:
            raise
    except LookupError as error:
        del error
        nested(way, 3)


def nested(way, depth):
    """Each level handles an exception of its own while it calls the next."""
    try:
        {}[depth]
    except KeyError:
        try:
            [][depth]
        except IndexError:
            nested(way, depth - 1) if depth else with_exit(way)


def with_exit(way):
    class Manager:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            try:
                return kind is KeyError
            finally:
                deathbed.die(way)

    with Manager():
        raise KeyError(3)


if __name__ == "__main__":
    by_return(deathbed.prepare("raise"))
