# SPDX-License-Identifier: Apache-2.0
"""Two requests with equal contexts share an answer. Rights are loaded when they are compared, and
loading them writes what was found into the context."""

import contextvars

FIELDS = [contextvars.ContextVar(f"field{number}") for number in range(15)]


class Rights:
    def __init__(self, user, context):
        self.user, self.context = user, context

    def load(self):
        for field in FIELDS:
            self.context.run(field.set, [self.user] * 50)

    def __eq__(self, other):
        self.load()
        if isinstance(other, Rights):
            other.load()
        return True

    __hash__ = None


def context_of(user):
    context = contextvars.Context()
    for field in FIELDS:
        context.run(field.set, Rights(user, context))
    return context


def same_answer(first, second):
    return first == second


print(same_answer(context_of("anna"), context_of("bert")))
