# SPDX-License-Identifier: Apache-2.0
"""CI check: parses every module of a large repository and counts names that are never used."""

import ast
import os

TEMPLATE = """
def price_{n}(order, rate, unused_{n}=None):
    total = 0
    for line in order:
        if line > {n}:
            total += line * rate
        else:
            total -= helper_{n}(line)
    return total
"""


def source_of(number):
    return "".join(TEMPLATE.format(n=number * 40 + part) for part in range(40))


class Names(ast.NodeVisitor):
    """Collects what a module binds and what it reads."""

    def __init__(self):
        self.bound = set()
        self.read = set()

    def visit_arg(self, node):
        self.bound.add(node.arg)

    def visit_Name(self, node):
        (self.read if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)


def check_module(number):
    names = Names()
    names.visit(ast.parse(source_of(number), "module_%d.py" % number))
    return len(names.bound - names.read)


def main():
    findings = 0
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for number in range(20000):
        findings += check_module(number)
        if number % 500 == 0:
            print("%d modules, %d findings" % (number, findings), flush=True)
    print("done: %d findings" % findings)


main()
