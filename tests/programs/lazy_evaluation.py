# SPDX-License-Identifier: Apache-2.0
# corpus: {"oldest": [3, 12]}
"""Die in what newer versions evaluate late: type aliases, bounds, annotations, template strings."""

import sys

import deathbed

ALIAS = """
def step(follow):
    type Alias[T] = [
        follow()
    ]
    return Alias.__value__
"""

BOUND = """
def step(follow):
    def generic[T: follow(), *Rest, **Parameters](value: T) -> T:
        return value
    class Generic[T: (int, str)](list[T]):
        def method[U](self, one: U): pass
    return generic.__type_params__[0].__bound__
"""

DEFAULT = """
def step(follow):
    class Generic[T = follow()]:
        pass
    return Generic.__type_params__[0].__default__
"""

ANNOTATIONS = """
def step(follow):
    class Annotated:
        one: int
        two: follow()
    def function(first: int, second: Annotated.__annotations__) -> None:
        pass
    return function.__annotations__
"""

TEMPLATE = """
def step(follow):
    name = "x"
    return t"{name!r} and {follow(
    ):>10} and {name}"
"""

NESTED_STRINGS = """
def step(follow):
    return f"{f"{"a" + str([
        follow()])}"
    }"
"""

ANNOTATED_CLASS = """
import annotationlib
def step(follow):
    class Later:
        field: missing[follow()]
    return annotationlib.get_annotations(Later, format=annotationlib.Format.FORWARDREF)
"""

OLDEST = {"DEFAULT": (3, 13), "TEMPLATE": (3, 14), "ANNOTATED_CLASS": (3, 14)}


def build():
    steps = []
    for name, text in sorted(globals().items()):
        if name.isupper() and isinstance(text, str) and OLDEST.get(name, ()) <= sys.version_info:
            path = name.lower() + ".py"
            with open(path, "w") as handle:
                handle.write(text)
            space = {}
            exec(compile(text, path, "exec"), space)
            steps.append(space["step"])
    return steps


def go(steps, way):
    if not steps:
        deathbed.die(way)
    steps[0](lambda: go(steps[1:], way))


if __name__ == "__main__":
    go(build(), deathbed.prepare("raise"))
