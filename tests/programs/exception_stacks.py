# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["exceptionbed.py"]}
"""Die where generators and coroutines handle exceptions within each other: deep exc_info stacks."""

import threading

import deathbed
import exceptionbed


class Own(Exception):
    pass


def handling(depth, above, then):
    """A generator that handles an exception while it runs the next one."""
    try:
        raise Own(depth)
    except Own as error:
        handled = [error, *above]
        if depth:
            yield from handling(depth - 1, handled, then)
        else:
            then(handled)
    yield depth


def in_thread():
    for _ in handling(12, [], lambda handled: exceptionbed.park(*handled)):
        pass


async def coroutine(depth, above, then):
    try:
        [][depth]
    except IndexError as error:
        if depth:
            await coroutine(depth - 1, [error, *above], then)
        else:
            then([error, *above])


def in_coroutines():
    one = coroutine(7, [], lambda handled: exceptionbed.park(*handled))
    one.send(None)


def suspended_handlers():
    """Generators that are suspended in a handler leave nothing on the stack of their thread."""
    asleep = [sleeping(number) for number in range(4)]
    for one in asleep:
        next(one)
    try:
        raise Own("awake")
    except Own as error:
        exceptionbed.park(error)


def sleeping(number):
    try:
        raise KeyError(number)
    except KeyError:
        yield number


def in_exit():
    class Manager:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, lines):
            exceptionbed.park(error)

    with Manager():
        raise Own("leaving")


def in_destructor():
    class Doomed:
        def __del__(self):
            try:
                raise Own("in __del__")
            except Own as error:
                exceptionbed.park(error)

    try:
        raise KeyError("before")
    except KeyError:
        Doomed()


def in_thread_hook():
    """The hook of threads runs in the handler of Thread.run's exception."""
    raise Own("not caught by the thread")


def thread_hook(args):
    exceptionbed.park(args.exc_value)


def thrown():
    """throw() raises inside of a generator; its handler runs there."""
    one = catching()
    next(one)
    one.throw(Own("thrown"))


def catching():
    try:
        yield
    except Own as error:
        exceptionbed.park(error)


def none_handled():
    """An exception that was handled and is over."""
    try:
        raise Own("over")
    except Own:
        pass
    exceptionbed.park()


def main(way):
    threading.excepthook = thread_hook
    exceptionbed.start(in_thread, in_coroutines, suspended_handlers, in_exit)
    exceptionbed.start(in_destructor, thrown, none_handled)
    exceptionbed.start(in_thread_hook)
    for _ in handling(3, [], lambda handled: exceptionbed.die(way, *handled)):
        pass


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
