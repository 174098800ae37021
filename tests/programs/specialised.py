# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in code that ran hot before: specialised instructions, calls that the eval loop inlines."""

import deathbed

WARM = 300


class Hot:
    __slots__ = ("action",)
    shared = 1

    def __init__(self, action):
        self.action = action

    @property
    def value(self):
        return self.action()

    def __getitem__(self, key):
        return self.value

    def __call__(self, *args, key=None):
        return self[0]


class Initialised:
    def __init__(self, action):
        self.action = action
        Hot(action)()


class Getting:
    def __init__(self, action):
        object.__setattr__(self, "action", action)

    def __getattribute__(self, name):
        action = object.__getattribute__(self, "action")
        return Initialised(action)


class Iterating:
    def __init__(self, action):
        self.action = action

    def __iter__(self):
        yield Getting(self.action).anything
        yield from produce(self.action)


def produce(action):
    received = yield 1
    yield received


def positional(action, a=1, b=2):
    return keyword(action, c=a)


def keyword(action, *, c, d=3):
    return unpacking(*(action,), **{"e": d})


def unpacking(*args, **keywords):
    (action,) = args
    return method_of(action)


def method_of(action):
    total = 0
    for item in Iterating(action):
        total += 1
    return total


def compare(action):
    return [positional(action) for _ in range(2)], {k: v for k, v in (("a", positional(action)),)}


class Ordered:
    def __init__(self, action):
        self.action = action

    def __lt__(self, other):
        compare(self.action)
        return True

    def __add__(self, other):
        return self < other


def main():
    dying = []
    way = deathbed.prepare("raise")

    def action():
        if dying:
            deathbed.die(way)

    for number in range(WARM):
        if number == WARM - 1:
            dying.append(1)
        Ordered(action) + Ordered(action)


if __name__ == "__main__":
    main()
