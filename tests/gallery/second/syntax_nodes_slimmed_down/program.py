# SPDX-License-Identifier: Apache-2.0
"""A linter that slims the classes of syntax nodes down before it makes its own nodes."""

import ast


class Comment(ast.AST):
    """A node of the linter's own: a comment and where it stands."""


def slim(root):
    """Drop what the linter's own base class is to define itself."""
    for name in ("_fields", "__match_args__"):
        if name in vars(root):
            delattr(root, name)


def comments(text):
    for number, line in enumerate(text.splitlines(), 1):
        if "#" in line:
            yield Comment(text=line.partition("#")[2].strip(), lineno=number)


def main():
    tree = ast.parse("x = 1\n")
    print(len(ast.dump(tree)))
    slim(ast.AST)
    found = list(comments("x = 1  # first\ny = 2  # second\n"))
    print(len(found))


main()
