# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die without anybody having looked at the frames before.

Looking at a frame makes a frame object, in 3.11 and newer. Here the truth comes from code objects
and the marks in this file instead, so that the core has frames of which no object was ever made.
"""

import linecache

import deathbed


def leaf(way):
    way.call(*way.arguments)  # mark: leaf


def middle(way):
    leaf(way)  # mark: middle


def top(way):
    middle(way)  # mark: top


def marked(name):
    """Return the number of the line that carries a mark."""
    lines = linecache.getlines(__file__)
    return next(n for n, text in enumerate(lines, 1) if text.endswith(f"# mark: {name}\n"))


def truth(function):
    code = function.__code__
    name = getattr(code, "co_qualname", None)
    return [code.co_name, name, code.co_filename, marked(function.__name__)]


def module():
    """Return the truth about this module's own frame."""
    import sys

    name = "<module>" if sys.version_info >= (3, 11) else None
    return ["<module>", name, leaf.__code__.co_filename, marked("module")]


if __name__ == "__main__":
    how = deathbed.prepare("abort")
    expected = [truth(leaf), truth(middle), truth(top), module()]
    deathbed.testify(None, how, others=[], frames=expected)
    top(how)  # mark: module
