# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below code that no file holds: exec, eval, compile, trees, marshal, functions made by hand.

Globals without `__name__`, line numbers that go down and that begin at 0 are legal.
"""

import ast
import marshal
import types

import deathbed


def run(number, way):
    """Go on with the next step; the last one dies."""
    if number == len(STEPS):
        deathbed.die(way)
    STEPS[number](number + 1, way)


def by_exec(number, way):
    exec("\n\n\nrun(number, way)", {"run": run, "number": number, "way": way})


def by_eval(number, way):
    eval("(lambda:\n\n run(number,\n way))()", {"run": run, "number": number, "way": way})


def without_globals(number, way):
    eval(compile("run(number, way)", "", "eval"), {}, {"run": run, "number": number, "way": way})


def by_tree(number, way):
    tree = ast.parse("def inside():\n    return [\n        run(number, way)]\ninside()")
    body = tree.body[0].body[0]
    ast.increment_lineno(body, 500000)
    tree.body[1].lineno = tree.body[1].end_lineno = 3
    code = compile(tree, "made/of/trees", "exec")
    exec(code, {"run": run, "number": number, "way": way, "__name__": "tree"})


def downwards(number, way):
    """Lines that count down, as a template engine's do."""
    tree = ast.parse("\n".join(["a = 1", "b = 2", "c = 3", "run(number, way)"]))
    for place, statement in enumerate(tree.body):
        for node in ast.walk(statement):
            if hasattr(node, "lineno"):
                node.lineno = node.end_lineno = 900 - 250 * place
    exec(compile(tree, "template.html", "exec"), {"run": run, "number": number, "way": way})


def by_marshal(number, way):
    code = compile("run(number, way)", "<marshalled>", "exec")
    space = {"run": run, "number": number, "way": way, "__name__": 7}
    exec(marshal.loads(marshal.dumps(code)), space)


def replaced(first):
    """Return a step whose function begins at a line that no file has."""

    def step(number, way):
        value = number
        run(value, way)

    code = step.__code__.replace(co_firstlineno=first, co_name="step%d" % first)
    space = {**globals(), "__name__": f"module at {first}"}
    return types.FunctionType(code, space, "other", None, step.__closure__)


def single(number, way):
    """Compile for the prompt: the value is printed by sys.displayhook."""
    code = compile("run(number, way)\n", "<stdin>", "single")
    exec(code, {"run": run, "number": number, "way": way, "__name__": "__console__"})


def with_builtins(number, way):
    space = {"__builtins__": {"run": run}, "number": number, "way": way}
    exec("def f(n=number, w=way):\n  run(n, w)\nf()", space)


STEPS = [by_exec, by_eval, without_globals, by_tree, downwards, by_marshal, single, with_builtins]
STEPS += [replaced(first) for first in (1, 0, 65535, 2**27)]


if __name__ == "__main__":
    run(0, deathbed.prepare("raise"))
